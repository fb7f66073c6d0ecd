"""A process stops, and says why, when its database gets the functions of another Tenuto. None starts on such a one."""

import asyncio
import shutil
from pathlib import Path

import httpx2
import pytest

import tenuto
from tenuto.db.connection.errors import OtherFunctions
from tenuto.db.install import install, schema_check
from tenuto.db.install.sql_tree import read_tree
from tenuto.dispatcher.main import dispatch
from tenuto.runtimes.background import BackgroundTaskDied
from tenuto.server.settings import ServerSettings
from tenuto.worker.main import work
from tenuto.worker.settings import WorkerSettings
from tests.support.database.tasks import DEFAULT_ORG
from tests.support.http.app_server import serving
from tests.support.http.loopback import PEPPERS
from tests.support.processes.command_line import tenuto as command
from tests.support.waiting import wait_until

SHIPPED = Path(tenuto.__file__).parent / "sql"


def changed(folder: Path, file: str, old: str, new: str) -> Path:
    """The shipped SQL with one change."""
    root = folder / "sql"
    shutil.copytree(SHIPPED, root)
    (path,) = root.rglob(file)
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    return root


def other(folder: Path) -> Path:
    """As a later version might have it: a function that processes call takes one parameter more."""
    return changed(folder, "poll_runs.sql", "tenuto.poll_runs(", "tenuto.poll_runs(p_more int, ")


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_check, "EVERY", 0.05)


@pytest.mark.parametrize(
    ("file", "old", "new", "fits"),
    [
        ("promote_due.sql", "as $$", "as $$ -- another body", True),
        ("_claim.sql", "p_group text", "p_group text, p_more int", True),
        ("promote_due.sql", "p_limit int", "p_limit bigint", False),
        ("tables/runs.sql", "create type tenuto.claimed as (", "create type tenuto.claimed as (\n  more int,", False),
        ("tables/runs.sql", "create table tenuto.routes (", "create table tenuto.routes (\n  more int,", True),
    ],
    ids=["a body", "a private function", "a parameter", "a type that a function returns", "a table that none returns"],
)
def test_an_interface_is_what_processes_see_of_functions(
    tmp_path: Path, file: str, old: str, new: str, fits: bool
) -> None:
    assert (read_tree(changed(tmp_path, file, old, new)).interface == read_tree().interface) == fits


def test_a_dispatcher_stops(database: str, tmp_path: Path) -> None:
    async def story() -> None:
        running = asyncio.create_task(dispatch(database, role="tenuto_dispatcher", stop=asyncio.Event()))
        await asyncio.to_thread(install.migrate, database, test=True, root=other(tmp_path))
        await asyncio.wait_for(running, 60)

    with pytest.raises(OtherFunctions, match="start the Tenuto that migrated it"):
        asyncio.run(story())


def test_a_worker_finishes_and_stops(database: str, tmp_path: Path) -> None:
    (tmp_path / "an_app.py").write_text("import tenuto\napp = tenuto.App('a')\n@app.task\ndef one() -> None: ...\n")
    org_id = str(DEFAULT_ORG)
    settings = WorkerSettings([str(tmp_path / "an_app.py")], name="w", url=database, org_id=org_id, home=str(tmp_path))

    async def story() -> None:
        ready, stop = asyncio.Event(), asyncio.Event()
        working = asyncio.create_task(work(settings, ready=ready.set, stop=stop))
        await asyncio.wait_for(ready.wait(), 30)
        await asyncio.to_thread(install.migrate, database, test=True, root=other(tmp_path))
        await asyncio.wait_for(working, 60)

    with pytest.raises(BackgroundTaskDied, match="functions no longer match this process"):
        asyncio.run(story())


def test_a_server_refuses_every_request(database: str, tmp_path: Path) -> None:
    with serving(ServerSettings(database, "tenuto_api", PEPPERS)) as url:
        assert httpx2.get(f"{url}/readyz").status_code == 200
        install.migrate(database, test=True, root=other(tmp_path))
        wait_until(lambda: httpx2.get(f"{url}/readyz").status_code == 503)

        refused = httpx2.get(f"{url}/v1/runs").json()
        assert (refused["status"], refused["code"]) == (503, "unavailable")
        assert "another version of Tenuto" in refused["detail"]
        assert httpx2.get(f"{url}/healthz").status_code == 200


def test_no_process_starts_on_other_functions(database: str, tmp_path: Path) -> None:
    install.migrate(database, test=True, root=other(tmp_path))

    refused = command("dispatcher", TENUTO_DATABASE_URL=database)

    assert refused.returncode == 1
    assert "do not match this Tenuto (poll_runs takes other parameters); run `tenuto db migrate`" in refused.stderr
