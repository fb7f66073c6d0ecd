"""The whole worker of the page about Headless-WGP, with kill -9 on the way."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.database.compat import insert_wgp, reset_wgp, wgp_task, wgp_worker
from tests.support.database.tasks import Db
from tests.support.docs.pages import blocks_of
from tests.support.waiting import wait_until

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "migrate-from-wgp.md"
# A task that runs until its worker is killed.
HANGS = "def generate(task: dict) -> dict:\n    time.sleep(3600)\n"
Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start(database: str, tmp_path: Path) -> Iterator[Start]:
    (code,) = [block.code for block in blocks_of(PAGE) if block.file == "wgp_worker.py"]
    processes: list[subprocess.Popen[bytes]] = []

    def run(name: str, *, hangs: bool = False) -> subprocess.Popen[bytes]:
        script = tmp_path / f"{name}.py"
        script.write_text(code.replace("def generate(task: dict) -> dict:\n", HANGS) if hangs else code)
        processes.append(subprocess.Popen([sys.executable, script, name], env={"TENUTO_DATABASE_URL": database}))
        return processes[-1]

    yield run
    for process in processes:
        process.kill()
        process.wait()


def test_a_killed_worker_loses_its_task_to_another_one_and_nothing_is_lost(db: Db, start: Start) -> None:
    tasks = [insert_wgp(db, "travel", {"prompt": f"boat {no}"}) for no in range(5)]
    victim = start("gpu-1", hangs=True)
    wait_until(lambda: wgp_task(db, tasks[0])["status"] == "In Progress")
    victim.kill()
    victim.wait()

    start("gpu-2")
    wait_until(lambda: all(wgp_task(db, task)["status"] == "Complete" for task in tasks[1:]))
    assert wgp_task(db, tasks[0])["status"] == "In Progress"
    assert reset_wgp(db, "gpu-1") == 1
    wait_until(lambda: wgp_task(db, tasks[0])["status"] == "Complete")

    ended = [wgp_task(db, task) for task in tasks]
    assert [task["attempts"] for task in ended] == [1, 0, 0, 0, 0]
    assert {task["worker_id"] for task in ended} == {"gpu-2"}
    assert [task["result_data"] for task in ended] == [{"video": f"boat {no}.mp4"} for no in range(5)]
    wait_until(lambda: "vram_total_mb" in wgp_worker(db, "gpu-2")["metadata"])
