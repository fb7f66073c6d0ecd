"""A worker whose app has a schema that is refused declares its other types, and logs which is refused and why."""

import asyncio
from pathlib import Path

import psycopg
import pytest

from tenuto import App
from tenuto.server.settings import ServerSettings
from tenuto.worker.backends.http import open_remote
from tenuto.worker.backends.sql import open_direct
from tenuto.worker.process.registration import NO_OPERATORS, Registration
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.settings import WorkerSettings
from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.http.app_server import serving
from tests.support.http.worker_requests import worker_headers

app = App("shop")


@app.task
def send(to: str) -> None: ...


# 1,200 parameters without a type hint: fewer than 16 kB, and more than 1,000 parts.
exec(f"def many(*, {', '.join(f'a{no}=0' for no in range(1200))}): ...")  # noqa: S102
app.task(globals()["many"])


@pytest.mark.parametrize("way", ["http", "sql"])
def test_a_worker_logs_which_of_its_schemas_was_refused_and_goes_on(
    way: str,
    db: psycopg.Connection,
    database: str,
    settings: ServerSettings,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def declare(url: str, key: str | None) -> None:
        own = WorkerSettings(["shop:app"], url, str(DEFAULT_ORG), "w", str(tmp_path), key=key)
        async with (open_remote if key else open_direct)(own) as backend:
            session = WorkerSession()
            registration = Registration(
                backend, own, app, session, NO_OPERATORS, lost=lambda: None, resolve=lambda: None
            )
            await registration.open()
            await registration.declare_app()
            await registration.close()

    if way == "http":
        with serving(settings) as url:
            asyncio.run(declare(url, worker_headers(db)["Authorization"].removeprefix("Bearer ")))
    else:
        asyncio.run(declare(database, None))

    problem = "it has 1202 parts, more than 1000; describe less"
    assert f"the server does not check inputs of shop.many: its schema was refused: {problem}" in caplog.text
    shown = {name: call(db, "get_task_type", org_id=DEFAULT_ORG, type=name)[0] for name in ("shop.send", "shop.many")}
    assert [row["schema_problem"] for row in shown.values()] == [None, problem]
    assert shown["shop.send"]["input_schema"]["required"] == ["to"]
