"""Runs pytest again and again in one process: a line of JSON says which tests, a line says how they ended."""

import io
import json
import os
import sys
from collections import Counter
from contextlib import redirect_stdout
from typing import Any

import pytest

# Hypothesis takes longer to import than a test to run.
FLAGS = ("-q", "--no-header", "--tb=short", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:xdist")


class Summary:
    """Counts how the tests of one call ended."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.outcomes["failed" if report.when == "call" else "error"] += 1
        elif report.when == "call":
            self.outcomes[report.outcome] += 1

    def __str__(self) -> str:
        return ", ".join(f"{count} {outcome}" for outcome, count in sorted(self.outcomes.items())) or "no tests ran"


def run(tests: list[str], planted: str | None) -> dict[str, Any]:
    os.environ.pop("TENUTO_TEST_PLANTED", None)
    if planted is not None:
        os.environ["TENUTO_TEST_PLANTED"] = planted
    summary, output = Summary(), io.StringIO()
    with redirect_stdout(output):
        pytest.main([*FLAGS, *tests], plugins=[summary])
    return {"summary": str(summary), "output": output.getvalue()}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what tests print does not get between the answers
    for line in sys.stdin:
        print(json.dumps(run(**json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
