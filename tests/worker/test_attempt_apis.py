"""The way of attempts to the kernel, and what is told without waiting for an answer."""

import asyncio
import logging
from typing import Any
from uuid import UUID

import pytest

from tenuto.db.connection.errors import Unreachable
from tenuto.db.connection.pool import ConnectionPool, open_pool
from tenuto.model.workers import Session
from tenuto.runtimes.base import Attempt
from tenuto.runtimes.outcomes import Interrupted
from tenuto.storage.folder import FolderStore
from tenuto.worker.backends.sql import SqlBackend
from tenuto.worker.backends.sql_attempt_api import SqlAttemptApis
from tenuto.worker.execution.flusher import Flusher
from tenuto.worker.execution.progress import ProgressSender
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.settings import WorkerSettings
from tests.support.database.tasks import DEFAULT_ORG, Worker, a_worker, start
from tests.support.faults.postgres_proxy import a_proxy


def apis_of(pool: ConnectionPool, worker: Worker, folder: Any) -> SqlAttemptApis:
    session = WorkerSession()
    session.opened(Session(worker.session_id, worker.token))
    return SqlAttemptApis(pool, session, DEFAULT_ORG, FolderStore(folder))


def attempt_of(task_id: UUID, run_id: UUID, no: int) -> Attempt:
    return Attempt((None, str(task_id), no, str(run_id), 1, None, None, None, None, None), None, 0.0)


def claimed(db: Any, count: int) -> tuple[Worker, list[Attempt]]:
    worker = a_worker(db)
    start(db, *range(count))
    return worker, [attempt_of(claim.task_id, claim.run_id, claim.attempt) for claim in worker.claim(count)]


def test_an_attempt_asks_until_the_database_answers(db, database, tmp_path):
    worker, (attempt,) = claimed(db, 1)

    async def asked() -> Any:
        with a_proxy(database) as proxy:
            proxy.cut()
            async with open_pool(proxy.url, timeout=0.2) as pool:

                def resume() -> None:
                    pool.timeout = 60
                    proxy.resume()

                asyncio.get_running_loop().call_later(0.5, resume)  # when the pool has lost its patience
                return await asyncio.wait_for(apis_of(pool, worker, tmp_path).open(attempt).call("get_steps"), 60)

    assert asyncio.run(asked()) == []


def test_an_attempt_that_is_asked_to_stop_asks_no_longer(db, tmp_path):
    worker, (attempt,) = claimed(db, 1)
    attempt.stop = Interrupted()

    async def asked() -> None:
        async with open_pool("postgresql://127.0.0.1:1/nowhere", timeout=0.2) as pool:
            with pytest.raises(Unreachable):
                await asyncio.wait_for(apis_of(pool, worker, tmp_path).open(attempt).call("get_steps"), 20)

    asyncio.run(asked())


def test_progress_that_cannot_be_written_silences_no_other(db, database, tmp_path, caplog):
    worker, (bad, good) = claimed(db, 2)

    async def told() -> None:
        async with open_pool(database) as pool:
            apis = apis_of(pool, worker, tmp_path)
            settings = WorkerSettings([], url=database, org_id=str(DEFAULT_ORG), name="w", home=str(tmp_path))
            backend = SqlBackend(pool, settings)
            progress = ProgressSender(backend, apis.session, apis, cancelled=lambda _: None)
            flusher = Flusher(backend, apis.session, progress)
            try:
                apis.open(bad).send("progress", progress=0.5, message="\x00")
                apis.open(good).send("progress", progress=0.5, message="half")
                await flusher.flush()
            finally:
                logging.getLogger().removeHandler(flusher.logs)

    asyncio.run(told())
    kept = dict(db.execute("select id::text, message from tenuto.running_tasks").fetchall())
    assert kept == {bad.task_id: None, good.task_id: "half"}
    assert f"the progress of task {bad.task_id} could not be written" in caplog.text
