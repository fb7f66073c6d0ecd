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
from types import CodeType, FrameType
from urllib.parse import urlsplit

import psycopg

import tenuto
from tenuto import App, Client
from tenuto.model.keys import API, key_hash, make_key
from tenuto.server.settings import ServerSettings
from tenuto.worker.settings import WorkerSettings
from tests.support.http_server import serving
from tests.support.kernel import DEFAULT_ORG, call, start
from tests.support.remote_fleet import make_worker_key
from tests.support.remote_http import PEPPERS
from tests.support.supervised import SUPERVISION, Supervised, a_supervised_worker
from tests.support.waiting import wait_until

SOURCE = f"{Path(tenuto.__file__).parent}{os.sep}"
REPEATS = 5  # a module counts if most repetitions enter it; background work enters its own now and then

Call = tuple[str, str]  # module, function


class Recorder:
    """Notes every call of a function of `tenuto` while `on`, in all threads that start after `install`."""

    def __init__(self) -> None:
        self.on = False
        self.calls: list[Call] = []
        self._known: dict[CodeType, Call | None] = {}

    def _profile(self, frame: FrameType, event: str, _: object) -> None:
        if not self.on or event != "call" or threading.current_thread().name == SUPERVISION:
            return
        if (entry := self._entry(frame.f_code)) is not None:
            self.calls.append(entry)

    def _entry(self, code: CodeType) -> Call | None:
        if code not in self._known:
            ours = code.co_filename.startswith(SOURCE) and code.co_name != "<module>"
            self._known[code] = (code.co_filename.removeprefix(SOURCE), code.co_qualname) if ours else None
        return self._known[code]

    def begin(self) -> None:
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


def common(recordings: list[list[Call]]) -> list[str]:
    """The modules that most recordings enter, in the order of one of them."""
    seen = Counter(module for calls in recordings for module in {module for module, _ in calls})
    order = dict.fromkeys(module for calls in recordings for module, _ in calls)
    return [module for module in order if seen[module] > len(recordings) // 2]


def between(calls: list[Call], first: str, last: str) -> list[Call]:
    """From the last call of `first` before `last` to the first call of `last`."""
    names = [name for _, name in calls]
    end = names.index(last)
    begin = 0 if first == "" else max(no for no, name in enumerate(names[:end]) if name == first)
    return calls[begin : end + 1]


def an_app(recorder: Recorder) -> App:
    app = App("paths")

    @app.task
    async def add(a: int, b: int) -> int:
        return a + b

    @app.task
    async def fails() -> None:
        recorder.begin()
        raise ValueError("no")

    @app.task
    async def steps(ctx: tenuto.Context) -> None:
        recorder.begin()
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
            server = ServerSettings(self._url, "tenuto_api", PEPPERS, env="test", objects=self._folder / "objects")
            with serving(server) as address:
                self._http_start(address)
                settings = self._worker_settings(address, key=make_worker_key(self._db))
                with a_supervised_worker(settings, self._app) as worker:
                    self._http_claim(worker)
        return self.paths

    def _worker_settings(self, url: str, key: str | None = None) -> WorkerSettings:
        return WorkerSettings(
            target=None, url=url, org_id=str(DEFAULT_ORG), name="paths", home=str(self._folder), key=key, concurrency=10
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
        recordings = self._repeat(lambda: self._task(worker, "paths.add", begin=True))
        arrive = "Executor.arrive"
        self.paths["wake and claim"] = common([between(calls, "", arrive) for calls in recordings])
        runs = [calls[len(between(calls, "", arrive)) - 1 :] for calls in recordings]
        self.paths["run and completion"] = common(runs)
        self.paths["failing attempt"] = common(self._repeat(lambda: self._task(worker, "paths.fails")))
        self.paths["durable step"] = common(self._repeat(lambda: self._task(worker, "paths.steps")))

    def _task(self, worker: Supervised, type: str, *, begin: bool = False) -> list[Call]:
        """Start one task, by SQL alone; return the calls until the worker has nothing more to do with it."""
        self._wait_until_idle(worker)
        if begin:
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

    def _http_claim(self, worker: Supervised) -> None:
        recordings = self._repeat(lambda: self._task(worker, "paths.add", begin=True))
        claims = [between(calls, "Claimer._trip", "Executor.arrive") for calls in recordings]
        self.paths["HTTP claim"] = common(claims)
