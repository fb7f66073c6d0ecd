"""Every example does what its header says: in two terminals, with real processes."""

import ast
import re
from pathlib import Path

import pytest

from tests.support.processes.terminal import ROOT, Terminal

FOLDER = ROOT / "examples"
COMMAND = re.compile(r"^In (?:one terminal|another).*?:\s+(.+)$", re.MULTILINE)

PRINTED = {
    "01_hello": "hello, world\n2 + 3 = 5\n1000 sums, together 999000\n",
    "02_retries": "order 1 charged on attempt 3\nanswered on attempt 2\n"
    "retries.ship failed after 1 of 5 attempts: there is no country 'Atlantis'\n"
    "retries.hang failed after 2 of 2 attempts: it ran longer than its timeout of 0.5 s\n",
    "03_graph": "published a total of 100\n(1 + 2) + (3 + 4) = 10\n",
    "04_map_reduce": "5 of 5 tasks completed\n5 × of\n5 × the\n4 × he\n",
    "05_children": "7 pages, 8 tasks in one run\nsum of a thousand squares: 332833500\n",
    "07_transaction": "order 1 is confirmed\nrefused: amount_is_positive\n1 order, 1 task\n",
    "08_signals_and_sleep": "receipt for ada, approved by bob\nno answer: reminded\n",
    "09_data_objects": "saved 3,021,967 bytes: {'saved.words': 24896, 'saved.zeros': 2997071}\n"
    "unpacked again: True\nsum of a big result: 124999750000\n",
    "10_limits": "ada had at most 2 calls at a time\nbob had at most 2 calls at a time\n"
    "15 pings at 10 per second took more than a second: True\n",
}


@pytest.fixture
def terminal(database: str, tmp_path: Path) -> Terminal:
    """In the root of the checkout, where the headers are meant."""
    return Terminal(ROOT, TENUTO_DATABASE_URL=database, TENUTO_HOME=str(tmp_path / "home"))


def commands(name: str) -> tuple[str, str]:
    """What the header says to type: first the command that stays."""
    header = ast.get_docstring(ast.parse((FOLDER / f"{name}.py").read_text())) or ""
    first, second = COMMAND.findall(header)
    return first, second


@pytest.mark.parametrize("name", PRINTED)
def test_an_example_prints_what_it_is_about(name: str, terminal: Terminal, tmp_path: Path) -> None:
    stays, ends = commands(name)

    with terminal.running(stays, tmp_path / "log"):
        done = terminal.run(ends)

    assert (done.stdout, done.stderr) == (PRINTED[name], "")


def test_the_example_of_cron_ticks_and_its_schedules_are_listed(terminal: Terminal, tmp_path: Path) -> None:
    stays, ends = commands("06_cron")

    with terminal.running(stays, tmp_path / "log") as worker:
        worker.wait_for("tick 20", times=2)
        listed = terminal.run(ends)

    assert re.search(r"^clock\.clean_up +30 3 \* \* MON-FRI +Europe/Berlin +skip", listed.stdout, re.MULTILINE)
    assert re.search(r"^clock\.tick +\*/2 \* \* \* \* \* +UTC +one", listed.stdout, re.MULTILINE)
    seconds = [int(moment) for moment in re.findall(r"tick \S+:(\d\d)Z", worker.said())]
    assert [moment % 2 for moment in seconds] == [0] * len(seconds)


def test_every_example_is_run_and_stays_short() -> None:
    lengths = {path.stem: len(path.read_text().splitlines()) for path in FOLDER.glob("[0-9]*.py")}

    assert set(lengths) == {*PRINTED, "06_cron"}
    assert {name: length for name, length in lengths.items() if length > 60} == {}
