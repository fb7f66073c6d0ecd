"""The thread that watches the event loop of a worker ends with the worker."""

import threading
from pathlib import Path

from tenuto import App
from tenuto.worker.settings import WorkerSettings
from tests.support.database.tasks import DEFAULT_ORG
from tests.support.processes.worker_thread import a_supervised_worker
from tests.support.waiting import wait_until


def watches() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "tenuto loop watch"]


def test_the_watch_of_a_worker_ends_with_the_worker(database: str, tmp_path: Path) -> None:
    before = len(watches())
    settings = WorkerSettings(
        targets=[], url=database, org_id=str(DEFAULT_ORG), name="w", home=str(tmp_path), storage=tmp_path.as_uri()
    )
    with a_supervised_worker(settings, App("shop")):
        wait_until(lambda: len(watches()) == before + 1)

    wait_until(lambda: len(watches()) == before)
