"""`tenuto up --reload`: changed code runs, and broken code waits for its correction."""

import os
from itertools import count
from pathlib import Path

from tests.support.processes.terminal import Terminal

CODE = """
from tenuto import App
from words import WORD

app = App("shop")


@app.task
def say() -> str:
    return WORD
"""
_times = count(1)


def write(file: Path, text: str) -> None:
    """Written at once, with a time of its own even where the clock of files is coarse."""
    part = file.with_suffix(".part")
    part.write_text(text)
    at = part.stat().st_mtime_ns + next(_times) * 1_000_000_000
    os.utime(part, ns=(at, at))
    part.replace(file)


def test_changed_code_runs_and_a_syntax_error_waits_for_its_correction(database: str, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, TENUTO_DATABASE_URL=database, TENUTO_HOME=str(tmp_path / "home"))
    words = tmp_path / "words.py"
    write(words, "WORD = 'one'\n")
    write(tmp_path / "tasks.py", CODE)
    with terminal.running("tenuto up tasks.py --reload", tmp_path / "up.log") as up:
        up.wait_for("Ctrl-C to stop")
        assert terminal.run("tenuto start shop.say --wait").stdout.strip().endswith('"one"')

        write(words, "WORD = 'two'\n")
        up.wait_for("words.py changed: starting the worker again")
        write(words, "WORD = 'thr\n")
        up.wait_for("words.py changed: starting the worker again", times=2)
        up.wait_for("tasks.py cannot be imported: SyntaxError")
        up.wait_for("the worker starts again after the next change of a file")
        write(words, "WORD = 'three'\n")
        up.wait_for("words.py changed: starting the worker again", times=3)
        assert terminal.run("tenuto start shop.say --wait").stdout.strip().endswith('"three"')
        assert up.said().count("Ctrl-C to stop") == 1


def test_reload_without_an_app_says_what_to_write(tmp_path: Path) -> None:
    refused = Terminal(tmp_path, TENUTO_HOME=str(tmp_path / "home")).run("tenuto up --reload")

    assert refused.returncode == 2
    assert "--reload needs an app: write tenuto up --reload module:app" in refused.stderr
