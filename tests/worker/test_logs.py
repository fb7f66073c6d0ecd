"""Log lines of attempts: whatever is logged, user code goes on and every line can be stored."""

import json
import logging
import socket
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tenuto.model import text as texts
from tenuto.runtimes.process_child import SendLogs
from tenuto.sdk.context.current_attempt import running
from tenuto.worker.execution import logs
from tenuto.worker.execution.logs import LogBuffer


@pytest.fixture
def attempt() -> Iterator[Any]:
    made: Any = SimpleNamespace(task_id="t", run_id="r", no=1, cancelled=False, metadata=None, lines=0)
    mark = running.set(made)
    yield made
    running.reset(mark)


class Unspeakable:
    def __str__(self) -> str:
        raise ValueError("no words")


class GoneLine:
    """The line to a worker that is gone."""

    def send(self, message: dict[str, Any]) -> None:
        ours, theirs = socket.socketpair()
        theirs.close()
        with ours:
            ours.sendall(json.dumps(message).encode())


def send_logs() -> SendLogs:
    line: Any = GoneLine()
    return SendLogs(line)


def logger_to(handler: logging.Handler) -> logging.Logger:
    logger = logging.Logger("test")
    logger.addHandler(handler)
    return logger


@pytest.mark.parametrize("place", ["here", "in a process"])
def test_no_line_holds_the_value_of_a_secret(place: str, attempt, monkeypatch):
    monkeypatch.setattr(texts, "_hidden", [])
    texts.hide("canary-value")
    sent: list[Any] = []
    channel: Any = SimpleNamespace(send=sent.append)
    handler = LogBuffer() if place == "here" else SendLogs(channel)

    logger_to(handler).info("hello %s", "canary-value", extra={"token": "canary-value"})

    lines = handler.take() if isinstance(handler, LogBuffer) else sent
    assert "hello ***" in str(lines)
    assert "canary" not in str(lines)


@pytest.mark.parametrize("make", [LogBuffer, send_logs], ids=["here", "in a process"])
@pytest.mark.parametrize("arguments", [("%d", "x"), ("%s", Unspeakable())])
def test_a_line_that_cannot_be_written_does_not_stop_the_code_that_logs_it(make, arguments, attempt, capsys):
    logger_to(make()).info(*arguments)
    assert "--- Logging error ---" in capsys.readouterr().err


def test_a_worker_that_is_gone_does_not_stop_the_code_that_logs(attempt, capsys):
    logger_to(send_logs()).info("hello")
    assert "BrokenPipeError" in capsys.readouterr().err


def test_messages_and_fields_are_made_storable(attempt):
    buffer = LogBuffer()
    logger_to(buffer).info("a\x00b\udc80", extra={"k\x00": "v\x00\udc80"})
    (line,) = buffer.take()
    assert (line["message"], line["fields"]) == ("a\\0b?", {"k\\0": "v\\0?"})


def test_what_a_process_logs_is_made_storable_and_cut(attempt):
    buffer = LogBuffer()
    buffer.add(attempt, "info", "x" * 100_000, {"k": "\x00", "n": 1}, 0.0)
    (line,) = buffer.take()
    assert (line["message"], line["fields"]) == ("x" * 8192, {"k": "\\0", "n": "1"})


def test_what_a_process_logs_beyond_the_bound_of_its_attempt_is_left_out(attempt):
    buffer = LogBuffer()
    attempt.lines = logs.MAX_LINES_PER_ATTEMPT - 1
    for text in ("last", "beyond"):
        buffer.add(attempt, "info", text, None, 0.0)
    assert [line["message"] for line in buffer.take()] == ["last"]


def test_no_more_lines_wait_here_than_fit(attempt):
    buffer = LogBuffer()
    buffer.put_back([{}] * logs.MAX_WAITING_LINES)
    buffer.add(attempt, "info", "beyond", None, 0.0)
    assert attempt.lines == 0
