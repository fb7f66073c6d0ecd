"""Records which modules of `tenuto` a path enters: a worker process and a server run as threads of the test."""

import asyncio
import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from queue import SimpleQueue
from types import CodeType, FrameType
from typing import Any, cast
from urllib.parse import urlsplit

import psycopg

import tenuto
from tenuto import App, Client
from tenuto.model.keys import API, key_hash, make_key
from tenuto.model.tasks import Row
from tenuto.runtimes.background import BackgroundTasks
from tenuto.server.settings import ServerSettings
from tenuto.worker.backends.base import open_backend
from tenuto.worker.process.claimer import Claimer, ClaimerHost
from tenuto.worker.process.held_attempts import HeldAttempts
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.process.slots import Slots
from tenuto.worker.settings import WorkerSettings
from tests.support.database.tasks import DEFAULT_ORG, call, start
from tests.support.http.app_server import serving
from tests.support.http.worker_requests import PEPPERS
from tests.support.processes.remote_workers import make_worker_key
from tests.support.processes.worker_thread import SUPERVISION, Supervised, a_supervised_worker
from tests.support.waiting import wait_until

SOURCE = f"{Path(tenuto.__file__).parent}{os.sep}"
REPEATS = 9  # a module counts if most repetitions enter it: some work, such as resolving routes, is done now and then
PERIODIC = ("WorkerProcess._look_ahead", "Flusher.run", "LoopWatch._watch", "LoopWatch.ran")
ARRIVED, REPORTED = "Executor.arrive", "HeldAttempts.release"
CLAIMER = "tenuto claimer"  # the thread that still ends its trip when the task that it delivered runs

Call = tuple[str, str]  # module, function


class Recorder:
    """Notes every call of a function of `tenuto` while `on`, in all threads that start after `install`."""

    def __init__(self) -> None:
        self.on = False
        self.calls: list[Call] = []
        self._without = {SUPERVISION}
        self._known: dict[CodeType, Call | None] = {}

    def _profile(self, frame: FrameType, event: str, _: object) -> None:
        if not self.on or event != "call" or threading.current_thread().name in self._without:
            return
        if (entry := self._entry(frame.f_code)) is not None and not _is_periodic(frame):
            self.calls.append(entry)

    def _entry(self, code: CodeType) -> Call | None:
        if code not in self._known:
            ours = code.co_filename.startswith(SOURCE) and code.co_name != "<module>"
            self._known[code] = (code.co_filename.removeprefix(SOURCE), code.co_qualname) if ours else None
        return self._known[code]

    def begin(self, *, without: str = SUPERVISION) -> None:
        """Record from now on, without the calls of this thread and of the supervision."""
        self._without = {SUPERVISION, without}
        self.calls, self.on = [], True

    def end(self) -> list[Call]:
        self.on = False
        return self.calls

    @contextmanager
    def in_this_thread(self) -> Iterator[None]:
        sys.setprofile(self._profile)
        try:
            yield
        finally:
            sys.setprofile(None)

    @contextmanager
    def in_new_threads(self) -> Iterator[None]:
        threading.setprofile(self._profile)
        try:
            yield
        finally:
            threading.setprofile(None)  # type: ignore[arg-type]


def _is_periodic(frame: FrameType | None) -> bool:
    """Whether the call is part of work that goes on all the time, whatever the tasks."""
    while frame is not None:
        if frame.f_code.co_qualname in PERIODIC:
            return True
        frame = frame.f_back
    return False


def common(recordings: list[list[Call]]) -> list[str]:
    """The modules that most recordings enter, in the order of one of them."""
    seen = Counter(module for calls in recordings for module in {module for module, _ in calls})
    order = dict.fromkeys(module for calls in recordings for module, _ in calls)
    return [module for module in order if seen[module] > len(recordings) // 2]


def split(calls: list[Call], function: str) -> tuple[list[Call], list[Call]]:
    """The calls before the first call of this function, and those from it on."""
    no = [name for _, name in calls].index(function)
    return calls[:no], calls[no:]


def an_app(recorder: Recorder) -> App:
    app = App("paths")

    @app.task
    async def add(a: int, b: int) -> int:
        return a + b

    @app.task
    async def fails() -> None:
        recorder.begin(without=CLAIMER)
        raise ValueError("no")

    @app.task
    async def steps(ctx: tenuto.Context) -> None:
        recorder.begin(without=CLAIMER)
        await ctx.step("charge", lambda: 1)
        await ctx.sleep("1h")

    return app


class Measurement:
    """Walks each path several times, on one database."""

    def __init__(self, database: str, folder: Path) -> None:
        self._url, self._folder = database, folder
        self._recorder = Recorder()
        self._app = an_app(self._recorder)
        self.paths: dict[str, list[str]] = {}

    def run(self) -> dict[str, list[str]]:
        with psycopg.connect(self._url, autocommit=True) as self._db, self._recorder.in_new_threads():
            self._sdk_start()
            with a_supervised_worker(self._worker_settings(self._url), self._app) as worker:
                self._sql_worker(worker)
            server = ServerSettings(self._url, "tenuto_api", PEPPERS, env="test", storage=self._folder.as_uri())
            with serving(server) as address:
                self._http_start(address)
                asyncio.run(self._http_claim(self._worker_settings(address, key=make_worker_key(self._db))))
        return self.paths

    def _worker_settings(self, url: str, key: str | None = None) -> WorkerSettings:
        return WorkerSettings(
            targets=[],
            url=url,
            org_id=str(DEFAULT_ORG),
            name="paths",
            home=str(self._folder),
            storage=self._folder.as_uri(),
            key=key,
            concurrency=10,
        )

    def _repeat(self, walk: Callable[[], list[Call]]) -> list[list[Call]]:
        walk()  # the first time, connections are opened and statements prepared
        return [walk() for _ in range(REPEATS)]

    def _sdk_start(self) -> None:
        async def starts() -> list[list[Call]]:
            async with self._app.connect(self._url) as client:
                return [await self._start_once(client) for _ in range(REPEATS + 1)][1:]

        self.paths["start"] = common(asyncio.run(starts()))

    async def _start_once(self, client: Client) -> list[Call]:
        with self._recorder.in_this_thread():
            self._recorder.begin()
            await client.start(self._app.tasks["paths.add"], 1, 2)
            return self._recorder.end()

    def _sql_worker(self, worker: Supervised) -> None:
        recordings = [split(calls, ARRIVED) for calls in self._repeat(lambda: self._task(worker, "paths.add"))]
        self.paths["wake and claim"] = common([claim for claim, _ in recordings])
        self.paths["run and completion"] = common([run for _, run in recordings])
        for path, type in (("failing attempt", "paths.fails"), ("durable step", "paths.steps")):
            recordings = [split(calls, REPORTED) for calls in self._repeat(lambda type=type: self._task(worker, type))]
            self.paths[path] = common([[*before, *after[:1]] for before, after in recordings])

    def _task(self, worker: Supervised, type: str) -> list[Call]:
        """Start one task, by SQL alone; return the calls until the worker has nothing more to do with it. Tasks other
        than `add` begin the recording themselves."""
        self._wait_until_idle(worker)
        if type == "paths.add":
            self._recorder.begin()
        start(self._db, [1, 2] if type == "paths.add" else [], kind={"type": type})
        self._wait_until_idle(worker)
        return self._recorder.end()

    def _wait_until_idle(self, worker: Supervised) -> None:
        open_tasks = "select (select count(*) from tenuto.ready_tasks) + (select count(*) from tenuto.running_tasks)"
        wait_until(lambda: self._db.execute(open_tasks).fetchone() == (0,))
        wait_until(worker.holds_nothing)

    def _http_start(self, address: str) -> None:
        where = urlsplit(address)
        connection = HTTPConnection(where.hostname or "", where.port)
        headers = {"Authorization": f"Bearer {self._api_key()}", "Content-Type": "application/json"}

        def start() -> list[Call]:
            self._recorder.begin()
            connection.request("POST", "/v1/runs", json.dumps({"type": "paths.add", "input": [1, 2]}), headers)
            response = connection.getresponse()
            assert response.status == 201, response.read()
            response.read()
            return self._recorder.end()

        self.paths["HTTP start"] = common(self._repeat(start))
        connection.close()

    def _api_key(self) -> str:
        key = make_key(API, "test")
        who = {"org_id": DEFAULT_ORG, "key_id": key.key_id, "hash": key_hash(PEPPERS, key.text)}
        call(self._db, "create_api_key", **who, name="paths", permissions=["*"], created_by="test")
        return key.text

    async def _http_claim(self, settings: WorkerSettings) -> None:
        """One claimer without the rest of a worker, whose long polls would be recorded too."""
        session, slots, parts = WorkerSession(), Slots(10), BackgroundTasks()
        rows: SimpleQueue[list[Row]] = SimpleQueue()
        async with open_backend(settings) as backend:
            metadata = {"types": ["paths.add"], "concurrency": 10}
            session.opened(await backend.register_worker(address="here", metadata=metadata))
            await backend.resolve_routes(session.current, queues=None, types=["paths.add"])
            host = ClaimerHost(backend, HeldAttempts(), session, settings, events=cast("Any", None), parts=parts)
            claimer = Claimer(host, slots, [0], deliver=rows.put)
            claimer.start()
            await asyncio.to_thread(_finish, slots, rows)  # what the HTTP starts left
            recordings = [await asyncio.to_thread(self._claim_once, slots, rows) for _ in range(REPEATS + 1)]
            slots.close()
            await asyncio.to_thread(claimer.thread.join)
        self.paths["HTTP claim"] = common(recordings[1:])

    def _claim_once(self, slots: Slots, rows: "SimpleQueue[list[Row]]") -> list[Call]:
        """Claim one task, in a trip that begins after the report of the last one; another trip reports it."""
        wait_until(lambda: bool(slots.parked) and not slots.reports)
        start(self._db, [1, 2], kind={"type": "paths.add"})
        self._recorder.begin()
        slots.wake()
        wait_until(lambda: not rows.empty())
        calls = self._recorder.end()
        _finish(slots, rows)
        return calls


def _finish(slots: Slots, rows: "SimpleQueue[list[Row]]") -> None:
    """Report the tasks of one claim as completed."""
    claimed = rows.get(timeout=60)
    slots.finish([(row[1], row[2], None, row[3]) for row in claimed], len(claimed), 0.0)
