"""dbt: a project built, built again over changed data, documented; what it says of each node, and what its catalog has of the columns."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version

import psycopg
from checks import DSN, check, equal

NAME, VERSION = "dbt-postgres", version("dbt-postgres")
place = pathlib.Path(tempfile.mkdtemp()) / "shop"
shutil.copytree(pathlib.Path(__file__).parent / "shop", place)
dbt = pathlib.Path(sys.executable).parent / "dbt"
settings = dict(os.environ, DBT_PROFILES_DIR=str(place), DBT_SEND_ANONYMOUS_USAGE_STATS="0")
with psycopg.connect(DSN, autocommit=True) as c:
    c.execute("drop schema if exists dbt_shop cascade")


def run(*args):
    """The status of each node."""
    p = subprocess.run([dbt, "--no-use-colors", "--no-version-check", *args], cwd=place, env=settings, capture_output=True, text=True)
    assert p.returncode == 0, "; ".join(line for line in p.stdout.splitlines() if "rror" in line)[-600:]
    results = json.loads((place / "target/run_results.json").read_text())["results"]
    return {r["unique_id"].split(".")[2]: r["status"] for r in results}


def built():
    found = run("build", "--full-refresh")
    equal(len(found), 14)
    equal(set(found.values()), {"success", "pass"})


def again():
    equal(set(run("build").values()), {"success", "pass"})


def changed():
    seed = place / "seeds/customers.csv"
    seed.write_text("".join(line for line in seed.read_text().replace("Bob,FR", "Bob,IT").splitlines(True) if not line.startswith("3,")))
    equal(set(run("build").values()), {"success", "pass"})
    with psycopg.connect(DSN) as c:
        rows = c.execute("select id, country, dbt_valid_to is null from dbt_shop.customers_then order by id, dbt_valid_from").fetchall()
    equal(rows, [(1, "DE", True), (2, "FR", False), (2, "IT", True), (3, None, False)])


def documented():
    run("docs", "generate")
    nodes = json.loads((place / "target/catalog.json").read_text())["nodes"]
    totals = nodes["model.shop.totals"]
    equal((totals["metadata"]["type"], totals["metadata"]["comment"]), ("BASE TABLE", "totals of customers"))
    equal([(c["name"], c["type"], c["comment"]) for c in totals["columns"].values()], [("customer", "integer", "who"), ("n", "bigint", None), ("total", "double precision", None)])
    equal(nodes["model.shop.countries"]["metadata"]["type"], "MATERIALIZED VIEW")
    equal(nodes["model.shop.stg_customers"]["metadata"]["type"], "VIEW")


for body, name in [(built, "build"), (again, "build again"), (changed, "build of changed data"), (documented, "docs generate")]:
    check(NAME, VERSION, name, body)
