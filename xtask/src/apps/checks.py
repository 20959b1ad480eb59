"""What the scripts beside this share: a check has a name, and passes unless it raises."""
import os
import sys
import traceback

HOST, PORT = "127.0.0.1", int(os.environ["PGPORT"])
DSN = f"host={HOST} port={PORT} user=postgres dbname=postgres"


def check(client, version, name, body):
    try:
        body()
    except Exception as e:  # whatever a client raises is its answer
        where = traceback.extract_tb(sys.exc_info()[2])[-1]
        why = " ".join(str(e).split())[:160]
        print(f"FAILED\t{client}\t{version}\t{name}\t{type(e).__name__}: {why} ({os.path.basename(where.filename)}:{where.lineno})")
    else:
        print(f"ok\t{client}\t{version}\t{name}\t")


def equal(got, wanted):
    assert got == wanted, f"{got!r} is not {wanted!r}"
