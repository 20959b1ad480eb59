"""SQLAlchemy: tables made, read back from the catalogs, and used; what Alembic finds to migrate, forth and back."""
import enum

import alembic
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata, produce_migrations
from alembic.migration import MigrationContext
from alembic.operations import Operations
from checks import HOST, PORT, check, equal
from sqlalchemy.dialects import postgresql as pg

NAME, VERSION = "SQLAlchemy", sa.__version__
engine = sa.create_engine(f"postgresql+psycopg://postgres@{HOST}:{PORT}/postgres")


class Kind(enum.Enum):
    a = 1
    b = 2


made = sa.MetaData()
T = sa.Table(
    "sa_t",
    made,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("kind", sa.Enum(Kind), nullable=False),
    sa.Column("data", pg.JSONB),
    sa.Column("words", pg.ARRAY(sa.Text)),
    sa.Column("key", sa.Uuid, server_default=sa.text("gen_random_uuid()")),
    sa.Column("parent", sa.ForeignKey("sa_t.id", ondelete="CASCADE")),
    sa.Column("twice", sa.Integer, sa.Computed("id * 2", persisted=True)),
    sa.Index("sa_part", "parent", postgresql_where=sa.text("parent is not null")),
    sa.Index("sa_gin", "data", postgresql_using="gin"),
    sa.UniqueConstraint("kind", "parent", name="sa_unique"),
    sa.CheckConstraint("id > 0", name="sa_positive"),
    comment="a table",
)


def create():
    made.drop_all(engine)
    made.create_all(engine)


def reflect():
    read = sa.MetaData()
    read.reflect(engine, only=["sa_t"])
    equal([c.name for c in read.tables["sa_t"].columns], [c.name for c in T.columns])
    i = sa.inspect(engine)
    equal(sorted(x["name"] for x in i.get_indexes("sa_t")), ["sa_gin", "sa_part", "sa_unique"])
    equal([x["name"] for x in i.get_unique_constraints("sa_t")], ["sa_unique"])
    equal([x["name"] for x in i.get_check_constraints("sa_t")], ["sa_positive"])
    equal(i.get_foreign_keys("sa_t")[0]["options"], {"ondelete": "CASCADE"})
    equal(i.get_table_comment("sa_t"), {"text": "a table"})
    equal(i.get_enums()[0]["labels"], ["a", "b"])


def use():
    with engine.begin() as c:
        c.execute(T.insert(), [{"kind": Kind.a, "data": {"x": [1]}, "words": ["u"]}, {"kind": Kind.b, "data": {}, "words": []}])
        equal(c.execute(sa.select(T.c.kind, T.c.twice).where(T.c.data.contains({"x": [1]}))).all(), [(Kind.a, 2)])
        insert = pg.insert(T).values(id=1, kind=Kind.b).on_conflict_do_update(index_elements=["id"], set_={"words": ["new"]})
        equal(c.execute(insert.returning(T.c.words)).scalar(), ["new"])
        rank = sa.func.row_number().over(order_by=T.c.id.desc())
        equal(c.execute(sa.select(T.c.id, rank).order_by(T.c.id)).all(), [(1, 2), (2, 1)])


def schema(later):
    """Tables of an application, as they are and as they are to be later."""
    m = sa.MetaData()
    sa.Table(
        "al_parent",
        m,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(40 if later else 20), nullable=not later, comment="c" if later else None),
        sa.UniqueConstraint("name", name="al_name"),
    )
    now = [sa.Column("old", sa.Text)]
    new = [sa.Column("at", sa.DateTime(timezone=True), server_default=sa.func.now()), sa.Column("data", pg.JSONB)]
    sa.Table(
        "al_child",
        m,
        sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
        sa.Column("parent", sa.ForeignKey("al_parent.id", ondelete="CASCADE" if later else None, name="al_fk")),
        sa.Column("price", sa.Numeric(12 if later else 10, 2), server_default="0"),
        *(new if later else now),
        sa.Index("al_index", "parent", unique=later),
        comment="children" if later else None,
    )
    if later:
        uuid, words = sa.Column("a", sa.Uuid, primary_key=True), sa.Column("b", pg.ARRAY(sa.Text))
        sa.Table("al_new", m, uuid, words, sa.CheckConstraint("b is not null", name="al_check"))
    return m


def migrations():
    now, later = schema(False), schema(True)

    def context(c):
        ours = lambda o, name, kind, *_: kind != "table" or name.startswith("al_")
        opts = {"compare_type": True, "compare_server_default": True, "include_object": ours}
        return MigrationContext.configure(c, opts=opts)

    def apply(operations, op):
        if hasattr(op, "ops"):
            for each in op.ops:
                apply(operations, each)
        else:
            operations.invoke(op)

    with engine.connect() as c:
        later.drop_all(c)
        now.create_all(c)
        equal(compare_metadata(context(c), now), [])
        equal(len(compare_metadata(context(c), later)), 11)
        for script, wanted in [("upgrade_ops", later), ("downgrade_ops", now)]:
            ctx = context(c)
            found = produce_migrations(ctx, later) if wanted is later else found
            apply(Operations(ctx), getattr(found, script))
            c.commit()
            equal(compare_metadata(context(c), wanted), [])
        now.drop_all(c)
        c.commit()


check(NAME, VERSION, "create tables", create)
check(NAME, VERSION, "read them back", reflect)
check(NAME, VERSION, "change and ask", use)
check(NAME, VERSION, "drop tables", lambda: made.drop_all(engine))
check("Alembic", alembic.__version__, "autogenerate, forth and back", migrations)
