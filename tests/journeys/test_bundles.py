"""From a folder to a result: a bundle is built, pushed, fetched by a worker, verified and run in a sandbox."""

import json
import signal
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pyarrow.dataset as pads
import pytest
from psycopg.types.json import Jsonb

from tests.support.database.attempts import charged, end_lease, outcomes, wait_for
from tests.support.database.jobs import deployed, partitions, trigger
from tests.support.database.loops import value
from tests.support.database.outbox import a_destination, effects
from tests.support.database.tasks import DEFAULT_ORG, call, start, task
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

async def tell(ctx, x: int) -> int:
    ctx.state["told"] = [ctx.org, x]
    return await ctx.publish("deliver", {"destination": "crm", "body": x})
"""


# Tasks that kill their sandbox on the first attempt, and hang on the second until their worker is killed.
ORDERS = """
import asyncio, os, random, time
from tenuto import App, Fixed, step

app = App("images")

class Declined(Exception):
    def __init__(self, code):
        super().__init__(f"declined with {code}")
        self.code = code

def pay():
    print("pay")
    return random.random()

async def reserve():
    await asyncio.sleep(0)
    return pay()

@step(max_attempts=2, retry=Fixed("10ms"))
async def decline(code):
    print("decline")
    raise Declined(code)

@app.task
def pack(no):
    print("pack")
    return no

def interrupt(ctx):
    if ctx.attempt == 1:
        os._exit(3)
    if ctx.attempt == 2:
        print("hangs")
        time.sleep(600)  # until its worker is killed

@app.task
async def order(ctx):
    ran = [await ctx.step("pay", pay), await ctx.step("reserve", reserve)]
    try:
        await ctx.step("decline", decline, 402)
    except Declined as error:
        ran += await ctx.gather(ctx.step("fee", pay), ctx.start(pack, error.code))
    some = await ctx.gather(ctx.step("tax", reserve), ctx.step("again", decline, 403), return_exceptions=True)
    await ctx.sleep("10ms")
    interrupt(ctx)
    return [*ran, some[0], some[1].code]

@app.task
def plain_order(ctx):
    ran = [ctx.step("pay", pay), ctx.step("reserve", reserve)]
    try:
        ctx.step("decline", decline, 402)
    except Declined as error:
        ran += [ctx.start(pack, error.code).result()]
    ctx.sleep("10ms")
    interrupt(ctx)
    return ran
"""


SHRINK = """
import os

def shrink(job: dict) -> list[dict]:
    rows = job["inputs"]["numbers"]
    return [{"n": row["n"] * job["arguments"]["by"], "at": row["at"], "uid": os.getuid()} for row in rows]

def wrong(job: dict) -> str:
    return "no rows"

def fails(job: dict) -> list[dict]:
    raise ValueError("not today")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "images"
    found.mkdir()
    tasks = {"double": "pictures:double", "who": "pictures:who", "twice": "pictures:twice", "tell": "pictures:tell"}
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
    wait_until(lambda: db.execute(asked, [task_id]).fetchone() is not None)
    outcome, output, message = db.execute(asked, [task_id]).fetchone() or ("", None, None)
    return (outcome, output if outcome == "completed" else message)


def test_a_bundle_runs_on_a_worker_that_was_there_before_it(
    worker: Running, folder: Path, place: Place, db: psycopg.Connection
) -> None:
    push(folder, place)
    a_destination(db)

    assert result(db, "images.double", 21) == ("completed", 42)
    assert result(db, "images.twice", 4) == ("completed", 8)
    assert result(db, "images.tell", 4)[0] == "completed"
    assert db.execute("select value from tenuto.operator_state").fetchall() == [(["default", 4],)]
    assert effects(db) == [("deliver", {"destination": "crm", "body": 4}, "pending")]
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


def test_steps_are_not_repeated_after_the_death_of_their_sandbox_and_of_their_worker(
    folder: Path, place: Place, db: psycopg.Connection
) -> None:
    tasks = {name: f"orders:{name}" for name in ("order", "plain_order", "pack")}
    (folder / "bundle.json").write_text(json.dumps({"name": "images", "tasks": tasks}))
    (folder / "orders.py").write_text(ORDERS)
    push(folder, place)
    with running("worker", "--bundles", ready="runs bundles", **place) as first:
        ids = [*start(db, [], kind={"type": "images.order"}), *start(db, [], kind={"type": "images.plain_order"})]
        wait_until(lambda: value(db, "select count(*) from tenuto.task_logs where message = 'hangs'") == 2)
        first.stop(signal.SIGKILL)
    end_lease(db, value(db, "select id from tenuto.workers"))
    with running("worker", "--bundles", ready="runs bundles", **place):
        wait_for(db, 4)

    expected = (["pay", "reserve", "fee", 402, "tax", 403], ["pay", "reserve", 402])
    for task_id, output in zip(ids, expected, strict=True):
        assert [one for one in outcomes(db, task_id) if one != "waiting"] == ["lost", "lost", "completed"]
        recorded = {one["name"]: one["value"] for one in call(db, "get_steps", org_id=DEFAULT_ORG, task_id=task_id)}
        assert task(db, task_id)["output"] == [recorded.get(one, one) for one in output]
        printed = Counter(line["message"] for line in call(db, "read_logs", org_id=DEFAULT_ORG, task_id=task_id))
        codes = sum(isinstance(one, int) for one in output)
        assert printed == {"pay": len(output) - codes, "decline": 2 * codes, "hangs": 1}, "every step ran once"


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


def a_bundle_dag(bundle: str, *tasks: str) -> dict[str, Any]:
    """A source, and a job for each of these tasks of the bundle."""
    source: dict[str, Any] = {
        "name": "numbers",
        "activation": "source",
        "operator": "python",
        "source": {"kind": "manual"},
        "config": {"task": "jobs.numbers"},
        "outputs": [{"dataset": "numbers"}],
    }
    jobs = [
        {
            "name": task,
            "activation": "reactive",
            "operator": "bundle",
            "udf": {"bundle": bundle, "task": task},
            "execution_strategy": "PerUpdate",
            "inputs": [{"from": {"dataset": "numbers"}}],
            "config": {"arguments": {"by": 10}},
            "max_attempts": 1,
            "outputs": [{"dataset": f"{task}_rows"}],
        }
        for task in tasks
    ]
    return {"name": "udf", "jobs": [source, *jobs]}


def test_a_job_publishes_the_rows_of_a_bundle_that_runs_in_a_sandbox(
    folder: Path, place: Place, db: psycopg.Connection
) -> None:
    (folder / "bundle.json").write_text(
        json.dumps({"name": "images", "tasks": {name: f"jobs:{name}" for name in ("shrink", "wrong", "fails")}})
    )
    (folder / "jobs.py").write_text(SHRINK)
    deployed(db, a_bundle_dag(push(folder, place), "shrink", "wrong", "fails"))
    with running("worker", "tests.journeys.apps.jobs:app", "--bundles", ready="tasks at once", **place):
        trigger(db, "numbers", dag="udf")  # its event starts the others
        ended = "select count(*) from tenuto.run_status where name ~ '^udf/' and status in ('completed', 'failed')"
        wait_until(lambda: value(db, ended) == 4, timeout=120)

    assert partitions(db, "wrong_rows") == partitions(db, "fails_rows") == {}
    errors = dict(
        db.execute("select name, error ->> 'message' from tenuto.run_status where status = 'failed'").fetchall()
    )
    assert errors["udf/wrong"] == "images.wrong returned str; a bundle returns a list of rows"
    assert "not today" in errors["udf/fails"]
    (location,) = db.execute(
        "select p.location from tenuto.partition_versions p"
        " join tenuto.dataset_versions v on v.id = p.dataset_version_id"
        " join tenuto.datasets d on d.id = v.dataset_id where d.name = 'shrink_rows'"
    ).fetchone() or ("",)
    files = Path(place["TENUTO_HOME"]) / "objects" / "datasets" / location
    rows = pads.dataset(sorted(map(str, files.glob("*.parquet"))), format="parquet").to_table().to_pylist()
    assert [(row["n"], row["at"]) for row in rows] == [(10, "2026-11-17"), (20, None)]
    assert all(row["uid"] >= 60_706 for row in rows)
