"""SQLAlchemy's compliance suite for dialects, as it is."""
from sqlalchemy.testing.suite import *  # noqa: F401, F403
