"""`tenuto demo` shows a killed worker and a rollback, and ends everything that it started."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import httpx2
import psutil
import pytest

from record_demo import FRAMES, lines_of
from tenuto.db.connection.errors import NoHome
from tenuto.db.embedded.paths import make_home
from tenuto.demo.home import demo_home
from tests.support.http.both_ways import run_here
from tests.support.postgres.server import copy_home
from tests.support.processes.terminal import BIN, ROOT
from tests.support.waiting import wait_until

LINK = re.compile(r"http://\S+/auth/link\?token=\S+")
VARYING = re.compile(r"(process(?:es)?|order|kill -9|version|in|and) [\d.]+|\b[\d.]+ s\b|(?<=\d )\d+(?=  )")
CHARGE_TWICE = """
from tenuto.demo import shop
write = shop.write
shop.write = lambda line: (write(line), write(line))
"""


@dataclass
class Visitor:
    """A user in an empty folder. The settings of another database are in the environment."""

    folder: Path
    home: Path

    def environment(self, **more: str) -> dict[str, str]:
        path = os.pathsep.join((str(BIN), "/usr/bin", "/bin"))
        other = "postgresql://127.0.0.1:1/of-another-program"
        pg_bin = {name: value for name, value in os.environ.items() if name == "TENUTO_PG_BIN"}
        clean = {"HOME": str(self.home), "PATH": path, "LANG": "C", "TENUTO_DATABASE_URL": other, "TENUTO_ORG": "none"}
        return {**clean, **pg_bin, **more}

    @contextmanager
    def starting(self, *arguments: str, **more: str) -> Iterator["subprocess.Popen[bytes]"]:
        """The demo, which writes into the file `output`."""
        with self.output.open("wb") as output:
            demo = subprocess.Popen(
                [BIN / "tenuto", "demo", *arguments],
                cwd=self.folder,
                env=self.environment(**more),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        try:
            yield demo
        finally:
            demo.kill()
            demo.wait()

    def run(self, *arguments: str, **more: str) -> int:
        with self.starting(*arguments, **more) as demo:
            return demo.wait(240)

    def wait_for(self, text: str) -> None:
        wait_until(lambda: text in self.said(), timeout=240)

    def paste(self, command: str) -> "subprocess.CompletedProcess[str]":
        run = ["/bin/bash", "-c", command]
        return subprocess.run(
            run, cwd=self.folder, env=self.environment(), capture_output=True, text=True, check=False, timeout=120
        )

    @property
    def output(self) -> Path:
        return self.home / "output"

    def said(self) -> str:
        return self.output.read_text()

    def left_running(self) -> list[str]:
        """The processes of this folder."""
        found = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
        return [line for line in found if str(self.folder) in line]


@pytest.fixture
def visitor(migrated_home: Path) -> Iterator[Visitor]:
    """In a folder whose name has a space, with a home of the demo from which only the database is there."""
    parent = Path(tempfile.mkdtemp(prefix="tenuto demo-"))
    parent.chmod(0o755)  # the embedded server may run as another user
    visitor = Visitor(parent / "my project", parent / "user")
    for folder in (visitor.folder, visitor.home):
        folder.mkdir()
        folder.chmod(0o755)
    with demo_home(visitor.folder) as home:
        copy_home(migrated_home, home)
    yield visitor
    visitor.paste(f"env -u TENUTO_DATABASE_URL TENUTO_HOME=.demo {BIN}/tenuto db stop")
    shutil.rmtree(parent)


def text_of(frame: Path) -> list[str]:
    elements = ElementTree.parse(frame).iter("{http://www.w3.org/2000/svg}text")  # noqa: S314 - our own file
    return ["".join(element.itertext()) for element in elements]


def shape(lines: list[str]) -> list[str]:
    return [VARYING.sub("N", line).strip() for line in lines]


def test_the_demo_shows_what_readme_shows_and_leaves_nothing_running(visitor: Visitor) -> None:
    code = visitor.run()
    said = visitor.said()

    assert (code, visitor.left_running()) == (0, []), said
    assert said.isascii()
    assert "\x1b" not in said
    assert [path.name for path in visitor.home.iterdir()] == ["output"]
    lines = said.splitlines()
    for name in FRAMES:
        shown = text_of(ROOT / "docs" / "frames" / f"{name}.svg")
        assert shape(shown) == shape(lines_of(name, lines)), "`make frames` records the pictures again"
    killed = set(re.findall(r"kill -9 (\d+) (\d+)", said)[0])
    charged, shipped = re.findall(r"order 1: (?:charged 42.00 EUR|shipped), by process (\d+)", said)[-2:]
    assert (charged in killed, shipped in killed) == (True, False)

    attempts, lineage, query = [visitor.paste(line.strip()) for line in lines if line.startswith("    env -u ")]

    assert re.findall(r"^(\d of 3) +(\w+)", attempts.stdout, re.MULTILINE) == [
        ("1 of 3", "lost"),
        ("2 of 3", "completed"),
    ]
    assert re.findall(r"^\d +(\w+) +step", attempts.stdout, re.MULTILINE) == ["charge", "ship"]
    assert "orders_raw.total" in lineage.stdout
    assert sorted(query.stdout.split()[2:]) == sorted(["asia", "39337.84", "eu", "33003.58", "us", "42400.25"])


@pytest.mark.slow
def test_a_second_demo_is_shown_in_the_dashboard(visitor: Visitor) -> None:
    assert visitor.run() == 0, visitor.said()

    with visitor.starting("--keep") as demo:
        visitor.wait_for("Ctrl-C to stop everything")
        (link,) = map(httpx2.URL, LINK.findall(visitor.said()))
        cookie = httpx2.get(link, timeout=30).headers["set-cookie"].partition(";")[0]
        runs = httpx2.get(link.join("/v1/runs"), headers={"Cookie": cookie}, timeout=30).text
        with pytest.raises(NoHome, match="another demo uses"), demo_home(visitor.folder):
            pass
        demo.send_signal(signal.SIGINT)

        assert demo.wait(60) == 0, visitor.said()
    assert runs.count("shop.order") == 2
    assert "order 2: shipped" in visitor.said()
    assert "Rollback to version 1" in visitor.said()
    assert visitor.left_running() == []


def test_a_demo_that_charges_twice_says_so_with_the_log_of_its_workers(visitor: Visitor) -> None:
    (visitor.home / "sitecustomize.py").write_text(CHARGE_TWICE)

    code = visitor.run(PYTHONPATH=str(visitor.home))

    assert (code, visitor.left_running()) == (1, []), visitor.said()
    assert "The demo failed: lines of the ledger: ['order 1: charged" in visitor.said()
    assert "worker-1.log:" in visitor.said()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_demo_that_is_stopped_ends_its_workers_and_its_database(visitor: Visitor, number: signal.Signals) -> None:
    with visitor.starting() as demo:
        visitor.wait_for("Two workers are ready")
        demo.send_signal(number)
        code = demo.wait(60)

    wait_until(lambda: not visitor.left_running())
    assert code == (-number if number == signal.SIGKILL else 1)
    assert number == signal.SIGKILL or "Stopped. No process is left running." in visitor.said()


def test_a_demo_whose_output_is_closed_ends(visitor: Visitor) -> None:
    done = visitor.paste(f"{BIN}/tenuto demo | head -1; echo ${{PIPESTATUS[0]}}")

    assert (done.stdout.splitlines()[1:], done.stderr) == (["1"], "")
    assert visitor.left_running() == []


def test_a_database_that_does_not_start_is_named_with_what_to_do(visitor: Visitor) -> None:
    (visitor.folder / ".demo" / "password").write_text("another")

    assert visitor.run() == 3
    assert re.search(r"the database in .*\.demo cannot be used: .*; remove it \(rm -r \.demo\)", visitor.said())
    assert visitor.left_running() == []


def test_without_the_extra_the_demo_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tenuto.cli.commands.demo.find_spec", lambda _: None)

    done = run_here("demo")

    assert done.returncode == 2
    assert done.stderr == (
        "tenuto: the demo needs the package duckdb, which is not installed; pip install 'tenuto[data]'\n"
    )
    assert [*tmp_path.iterdir()] == []


def make_file(folder: Path) -> None:
    (folder / ".demo").touch()


def make_other_home(folder: Path) -> None:
    (make_home(folder / ".demo") / "password").touch()


def make_copy(folder: Path) -> None:
    """As a repository can have it: a home of the demo that was made elsewhere."""
    (folder / "elsewhere").mkdir()
    with demo_home(folder / "elsewhere") as home:
        shutil.copytree(home, folder / ".demo")


def make_project(folder: Path) -> None:
    (folder / ".demo").mkdir()
    (folder / ".demo" / "notes.txt").touch()


def make_link_to_nothing(folder: Path) -> None:
    (folder / ".demo").symlink_to(folder / "file" / "below")
    (folder / "file").touch()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (make_file, "is not a folder"),
        (make_other_home, "has files that no demo on this machine made; remove it (rm -r .demo) or run the demo in"),
        (make_copy, "has files that no demo on this machine made"),
        (make_project, "has files that no demo on this machine made"),
        (make_link_to_nothing, "run it in a folder in which you can create files"),
    ],
)
def test_a_folder_that_is_not_the_demos_is_refused(tmp_path: Path, make, message: str) -> None:  # type: ignore[no-untyped-def]
    make(tmp_path)
    before = sorted(tmp_path.rglob("*"))

    with pytest.raises(NoHome, match=re.escape(message)), demo_home(tmp_path):
        pass
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_the_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    with demo_home(tmp_path) as home:
        pass
    os.chown(home, 65534, -1)

    message = r"belongs to .*; remove it \(rm -r .demo\) or run the demo in another"
    with pytest.raises(NoHome, match=message), demo_home(tmp_path):
        pass


def test_two_demos_in_one_folder_are_refused(tmp_path: Path) -> None:
    with demo_home(tmp_path), pytest.raises(NoHome, match="another demo uses"), demo_home(tmp_path):
        pass
    with demo_home(tmp_path) as home:
        descriptor = os.open(home, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(descriptor)
