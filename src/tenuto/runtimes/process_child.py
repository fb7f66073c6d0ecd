"""The child side of the process runtime: `python -m tenuto.runtimes.process_child FD SETTINGS`."""

import asyncio
import inspect
import itertools
import json
import logging
import queue
import socket
import sys
from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any, cast

from tenuto.model.errors import BY_CODE, StaleLease
from tenuto.model.log_output import LogOutput
from tenuto.model.text import redact
from tenuto.runtimes.background import BackgroundTasks
from tenuto.runtimes.base import Attempt
from tenuto.runtimes.child_logging import log_with_tasks
from tenuto.runtimes.code_version import code_version
from tenuto.runtimes.invoke import classify, invoke_async, invoke_sync
from tenuto.runtimes.json_lines import JsonLinesSocket, Message
from tenuto.runtimes.outcomes import Blocked, Interrupted, Outcome, to_json
from tenuto.runtimes.process_hooks import StartupFailed, shut_down_in_thread, start_up_in_thread
from tenuto.runtimes.process_lifetime import die_with_parent, ignore_signals, make_undumpable
from tenuto.sdk.app import App
from tenuto.sdk.app_loader import BadTarget, load_apps
from tenuto.sdk.context.current_attempt import running
from tenuto.sdk.task import AnyTask, Task


class WorkerChannel(JsonLinesSocket):
    """The connection to the worker. Messages are read in a separate thread; functions run in the main thread."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__(connection)
        self._numbers = itertools.count(1)
        self._replies: dict[int, asyncio.Future[Any]] = {}
        self.loop = asyncio.new_event_loop()
        self.attempts: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self.current: Attempt | None = None
        self.org = ""  # of the current attempt
        parts = BackgroundTasks()
        parts.thread("line", self._read).start()
        parts.thread("loop", self.loop.run_forever).start()

    async def call(self, verb: str, **arguments: Any) -> Any:
        no = next(self._numbers)
        reply = self._replies[no] = self.loop.create_future()
        try:
            self.send({"call": no, "verb": verb, "arguments": arguments})
            return await reply
        finally:
            del self._replies[no]

    def _read(self) -> None:
        while (message := self.receive()) is not None:
            if "run" in message:
                self.attempts.put(message)
            elif "response" in message:
                self.loop.call_soon_threadsafe(self._handle_reply, message)
            elif self.current is not None:
                self.current.cancelled = True
                self.current.stop = Interrupted()  # the worker decides on the actual outcome
        self.attempts.put(None)

    def _handle_reply(self, message: dict[str, Any]) -> None:
        reply = self._replies.get(message["response"])
        if reply is None:
            return
        if "value" in message:
            reply.set_result(message["value"])
            return
        kind = BY_CODE.get(message["code"] or "")
        reply.set_exception(kind(message["message"], message["hint"]) if kind else RuntimeError(message["message"]))


class ChannelApi:
    """The calls of one attempt. The next attempt uses the same channel, so calls of code that a finished attempt left
    running are rejected."""

    def __init__(self, channel: WorkerChannel, attempt: Attempt) -> None:
        self._channel, self._attempt, self.org = channel, attempt, channel.org

    async def call(self, verb: str, **arguments: Any) -> Any:
        if self._channel.current is not self._attempt:
            raise StaleLease(f"attempt {self._attempt.no} of task {self._attempt.task_id} has ended")
        return await self._channel.call(verb, **arguments)

    def send(self, verb: str, **arguments: Any) -> None:
        if self._channel.current is self._attempt:
            self._channel.send({"send": verb, "arguments": arguments})


class SendLogs(logging.Handler):
    """Sends log lines to the worker while a function runs."""

    def __init__(self, channel: WorkerChannel) -> None:
        super().__init__(logging.DEBUG)
        self._channel = channel

    def emit(self, record: logging.LogRecord) -> None:
        if running.get() is None:
            return
        try:
            message = redact(record.getMessage())
            self._channel.send({"log": [record.levelname.lower(), message, None, record.created]})
        except Exception:  # logging must not break user code
            self.handleError(record)


def run_one(channel: WorkerChannel, task: Task[..., Any], message: dict[str, Any]) -> Outcome:
    """Run the attempt that the worker sent; return its outcome."""
    attempt = channel.current = _attempt_of(message, task)
    channel.org = message["org"]
    running.set(attempt)
    try:
        if inspect.iscoroutinefunction(task.function):
            return asyncio.run_coroutine_threadsafe(_invoke_async(channel, attempt), channel.loop).result()
        return invoke_sync(attempt, lambda attempt: ChannelApi(channel, attempt), channel.loop)
    except BaseException as error:  # the code cancelled every asyncio task
        return classify(attempt, error)
    finally:
        running.set(None)
        channel.current = None


async def _invoke_async(channel: WorkerChannel, attempt: Attempt) -> Outcome:
    running.set(attempt)
    return await invoke_async(attempt, lambda attempt: ChannelApi(channel, attempt))


def _attempt_of(message: dict[str, Any], task: Task[..., Any]) -> Attempt:
    names = ("task_id", "no", "run_id", "route_id", "input", "slots", "timeout", "metadata", "root_id")
    attempt = Attempt((None, *(message.get(name) for name in names)), task, 0.0)
    attempt.failures, attempt.number = message["failures"], message["number"]
    return attempt


def _task(app: App, message: Message) -> AnyTask:
    """Return the task to run. Operators are loaded with the first task of a job, because most processes run no jobs."""
    name = message["run"]
    if name not in app.tasks and message["jobs"]:
        jobs = message["jobs"]
        operators = cast("Callable[..., App]", resolve_name(jobs["operators"]))
        app.tasks.update(operators(jobs["storage"], jobs["allowed_hosts"], functions=app.functions).tasks)
    return app.tasks[name]


def main(fd: int, settings: dict[str, Any]) -> None:
    die_with_parent()
    if settings["undumpable"]:
        make_undumpable()
    ignore_signals()
    log_with_tasks(LogOutput.from_json(settings["log"]))
    channel = WorkerChannel(socket.socket(fileno=fd))
    try:
        app = load_apps(settings["targets"])
        version = code_version(app) if settings["hashes_code"] else None  # now: the files may change later
        start_up_in_thread(app.hooks, channel.loop)
    except (BadTarget, StartupFailed) as problem:
        channel.send({"failed": str(problem)})
        raise
    logging.getLogger().addHandler(SendLogs(channel))
    channel.send({"ready": True})
    while (message := channel.attempts.get()) is not None:
        outcome = run_one(channel, _task(app, message), message)
        if isinstance(outcome, Blocked):
            outcome = Blocked(outcome.mismatch, version)
        channel.send({"outcome": to_json(outcome)})
    shut_down_in_thread(app.hooks, channel.loop)


if __name__ == "__main__":
    main(int(sys.argv[1]), json.loads(sys.argv[2]))
