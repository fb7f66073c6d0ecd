"""A process whose supervisor is gone ends, also while it still waits for the database."""

from functools import partial
from pathlib import Path

import pytest

from tenuto import App
from tenuto.db.connection.pool import open_pool
from tenuto.worker.execution.runtimes import RUNTIMES
from tenuto.worker.settings import WorkerSettings
from tests.support.database.tasks import DEFAULT_ORG
from tests.support.free_ports import free_ports
from tests.support.processes.worker_thread import Supervised


def test_a_process_that_never_reached_the_database_ends_with_its_supervisor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenuto.worker.backends.sql.open_pool", partial(open_pool, timeout=1.0))
    (port,) = free_ports(1)
    url = f"postgresql://nobody@127.0.0.1:{port}/none"
    settings = WorkerSettings([], url=url, org_id=str(DEFAULT_ORG), name="w", home=str(tmp_path))
    worker = Supervised(settings, App("alone"), RUNTIMES)
    worker.thread.start()
    worker.wait_for("away")

    worker.close_connection()

    worker.thread.join(60)
    assert not worker.thread.is_alive()
    worker.close()
