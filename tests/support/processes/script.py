"""Runs a small program of a user in its own process."""

import subprocess
import sys
from pathlib import Path


def run_script(code: str, way: dict[str, str], folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a program that has `app`, its task `add`, and `way`, the arguments of `app.open`."""
    head = f"import asyncio, os\nfrom tenuto import App\napp = App('shop')\nway = {way!r}\n"
    task = "@app.task\ndef add(x: int, y: int) -> int:\n    return x + y\n"
    (folder / "script.py").write_text(f"{head}{task}{code}")
    return subprocess.run([sys.executable, "script.py"], cwd=folder, capture_output=True, text=True, timeout=60)
