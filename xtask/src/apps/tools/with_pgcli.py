"""pgcli: what it reads of the catalog to complete names, and its commands with a backslash."""
from importlib.metadata import version

import psycopg
from checks import DSN, HOST, PORT, check, equal
from pgcli.pgexecute import PGExecute
from pgspecial.main import PGSpecial

NAME, VERSION = "pgcli", version("pgcli")
SCHEMA = """
drop view if exists cli_v; drop table if exists cli_b, cli_a cascade; drop type if exists cli_kind cascade; drop domain if exists cli_word;
create type cli_kind as enum ('x', 'y');
create domain cli_word as varchar(10) check (value <> '');
create table cli_a (id int generated always as identity primary key, kind cli_kind not null default 'x', word cli_word, n numeric(10, 2) default 1.5, g int generated always as (n::int * 2) stored, constraint cli_positive check (n > 0));
create table cli_b (a int, b text, aid int not null references cli_a on delete cascade, primary key (a, b));
create index cli_i on cli_b (lower(b), a desc nulls last) include (aid) where a > 3;
create view cli_v as select cli_a.id, cli_b.b from cli_a join cli_b on cli_b.aid = cli_a.id;
"""
with psycopg.connect(DSN, autocommit=True) as c:
    c.execute(SCHEMA)
executor = PGExecute("postgres", "postgres", "", HOST, PORT, None)


def named(found):
    return [tuple(x) for x in found if "cli_" in str(x)]


def completions():
    equal(named(executor.tables()), [("public", "cli_a"), ("public", "cli_b")])
    equal(named(executor.views()), [("public", "cli_v")])
    columns = {(c[1], c[2]): c[3:] for c in named(executor.table_columns())}
    equal(columns["cli_a", "g"], ("integer", True, "n::integer * 2"))
    equal(columns["cli_a", "kind"], ("cli_kind", True, "'x'::cli_kind"))
    equal([f[1:] for f in named(executor.foreignkeys())], [("cli_a", "id", "public", "cli_b", "aid")])
    equal(sorted(named(executor.datatypes())), [("public", "cli_kind"), ("public", "cli_word")])
    assert any(f.func_name == "lower" for f in executor.functions())
    equal("CREATE OR REPLACE VIEW" in executor.view_definition("cli_v"), True)


def told(command):
    (title, rows, head, status, *_), = executor.run(command, pgspecial=PGSpecial())
    return [tuple(r) for r in rows or []], status


def commands():
    rows, status = told("\\d cli_a")
    equal(rows[1], ("kind", "cli_kind", " not null default 'x'::cli_kind"))
    equal("CHECK (n > 0::numeric)" in status, True)
    equal('"cli_i" btree (lower(b), a DESC NULLS LAST) INCLUDE (aid) WHERE a > 3' in told("\\d cli_b")[1], True)
    equal([r[1] for r in told("\\dt cli_*")[0]], ["cli_a", "cli_b"])
    equal([r[:2] for r in told("\\dT cli_*")[0]], [("public", "cli_kind"), ("public", "cli_word")])
    for command in ["\\d", "\\d+ cli_a", "\\d+ cli_v", "\\dt+ cli_*", "\\dv", "\\di", "\\ds", "\\dT+", "\\dD", "\\df lower", "\\dn", "\\dn+", "\\du", "\\l", "\\dx", "\\dp cli_*", "\\ddp", "\\db", "\\dm", "\\dE", "\\dF"]:
        told(command)


check(NAME, VERSION, "names to complete", completions)
check(NAME, VERSION, "commands", commands)
