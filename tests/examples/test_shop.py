"""The tests of the example shop pass, as its README says."""

from pathlib import Path

from tests.support.postgres.server import copy_home
from tests.support.processes.terminal import ROOT, Terminal


def test_the_tests_of_the_shop_pass(testing_home: Path, tmp_path: Path) -> None:
    copy_home(testing_home, tmp_path / "home" / "testing")
    terminal = Terminal(ROOT / "examples" / "shop", TENUTO_HOME=str(tmp_path / "home"))

    done = terminal.run("pytest -q -p no:cacheprovider test_shop.py")

    assert "5 passed" in done.stdout, done.stdout + done.stderr
