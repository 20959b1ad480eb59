#!/usr/bin/env python3
"""Asks a real PostgreSQL 18 for the answers of the golden files and rewrites them in place.

Needs psycopg 3 (`pip install "psycopg[binary]"`) and a database made with
    create database golden template template0 locale_provider builtin builtin_locale 'C.UTF-8' encoding 'UTF8' locale 'C';
Usage: regenerate.py CONNECTION-STRING FILE...
"""
import sys
import psycopg
from psycopg.pq import DiagnosticField, ExecStatus

conn = psycopg.connect(sys.argv[1], autocommit=True).pgconn


def ask(sql):
    r = conn.exec_(sql.encode())
    if r.status == ExecStatus.TUPLES_OK:
        v = r.get_value(0, 0)
        return "NULL" if v is None else v.decode().replace("\n", "\\n")
    if r.status == ExecStatus.COMMAND_OK:
        return ""
    field = lambda f: r.error_field(f).decode()
    return f"ERROR: {field(DiagnosticField.SQLSTATE)}: {field(DiagnosticField.MESSAGE_PRIMARY)}"


for path in sys.argv[2:]:
    for s in ("timezone = 'UTC'", "datestyle = 'ISO, MDY'", "intervalstyle = postgres", "extra_float_digits = 1", "bytea_output = hex"):
        ask("set " + s)
    out = []
    for line in open(path).read().split("\n"):
        if line.startswith("=> "):
            continue
        out.append(line)
        if line.startswith("set "):
            answer = ask(line)
            assert not answer, answer
        elif line and not line.startswith(("#", "!>")):
            out.append("=> " + ask("SELECT " + line))
    open(path, "w").write("\n".join(out))
