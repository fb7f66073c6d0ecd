"""The process inside a sandbox: loads the code, runs one attempt and reports its outcome."""

import importlib
import io
import json
import logging
import signal
import socket
import sys
import time
from typing import Any, cast

from tenuto.model.errors import TooLarge
from tenuto.model.json import JsonObject
from tenuto.runtimes.outcomes import Failed, Outcome, describe, to_json
from tenuto.runtimes.process_child import SendLogs, WorkerChannel, run_one
from tenuto.runtimes.sandbox.spec import MB, Spec
from tenuto.sdk.app_loader import BadTarget, load_apps
from tenuto.sdk.options import TaskOptions
from tenuto.sdk.retries import NEVER
from tenuto.sdk.task import Task

MAX_LINE_BYTES = 16 * MB  # per message, including the result


class BoundedChannel(WorkerChannel):
    """A connection that raises TooLarge for a message that is too large. If the message were sent, the worker would end
    the sandbox."""

    def send(self, message: JsonObject) -> None:
        size = len(json.dumps(message))
        if size >= MAX_LINE_BYTES:
            raise TooLarge(
                f"{size:,} bytes are more than the maximum of one message of a sandbox, {MAX_LINE_BYTES:,}",
                "send parts",
            )
        super().send(message)


class Printed(io.TextIOBase):
    """Turns printed text into log lines of the attempt."""

    def __init__(self, channel: WorkerChannel, level: str) -> None:
        self._channel, self._level, self._rest = channel, level, ""

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        *whole, self._rest = (self._rest + text).split("\n")
        for text_line in whole:
            self._send(text_line)
        if len(self._rest) > 8192:
            self.flush_rest()
        return len(text)

    def flush_rest(self) -> None:
        rest, self._rest = self._rest, ""
        if rest:
            self._send(rest)

    def _send(self, text: str) -> None:
        self._channel.send({"log": [self._level, text, None, time.time()]})


def main(connection: socket.socket, spec: Spec) -> None:
    sys.dont_write_bytecode = True
    sys.path[:0] = [path for path in spec.path if path not in sys.path]
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    if spec.trial:
        connection.sendall(b'{"ready": true}\n')
        return
    channel = BoundedChannel(connection)
    printed = [Printed(channel, "info"), Printed(channel, "error")]
    sys.stdout, sys.stderr = printed  # type: ignore[assignment]
    logging.basicConfig(level=logging.INFO, handlers=[SendLogs(channel)], force=True)
    channel.send({"ready": True})
    if (message := channel.attempts.get()) is None:
        return
    try:
        outcome = _run(channel, spec, message)
        for stream in printed:
            stream.flush_rest()
        channel.send({"outcome": to_json(outcome)})
    except TooLarge as problem:
        channel.send({"outcome": to_json(Failed(describe(problem), NEVER))})
    except BaseException as problem:  # user code may have broken anything that is used here
        channel.send({"outcome": to_json(Failed(describe(problem)))})


def _run(channel: WorkerChannel, spec: Spec, message: dict[str, Any]) -> Outcome:
    try:
        task = _load(spec, message["run"])
    except BaseException as problem:  # including exceptions that should end the process
        return Failed(describe(problem))
    return run_one(channel, task, message)


def _load(spec: Spec, name: str) -> Task[..., Any]:
    if spec.code.targets:
        task = load_apps(spec.code.targets).tasks[name]
        task.use_middleware(())  # middleware may use what start-up hooks open, which a sandbox cannot reach
        return task
    module, _, function = (spec.code.entry or "").partition(":")
    try:
        target = getattr(importlib.import_module(module), function)
    except Exception as error:
        raise BadTarget(f"{spec.code.entry} cannot be imported: {type(error).__name__}: {error}") from error
    if isinstance(target, Task):
        return cast(Task[..., Any], target)
    if not callable(target):
        raise BadTarget(f"{spec.code.entry} is not a function")
    return Task(name, target, TaskOptions())
