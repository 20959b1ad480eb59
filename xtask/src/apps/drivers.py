"""Drivers: values of types both ways, pipelines, COPY, cursors, notifications, cancel, reset."""
import asyncio
import datetime
import decimal
import threading
import uuid

import asyncpg
import pg8000.native
import psycopg
import psycopg2
from checks import DSN, HOST, PORT, check, equal

VALUES = [
    ("bool", True),
    ("int2", -5),
    ("int4", 7),
    ("int8", 1 << 40),
    ("float8", 1.5),
    ("numeric", decimal.Decimal("12.340")),
    ("text", "it's \\ ü"),
    ("bytea", b"\x00\xff"),
    ("date", datetime.date(2024, 2, 29)),
    ("time", datetime.time(12, 30, 1)),
    ("timestamp", datetime.datetime(2024, 2, 29, 1, 2, 3, 4)),
    ("timestamptz", datetime.datetime(2024, 2, 29, 1, 2, 3, tzinfo=datetime.timezone.utc)),
    ("interval", datetime.timedelta(days=1, seconds=2)),
    ("uuid", uuid.UUID(int=5)),
    ("int4[]", [1, None, 3]),
    ("text[]", ["a", "b,c"]),
    ("mood", "ok"),
]
SETUP = """
drop table if exists d; drop type if exists mood;
create type mood as enum ('sad', 'ok');
create table d (id int generated always as identity primary key, m mood, t text, j jsonb)
"""


def with_psycopg():
    name, version = "psycopg", psycopg.__version__
    run = lambda what, body: check(name, version, what, body)
    conn = psycopg.connect(DSN, autocommit=True)
    conn.execute(SETUP)

    def types(binary):
        # What it does not know it gives as bytes in binary, and an enum is not registered.
        for ty, value in VALUES[: -1 if binary else None]:
            got = conn.cursor(binary=binary).execute(f"select %s::{ty}", (value,)).fetchone()[0]
            equal(bytes(got) if ty == "bytea" else got, value)

    run("types as text", lambda: types(False))
    run("types in binary", lambda: types(True))

    def pipeline():
        with psycopg.connect(DSN) as c, c.pipeline():
            cursors = [c.execute("select %s::int", (n,)) for n in range(20)]
            equal([x.fetchone()[0] for x in cursors], list(range(20)))

    run("a pipeline", pipeline)

    def copy(options):
        with psycopg.connect(DSN) as c, c.cursor() as cur:
            with cur.copy(f"copy d (t) from stdin {options}") as into:
                into.set_types(["text"])
                for n in range(1000):
                    into.write_row((f"row {n}",))
            with cur.copy(f"copy (select t from d order by id limit 3) to stdout {options}") as out:
                out.set_types(["text"])
                equal([r[0] for r in out.rows()], ["row 0", "row 1", "row 2"])
            c.rollback()

    run("COPY as text", lambda: copy(""))
    run("COPY in binary", lambda: copy("(format binary)"))

    def cursor():
        with psycopg.connect(DSN) as c, c.cursor(name="n", scrollable=True) as cur:
            cur.execute("select * from generate_series(1, 100)")
            equal(cur.fetchmany(3), [(1,), (2,), (3,)])
            cur.scroll(10)
            equal(cur.fetchone(), (14,))

    run("a named cursor", cursor)

    def cancel():
        with psycopg.connect(DSN) as c:
            timer = threading.Timer(0.3, c.cancel_safe)
            timer.start()
            try:
                c.execute("select pg_sleep(60)")
            except psycopg.errors.QueryCanceled:
                return
            raise AssertionError("it was not canceled")

    run("cancel", cancel)

    def notify():
        conn.execute("listen ch")
        with psycopg.connect(DSN, autocommit=True) as c:
            c.execute("select pg_notify('ch', 'hello')")
        equal([n.payload for n in conn.notifies(timeout=10, stop_after=1)], ["hello"])

    run("notifications", notify)

    def savepoints():
        with psycopg.connect(DSN) as c:
            try:
                with c.transaction():
                    c.execute("insert into d (t) values ('x')")
                    with c.transaction():
                        c.execute("select 1/0")
            except psycopg.errors.DivisionByZero:
                pass
            equal(c.execute("select 1").fetchone(), (1,))

    run("transactions in transactions", savepoints)
    conn.close()


def with_psycopg2():
    name, version = "psycopg2", psycopg2.__version__.split()[0]
    conn = psycopg2.connect(DSN)
    cur = conn.cursor()

    def types():
        for ty, value in VALUES:
            value = str(value) if ty == "uuid" else value
            cur.execute(f"select %s::{ty}", (value,))
            got = cur.fetchone()[0]
            equal(bytes(got) if ty == "bytea" else got, value)

    check(name, version, "types", types)

    def cursor():
        with conn.cursor("n") as named:
            named.itersize = 10
            named.execute("select * from generate_series(1, 35)")
            equal(sum(r[0] for r in named), 630)

    check(name, version, "a named cursor", cursor)

    def copy():
        import io

        cur.copy_expert("copy d (t) from stdin with csv", io.StringIO("a\n\"b,c\"\n"))
        out = io.StringIO()
        cur.copy_expert("copy (select t from d order by id) to stdout with csv", out)
        equal(out.getvalue(), 'a\n"b,c"\n')
        conn.rollback()

    check(name, version, "COPY", copy)
    conn.close()


async def with_asyncpg():
    name, version = "asyncpg", asyncpg.__version__
    conn = await asyncpg.connect(host=HOST, port=PORT, user="postgres", database="postgres")
    loop = asyncio.get_running_loop()

    async def run(what, body):
        try:
            await body()
            failure = None
        except Exception as e:
            failure = e

        def again():
            if failure:
                raise failure

        check(name, version, what, again)

    async def types():
        for ty, value in VALUES:
            equal(await conn.fetchval(f"select $1::{ty}", value), value)

    async def copy():
        rows = [("ok", f"t{n}", None) for n in range(500)]
        await conn.copy_records_to_table("d", records=rows, columns=["m", "t", "j"])
        equal(await conn.fetchval("select count(*) from d where m = 'ok'"), 500)

    async def cursor():
        async with conn.transaction():
            c = await conn.cursor("select g from generate_series(1, 50) g")
            equal([r[0] for r in await c.fetch(2)], [1, 2])
            equal(await c.forward(5), 5)
            equal((await c.fetchrow())[0], 8)

    async def notify():
        heard = loop.create_future()
        await conn.add_listener("ch", lambda *a: heard.done() or heard.set_result(a[3]))
        await conn.execute("notify ch, 'hi'")
        equal(await asyncio.wait_for(heard, 10), "hi")

    async def pool():
        async with asyncpg.create_pool(host=HOST, port=PORT, user="postgres", database="postgres", min_size=2) as p:
            equal(await asyncio.gather(*(p.fetchval("select $1::int", n) for n in range(20))), list(range(20)))

    async def timeout():
        try:
            await conn.fetchval("select pg_sleep(60)", timeout=0.3)
        except asyncio.TimeoutError:
            equal(await conn.fetchval("select 1"), 1)
            return
        raise AssertionError("it was not canceled")

    for what, body in [
        ("types", types),
        ("COPY in binary", copy),
        ("a cursor", cursor),
        ("notifications", notify),
        ("a pool with its resets", pool),
        ("cancel", timeout),
    ]:
        await run(what, body)
    await conn.close()


def with_pg8000():
    name, version = "pg8000", getattr(pg8000, "__version__", "?")
    conn = pg8000.native.Connection("postgres", host=HOST, port=PORT, database="postgres")

    def types():
        for ty, value in VALUES:
            equal(conn.run(f"select cast(:v as {ty})", v=value)[0][0], value)

    check(name, version, "types", types)

    def prepared():
        s = conn.prepare("select cast(:a as int) + 1")
        equal([s.run(a=n)[0][0] for n in range(5)], [1, 2, 3, 4, 5])
        s.close()

    check(name, version, "prepared statements", prepared)
    conn.close()


with_psycopg()
with_psycopg2()
asyncio.run(with_asyncpg())
with_pg8000()
