"""The wheel in an empty environment: what `pip install tenuto` brings is enough for the first five minutes."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tenuto.db import embedded
from tests.support.processes.command_line import ROOT
from tests.support.waiting import wait_until

TASKS = """
from tenuto import App

app = App("shop")

@app.task
async def add(x: int, y: int) -> int:
    return x + y
"""


@pytest.mark.soak  # it fetches every dependency
def test_the_wheel_alone_starts_everything_below_a_private_home():
    folder = Path(tempfile.mkdtemp(prefix="tenuto-wheel-"))  # which only its owner can enter
    (folder / "tasks.py").write_text(TASKS)
    tenuto, home = folder / "env" / "bin" / "tenuto", folder / ".local" / "share" / "tenuto"
    alone = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "TERM": "dumb"}
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
    subprocess.run([folder / "env" / "bin" / "pip", "install", "--quiet", *folder.glob("*.whl")], check=True)
    with (folder / "log").open("w") as log:
        up = subprocess.Popen([tenuto, "up", "tasks.py", "--port", "0"], cwd=folder, env=alone, stderr=log)
    try:
        wait_until(lambda: "Ctrl-C to stop everything" in (folder / "log").read_text())
        start = [tenuto, "start", "shop.add", "20", "22", "--wait"]
        done = subprocess.run(start, env=alone, capture_output=True, text=True, check=False)

        assert done.stdout == "42\n", done.stderr
    finally:
        up.terminate()
        assert up.wait(60) == 0
        shutil.rmtree(embedded.status(home).data.parent)
        shutil.rmtree(folder)
