"""Registers SQLAlchemy's plugin with pytest, and writes what became of each test into the file RESULTS."""
import evenkeel_report
import pytest

pytest.register_assert_rewrite("sqlalchemy.testing.assertions")

from sqlalchemy.dialects.postgresql import provision
from sqlalchemy.testing.plugin.pytestplugin import *  # noqa: F401, F403

# It creates citext and hstore first; no test of this suite uses them.
provision._extensions.clear()


def pytest_runtest_logreport(report):
    # Classes are named with the server's version, which is no part of a test's name here.
    _, of, test = report.nodeid.split("::", 2)
    evenkeel_report.write(report, f"{of.split('_postgresql')[0]}.{test}")
