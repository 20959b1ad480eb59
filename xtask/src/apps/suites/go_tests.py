"""Runs the tests of the Go packages named, as they are, and writes what became of each into the file RESULTS. Of a test in parts each part counts, and the whole does not."""
import collections
import json
import os
import subprocess
import sys

tests, said = {}, collections.defaultdict(list)
# A failure elsewhere is no test's.
broken = False
go = subprocess.Popen(["go", "test", "-p", "1", "-json", *sys.argv[1:]], stdout=subprocess.PIPE, text=True)
for line in go.stdout:
    sys.stdout.write(line)
    if not line.startswith("{"):
        continue
    event = json.loads(line)
    name, action = event.get("Test"), event["Action"]
    test = f"{event.get('Package', '').rsplit('/', 1)[-1]}.{name}"
    if name is None:
        broken |= action == "build-fail"
    elif action == "output":
        said[test].append(event["Output"])
    elif action in ("pass", "fail", "skip"):
        tests[test] = action
go.wait()

wholes = {test.rsplit("/", n)[0] for test in tests for n in range(1, test.count("/") + 1)}
with open(os.environ["RESULTS"], "w") as results:
    for test in sorted(tests.keys() - wholes):
        how = {"pass": "ok", "fail": "failed", "skip": "skipped"}[tests[test]]
        lines = [line.strip() for line in said[test] if "rror" in line or "_test.go" in line]
        why = next((line for line in lines if "ERROR:" in line or "pq: " in line), lines[-1] if lines else "")
        results.write(f"{how}\t{test}\t{' '.join(why.split())[:200] if how == 'failed' else ''}\n")
sys.exit(2 if broken or not tests else min(go.returncode, 1))
