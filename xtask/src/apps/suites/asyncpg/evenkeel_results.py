"""A plugin of pytest that writes what became of each test into the file RESULTS, and keeps a test that failed from failing those behind it."""
import asyncio
import os

import asyncpg
import pytest

results = open(os.environ["RESULTS"], "w")
# Tables that the tests of a class make and drop, each.
TABLES = {"TestExecuteMany": "exmany"}


def pytest_collection_modifyitems(items):
    # These start servers of PostgreSQL.
    items[:] = [item for item in items if "::TestConnectionAttributes::" not in item.nodeid]


@pytest.fixture(autouse=True)
def without_remains(request):
    yield
    table = TABLES.get(request.cls.__name__) if request.cls else None

    async def drop():
        connection = await asyncpg.connect()
        await connection.execute(f"DROP TABLE IF EXISTS {table}")
        await connection.close()

    if table:
        asyncio.run(drop())


def pytest_runtest_logreport(report):
    if report.passed and report.when != "call":
        return
    file, test = report.nodeid.split("::", 1)
    name = f"{os.path.basename(file).removesuffix('.py')}.{test.replace('::', '.')}"
    lines = str(report.longrepr or "").strip().splitlines()
    why = next((line for line in reversed(lines) if "Error" in line), lines[-1] if lines else "")
    how = {"passed": "ok", "failed": "failed", "skipped": "skipped"}[report.outcome]
    results.write(f"{how}\t{name}\t{' '.join(why.split())[:200] if how == 'failed' else ''}\n")
    results.flush()
