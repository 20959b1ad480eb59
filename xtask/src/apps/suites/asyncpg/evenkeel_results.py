"""A plugin of pytest that keeps a test that failed from failing those behind it, and leaves out those that start a PostgreSQL."""
import asyncio

import asyncpg
import pytest

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
