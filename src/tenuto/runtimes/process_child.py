"""The child side of the process runtime: `python -m tenuto.runtimes.process_child FD module:app`."""

import asyncio
import inspect
import itertools
import json
import logging
import queue
import socket
import sys
import threading
from typing import Any

from tenuto.model.errors import BY_CODE
from tenuto.runtimes.background import BackgroundTasks
from tenuto.runtimes.child_logging import log_to_terminal
from tenuto.runtimes.outcomes import Completed, Interrupted, Outcome, classify, to_json
from tenuto.runtimes.process_lifetime import die_with_parent, ignore_signals, make_undumpable
from tenuto.sdk.app_loader import load_app
from tenuto.sdk.context.context import Context
from tenuto.sdk.context.current_attempt import running
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.task import Task
from tenuto.sdk.tracing import span


class WorkerChannel:
    """The connection to the worker. Messages are read in a separate thread; functions run in the main thread."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._questions: dict[int, asyncio.Future[Any]] = {}
        self.loop = asyncio.new_event_loop()
        self.jobs: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self.current: ChildAttempt | None = None
        parts = BackgroundTasks()
        parts.thread("line", self._read).start()
        parts.thread("loop", self.loop.run_forever).start()

    def send(self, **message: Any) -> None:
        with self._lock:
            self._connection.sendall(json.dumps(message).encode() + b"\n")

    async def ask(self, verb: str, **arguments: Any) -> Any:
        no = next(self._numbers)
        question = self._questions[no] = self.loop.create_future()
        try:
            self.send(ask=no, verb=verb, arguments=arguments)
            return await question
        finally:
            del self._questions[no]

    def tell(self, verb: str, **arguments: Any) -> None:
        self.send(tell=verb, arguments=arguments)

    def _read(self) -> None:
        for line in self._connection.makefile("r", encoding="utf-8"):
            message = json.loads(line)
            if "run" in message:
                self.jobs.put(message)
            elif "answer" in message:
                self.loop.call_soon_threadsafe(self._answered, message)
            elif self.current is not None:
                self.current.cancelled = True
                self.current.stop = Interrupted()  # the worker decides on the actual outcome
        self.jobs.put(None)

    def _answered(self, message: dict[str, Any]) -> None:
        question = self._questions.get(message["answer"])
        if question is None:
            return
        if "value" in message:
            question.set_result(message["value"])
            return
        kind = BY_CODE.get(message["code"] or "")
        question.set_exception(kind(message["message"], message["hint"]) if kind else RuntimeError(message["message"]))


class ChildAttempt:
    """The attempt that the worker sent."""

    def __init__(self, job: dict[str, Any], task: Task[..., Any]) -> None:
        self.task_id, self.run_id, self.no, self.metadata = job["task_id"], job["run_id"], job["no"], job["metadata"]
        self.failures: int = job["failures"]
        self.task = task
        self.cancelled = False
        self.stop: Outcome | None = None
        self.lines = 0


class SendLogs(logging.Handler):
    """Sends log lines to the worker while a function runs."""

    def __init__(self, line: WorkerChannel) -> None:
        super().__init__(logging.DEBUG)
        self._line = line

    def emit(self, record: logging.LogRecord) -> None:
        if running.get() is None:
            return
        try:
            self._line.send(log=[record.levelname.lower(), record.getMessage(), None, record.created])
        except Exception:  # logging must not break user code
            self.handleError(record)


def run_one(line: WorkerChannel, task: Task[..., Any], job: dict[str, Any]) -> Outcome:
    attempt = line.current = ChildAttempt(job, task)
    running.set(attempt)
    try:
        arguments, named = task.decode_args(job["input"], job["slots"])
        with span(task.name, attempt.metadata, task_id=attempt.task_id, attempt=attempt.no):
            call = _await if inspect.iscoroutinefunction(task.function) else _call
            result = call(line, attempt, arguments, named)
        return Completed(task.encode_result(result))
    except BaseException as error:
        return classify(attempt, error)
    finally:
        running.set(None)


def _call(line: WorkerChannel, attempt: ChildAttempt, arguments: list[Any], named: dict[str, Any]) -> Any:
    context = SyncContext(attempt, line, loop=line.loop)
    result = attempt.task.function(*([context] if attempt.task.context else []), *arguments, **named)
    context.flush()
    return result


def _await(line: WorkerChannel, attempt: ChildAttempt, arguments: list[Any], named: dict[str, Any]) -> Any:
    async def run() -> Any:
        running.set(attempt)
        context = Context(attempt, line)
        try:
            result = await attempt.task.function(*([context] if attempt.task.context else []), *arguments, **named)
            await context.flush()
            return result
        except BaseException:
            await context.settle()  # record steps in progress, or the next attempt would repeat their effect
            raise

    return asyncio.run_coroutine_threadsafe(run(), line.loop).result()


def main(fd: int, target: str, *, apart: bool) -> None:
    die_with_parent()
    if apart:
        make_undumpable()
    ignore_signals()
    log_to_terminal()
    app = load_app(target)
    line = WorkerChannel(socket.socket(fileno=fd))
    logging.getLogger().addHandler(SendLogs(line))
    line.send(ready=True)
    while (job := line.jobs.get()) is not None:
        line.send(outcome=to_json(run_one(line, app.tasks[job["run"]], job)))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], apart="--apart" in sys.argv[3:])
