"""Writes how each test of the run ended, and when it ran where, into the file that `tools/run_tests.py` names."""

import json
import os
from pathlib import Path

import pytest

FILE = os.environ.pop("TENUTO_TEST_RESULTS", None)  # not for a pytest that a test starts


class Results:
    """Of the process that reports: the controller of parallel processes, or the only one."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._outcomes: dict[str, str] = {}
        self._times: dict[str, tuple[str, float, float]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid
        if report.failed or self._outcomes.get(name) in (None, "passed"):  # of set-up, call and teardown, the worst
            self._outcomes[name] = report.outcome
        process = getattr(report, "node", None)  # None in a run of one process
        _, began, _ = self._times.get(name, ("", report.start, 0.0))
        self._times[name] = (process.gateway.id if process else "", began, report.stop)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._outcomes[report.nodeid] = "failed"

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        by_outcome = {
            kind: [name for name, outcome in self._outcomes.items() if outcome == kind]
            for kind in ("passed", "failed", "skipped")
        }
        self._file.write_text(json.dumps({**by_outcome, "times": self._times}))


def write_results(config: pytest.Config) -> None:
    if FILE and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Results(Path(FILE)))
