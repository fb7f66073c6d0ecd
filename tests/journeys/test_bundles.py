"""From a folder to a result: a bundle is built, pushed, fetched by a worker, verified and run in a sandbox."""

import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.database.attempts import charged, wait_for
from tests.support.database.tasks import start
from tests.support.processes.command_line import Running, running, tenuto
from tests.support.sandbox.availability import require_full_sandbox
from tests.support.waiting import wait_until

Place = dict[str, str | Path]

CODE = """
import os

def double(x: int) -> int:
    return 2 * x

def who(ctx) -> dict:
    ctx.log.info("looking")
    return {"uid": os.getuid(), "here": sorted(os.listdir(os.path.dirname(__file__)))}

async def twice(ctx, x: int) -> int:
    ctx.data["x"] = x
    return await ctx.step("double", lambda: 2 * x)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "images"
    found.mkdir()
    tasks = {"double": "pictures:double", "who": "pictures:who", "twice": "pictures:twice"}
    (found / "bundle.json").write_text(json.dumps({"name": "images", "tasks": tasks}))
    (found / "pictures.py").write_text(CODE)
    return found


@pytest.fixture
def place(database: str, tmp_path: Path) -> Place:
    return {"TENUTO_DATABASE_URL": database, "TENUTO_HOME": tmp_path / "home"}


@pytest.fixture(autouse=True)
def sandbox() -> None:
    require_full_sandbox()


@pytest.fixture
def worker(place: Place) -> Iterator[Running]:
    with running("worker", "--bundles", ready="runs bundles", **place) as started:
        yield started


def push(folder: Path, place: Place) -> str:
    built = tenuto("bundle", "build", str(folder), "--json")
    assert built.returncode == 0, built.stderr
    pushed = tenuto("bundle", "push", json.loads(built.stdout)["file"], "--json", **place)
    assert pushed.returncode == 0, pushed.stderr
    return json.loads(pushed.stdout)["sha256"]


def result(db: psycopg.Connection, type: str, *arguments: object, bundle: str | None = None) -> Any:
    """How a task of the type ended, and its output or what it says went wrong."""
    details = Jsonb([{"task": 0, "metadata": {"bundle": bundle}}]) if bundle else None
    (task_id,) = start(db, list(arguments), kind={"type": type, "max_attempts": 1}, details=details)
    asked = "select outcome, output, error ->> 'message' from tenuto.task_attempts where task_id = %s and end_no = 0"
    wait_until(lambda: db.execute(asked, [task_id]).fetchone() is not None, timeout=40)
    outcome, output, message = db.execute(asked, [task_id]).fetchone() or ("", None, None)
    return (outcome, output if outcome == "completed" else message)


def test_a_bundle_runs_on_a_worker_that_was_there_before_it(
    worker: Running, folder: Path, place: Place, db: psycopg.Connection
) -> None:
    push(folder, place)

    assert result(db, "images.double", 21) == ("completed", 42)
    assert result(db, "images.twice", 4) == ("completed", 8)
    _, found = result(db, "images.who")
    assert found["uid"] >= 60_706
    assert found["here"] == ["pictures.py"]


def test_a_newer_bundle_takes_over_and_an_older_one_can_be_named(
    worker: Running, folder: Path, place: Place, db: psycopg.Connection
) -> None:
    old = push(folder, place)
    assert result(db, "images.double", 1) == ("completed", 2)
    (folder / "pictures.py").write_text(CODE.replace("return 2 * x", "return 200 * x", 1))

    new = push(folder, place)

    assert result(db, "images.double", 1) == ("completed", 200)
    assert result(db, "images.double", 1, bundle=f"sha256:{old}") == ("completed", 2)
    assert tenuto("bundle", "delete", f"sha256:{old}", **place).returncode == 0
    assert result(db, "images.double", 1, bundle=old) == (
        "failed", f"no bundle {old} that runs images.double; push it first, or name another bundle",
    )  # fmt: skip
    listed = json.loads(tenuto("bundle", "list", "--json", **place).stdout)["bundles"]
    assert [one["sha256"] for one in listed] == [new]


def test_a_bundle_that_was_changed_in_the_database_is_not_run(
    worker: Running, folder: Path, place: Place, db: psycopg.Connection
) -> None:
    push(folder, place)
    db.execute("update tenuto.bundle_parts set data = data || 'x'")

    status, message = result(db, "images.double", 1)

    assert status == "failed"
    assert message.endswith("was changed after the upload: its hash differs")


def test_up_runs_bundles_too_when_told_to(folder: Path, place: Place) -> None:
    with running("up", "--bundles", ready="worker: running bundles", **place):
        push(folder, place)

        assert tenuto("start", "images.double", "21", "--wait", **place).stdout == "42\n"


def test_bundles_run_at_no_charge_though_every_connection_breaks_again_and_again(
    worker: Running, folder: Path, place: Place, db: psycopg.Connection
) -> None:
    push(folder, place)
    ids = start(db, *([no] for no in range(6)), kind={"type": "images.twice", "max_attempts": 1})
    break_all = (
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where datname = current_database() and pid <> pg_backend_pid()"
    )
    for done in range(1, len(ids) + 1):
        db.execute(break_all)
        wait_for(db, done)

    assert charged(db, *ids) == 0


def test_the_same_folder_gives_the_same_hash(folder: Path, tmp_path: Path) -> None:
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "pictures.pyc").write_bytes(b"made by Python")
    (folder / ".env").write_text("SECRET=1")

    built = [tenuto("bundle", "build", str(folder), "--out", str(tmp_path / name), "--json") for name in ("a.zip", "b")]

    assert len({json.loads(one.stdout)["sha256"] for one in built}) == 1
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert archive.namelist() == ["bundle_manifest.json", "pictures.py"]


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda folder: (folder / "bundle.json").unlink(), "has no bundle.json, which lists the tasks of the bundle"),
        (lambda folder: (folder / "bundle.json").write_text("{"), "is not JSON"),
        (lambda folder: (folder / "bundle.json").write_text('{"name": "x"}'), 'must hold "name" and "tasks"'),
        (
            lambda folder: (folder / "pictures.py").rename(folder / "other.py"),
            "lists neither pictures.py nor pictures/__init__.py",
        ),
        (lambda folder: (folder / "link").symlink_to("/etc/passwd"), "is a symbolic link"),
    ],
)
def test_a_folder_that_makes_no_bundle_is_refused_with_a_cure(
    folder: Path, spoil: Callable[[Path], object], says: str
) -> None:
    spoil(folder)

    built = tenuto("bundle", "build", str(folder))

    assert built.returncode == 2
    assert says in built.stderr


def test_a_worker_with_nothing_to_run_is_told_what_to_write(place: Place) -> None:
    told = tenuto("worker", **place)

    assert told.returncode == 2
    assert "write tenuto worker module:app, or tenuto worker --bundles" in told.stderr
