"""Fails a whole run in which no test called some public SQL function.

A call is a statement with `tenuto.<name>(` that psycopg executed in a process of pytest: for a test itself, or for the
servers, workers and clients that run in its threads. Calls by processes that tests start are not seen.
"""

import re
from typing import Any

import psycopg
import pytest
from psycopg.sql import Composable

from tests.contracts.test_wrappers import wrappers

CALL = re.compile(rb"\btenuto\.([a-z]\w*)\s*\(")


class CalledFunctions:
    """In each process of the run. The one that reports gets the names from the others."""

    def __init__(self) -> None:
        self._statements: set[bytes] = set()
        self._called: set[str] = set()
        self._missing: list[str] = []
        for cursor in (psycopg.Cursor, psycopg.AsyncCursor):
            for method in ("execute", "executemany", "stream", "copy"):
                setattr(cursor, method, self._recorded(getattr(cursor, method)))

    def _recorded(self, method: Any) -> Any:
        def call(cursor: Any, query: Any, *arguments: Any, **options: Any) -> Any:
            text = query.as_bytes(cursor) if isinstance(query, Composable) else query
            text = text.encode() if isinstance(text, str) else bytes(text)
            if text not in self._statements:
                self._statements.add(text)
                self._called.update(name.decode() for name in CALL.findall(text))
            return method(cursor, query, *arguments, **options)

        return call

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._called.update(getattr(node, "workeroutput", {}).get("called_functions", ()))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
        if output is not None:  # of a process that does not report
            output["called_functions"] = sorted(self._called)
        elif _is_whole(session.config):
            self._missing = sorted(set(wrappers()) - self._called)
            if self._missing:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._missing:
            terminalreporter.write_line(
                f"No test called these public SQL functions: {', '.join(self._missing)}", red=True
            )


def _is_whole(config: pytest.Config) -> bool:
    chosen = any(config.getoption(name, default=None) for name in ("keyword", "deselect", "last_failed"))
    whole = config.getoption("markexpr") in config.getini("addopts") and config.args == config.getini("testpaths")
    return whole and not chosen
