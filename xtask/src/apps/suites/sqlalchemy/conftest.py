"""Registers SQLAlchemy's plugin with pytest, and writes what became of each test into the file RESULTS."""
import os

import pytest

pytest.register_assert_rewrite("sqlalchemy.testing.assertions")

from sqlalchemy.dialects.postgresql import provision
from sqlalchemy.testing.plugin.pytestplugin import *  # noqa: F401, F403

# It creates citext and hstore first; no test of this suite uses them.
provision._extensions.clear()
results = open(os.environ["RESULTS"], "w")


def pytest_runtest_logreport(report):
    if report.passed and report.when != "call":
        return
    # Classes are named with the server's version, which is no part of a test's name here.
    _, of, test = report.nodeid.split("::", 2)
    name = f"{of.split('_postgresql')[0]}.{test}"
    lines = str(report.longrepr or "").strip().splitlines()
    why = next((line for line in reversed(lines) if "Error" in line), lines[-1] if lines else "")
    how = {"passed": "ok", "failed": "failed", "skipped": "skipped"}[report.outcome]
    results.write(f"{how}\t{name}\t{' '.join(why.split())[:200] if how == 'failed' else ''}\n")
    results.flush()
