"""Each bug of bugs.py is noticed by the test named for it. Without the bug that test passes, elsewhere in the suite."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.planted.bugs import BUGS
from tests.planted.plant import Bug, PatchDoesNotFit, Runner, a_runner, edited_files, planted

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def runner(server: str, server_folder: Path) -> Iterator[Runner]:
    with a_runner(server_folder) as runner:
        yield runner


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_planted_bug_is_noticed(bug: Bug, server: str, lean_template: str, runner: Runner) -> None:
    with planted(bug, server, lean_template) as copy:
        assert runner.run([bug.test], copy) == "1 failed"


def test_a_bug_whose_text_is_gone_is_not_taken_for_noticed() -> None:
    gone = Bug("gone", "nothing", (("runs/claim/_claim.sql", "no such clause", ""),))

    with pytest.raises(PatchDoesNotFit):
        edited_files(gone)
