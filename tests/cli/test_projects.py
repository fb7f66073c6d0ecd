"""Projects on one machine: each has an embedded database of its own, which nothing in its folder can replace."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenuto.sdk.project import home_of
from tests.support.postgres.server import copy_home, make_folder
from tests.support.processes.terminal import Terminal

TASKS = "from tenuto import App\napp = App('shop')\n\n@app.task\ndef where() -> str:\n    return '{}'\n"


@pytest.fixture
def machine(migrated_home: Path) -> Iterator[Path]:
    """A folder for projects, with the data folder of an account that has a home for `shop`; a copy, to save time."""
    folder = make_folder("tenuto-projects-")
    (folder / "shop").mkdir()
    (folder / "shop" / "tasks.py").write_text(TASKS.format("project"))
    copy_home(migrated_home, home_of(folder / "shop", folder / "data" / "tenuto"))
    yield folder
    for home in (folder / "data" / "tenuto").iterdir():
        Terminal(folder, TENUTO_HOME=str(home)).run("tenuto db stop")
    shutil.rmtree(folder)


def terminal(machine: Path, folder: str) -> Terminal:
    return Terminal(machine / folder, XDG_DATA_HOME=str(machine / "data"))


def test_up_runs_the_app_of_the_project_from_any_folder_of_it_with_its_own_database(machine: Path) -> None:
    shop = machine / "shop"
    (shop / "pyproject.toml").write_text('[tool.tenuto]\napp = "tasks:app"\nqueues = ["default"]\n')
    (shop / "src").mkdir()
    below = terminal(machine, "shop/src")

    with below.running("tenuto up", machine / "up.log") as up:
        up.wait_for("Ctrl-C to stop")
        assert f"database: embedded, of {shop}\n" in up.said()
        assert "worker: running tasks:app" in up.said()
        assert below.run("tenuto start shop.where --wait").stdout.strip().endswith('"project"')
        status = json.loads(below.run("tenuto db status --json").stdout)
    assert {path.name for path in shop.iterdir()} >= {"pyproject.toml", "src", "tasks.py"}
    assert not (shop / ".tenuto").exists()
    assert (status["home"], status["project"]) == (str(home_of(shop, machine / "data" / "tenuto")), str(shop))


def test_a_home_in_the_folder_of_a_project_is_never_used(machine: Path, migrated_home: Path) -> None:
    (machine / "shop" / "pyproject.toml").write_text("[tool.tenuto]\n")
    planted = machine / "shop" / ".tenuto"
    copy_home(migrated_home, planted)
    with (planted / "data" / "postgresql.conf").open("a") as settings:
        settings.write(f"archive_mode = on\narchive_command = 'touch {machine}/ran'\n")
    before = {path: path.stat().st_mtime_ns for path in planted.rglob("*")}

    done = terminal(machine, "shop").run("tenuto status && tenuto db status")

    assert f"home            {home_of(machine / 'shop', machine / 'data' / 'tenuto')}\n" in done.stdout
    assert {path: path.stat().st_mtime_ns for path in planted.rglob("*")} == before
    assert not (machine / "ran").exists()


def test_a_project_cannot_name_a_folder_as_its_home(machine: Path) -> None:
    (machine / "shop" / "pyproject.toml").write_text('[tool.tenuto]\nhome = ".tenuto"\n')

    done = terminal(machine, "shop").run("tenuto status")

    assert (done.returncode, done.stdout) == (2, "")
    assert (
        'write a name of a-z, 0-9, _ and -, such as home = "shop"; to choose a folder, set TENUTO_HOME' in done.stderr
    )


def test_the_homes_of_the_account_are_listed_and_those_without_a_project_can_be_deleted(machine: Path) -> None:
    shop = terminal(machine, "shop")
    shop.run("tenuto db status")
    home = home_of(machine / "shop", machine / "data" / "tenuto")

    assert shop.run("tenuto db homes").stdout.startswith(f"here: {home}\n\nHOME ")
    (listed,) = json.loads(shop.run("tenuto db homes --json").stdout)["homes"]
    assert listed["bytes"] > 10_000_000
    assert {**listed, "bytes": 0} == {
        "home": str(home), "project": str(machine / "shop"), "gone": False, "running": True, "bytes": 0,
    }  # fmt: skip

    (machine / "shop").rename(machine / "moved")
    moved = terminal(machine, "moved")
    shown = moved.run("tenuto db homes").stdout
    assert re.search(rf"{home} +{machine}/shop +running, project folder is gone +\d+ MB", shown)
    told = moved.run(f"TENUTO_HOME={home} tenuto doctor").stdout
    assert f"1 folder with data of projects that are gone: {home}; delete what you do not need" in told
    here = shown.splitlines()[0].removeprefix("here: ")
    moved.run(f"TENUTO_HOME={home} tenuto db stop && mv {home} {here}")
    moved.run("tenuto db status")
    (listed,) = json.loads(moved.run("tenuto db homes --json").stdout)["homes"]
    assert (listed["home"], listed["project"], listed["gone"]) == (here, str(machine / "moved"), False)


def test_a_start_in_a_folder_without_workers_names_the_projects_that_run(machine: Path, migrated_home: Path) -> None:
    (machine / "empty").mkdir()
    copy_home(migrated_home, home_of(machine / "empty", machine / "data" / "tenuto"))
    empty, shop = terminal(machine, "empty"), terminal(machine, "shop")
    hint = f"this is the embedded database of {machine}/empty; those of other projects run too: {machine}/shop\n"

    assert "other projects" not in empty.run("tenuto start shop.where").stderr
    shop.run("tenuto status")

    assert empty.run("tenuto start shop.where").stderr.endswith(hint)
    missing = empty.run("tenuto runs show 01000000-0000-7000-8000-000000000000")
    assert (missing.returncode, missing.stderr.endswith(hint)) == (2, True), missing.stderr
    script = "from tasks import app, where\nwith app.connect_sync() as tn:\n    tn.start(where).result(timeout=0.1)\n"
    (machine / "empty" / "start.py").write_text(script)
    shutil.copy(machine / "shop" / "tasks.py", machine / "empty")
    assert empty.run("python start.py").stderr.endswith(f"stops it; {hint}")
