"""Writes what became of each test that pytest runs into the file RESULTS: a plugin of pytest, and what other plugins use."""
import os

results = open(os.environ["RESULTS"], "w")


def write(report, name):
    if report.passed and report.when != "call":
        return
    lines = str(report.longrepr or "").strip().splitlines()
    why = next((line for line in reversed(lines) if "Error" in line), lines[-1] if lines else "")
    how = {"passed": "ok", "failed": "failed", "skipped": "skipped"}[report.outcome]
    results.write(f"{how}\t{name}\t{' '.join(why.split())[:200] if how == 'failed' else ''}\n")
    results.flush()


def named_by_file(report):
    file, test = report.nodeid.split("::", 1)
    return f"{os.path.basename(file).removesuffix('.py')}.{test.replace('::', '.')}"


def pytest_runtest_logreport(report):
    write(report, named_by_file(report))
