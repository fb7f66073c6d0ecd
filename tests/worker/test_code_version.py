"""The version of a worker's code: the same for the same files, another for a change in any of them."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tenuto.runtimes.process import start
from tenuto.runtimes.process_settings import ProcessSettings

SCRIPT = """
import sys
from tenuto.sdk.app_loader import load_app
from tenuto.runtimes.code_version import code_version
print(code_version(load_app(sys.argv[1])))
"""
TASKS = """
from tenuto import App
from tenuto.sdk.context.control import ReplayMismatch
from prices import cents

app = App("shop")

@app.task
def charge() -> int:
    return cents

@app.task
def other() -> None:
    raise ReplayMismatch(2, "step 'charge'", "sleep")
"""


def version(folder: Path, *, prices: str = "cents = 100") -> str:
    folder.mkdir(exist_ok=True)
    (folder / "tasks.py").write_text(TASKS)
    (folder / "prices.py").write_text(prices)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "tasks.py"], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_a_version_depends_on_every_imported_file_and_on_nothing_else(tmp_path: Path) -> None:
    first = version(tmp_path / "one")

    assert len(first) == 12
    assert version(tmp_path / "two") == first
    assert version(tmp_path / "two", prices="cents = 101") != first


@pytest.mark.parametrize("hashes_code", [True, False])
def test_a_task_process_reports_the_version_of_the_files_that_it_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hashes_code: bool
) -> None:
    imported = version(tmp_path)
    monkeypatch.chdir(tmp_path)

    async def run() -> dict[str, Any]:
        process = await start(ProcessSettings(["tasks.py"], hashes_code=hashes_code))
        (tmp_path / "prices.py").write_text("cents = 101")
        attempt = {"task_id": "1", "run_id": "1", "no": 1, "failures": 0, "number": 1, "org": "default"}
        process.send({"run": "shop.other", **attempt})
        message = await anext(process.messages())
        await process.shut_down(5)
        return message["outcome"]

    outcome = asyncio.run(run())

    assert (outcome["kind"], outcome["code_version"]) == ("Blocked", imported if hashes_code else None)
