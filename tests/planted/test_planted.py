"""Each bug of bugs.py is noticed by the test named for it, and by nothing else in the kernel as it is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.planted.bugs import BUGS
from tests.planted.plant import Bug, PatchDoesNotFit, Runner, a_runner, edited_files, planted


@pytest.fixture(scope="module")
def runner(server: str, server_folder: Path) -> Iterator[Runner]:
    with a_runner(server_folder) as runner:
        yield runner


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_planted_bug_is_noticed(bug: Bug, server: str, template: str, runner: Runner) -> None:
    with planted(bug, server, template) as copy:
        assert runner.run([bug.test], copy) == "1 failed"


@pytest.mark.timeout(300)  # thirty tests in one
def test_the_kernel_as_it_is_passes_every_test_that_notices_a_bug(runner: Runner) -> None:
    tests = sorted({bug.test for bug in BUGS})

    assert runner.run(tests) == f"{len(tests)} passed"


def test_a_bug_whose_text_is_gone_is_not_taken_for_noticed() -> None:
    gone = Bug("gone", "nothing", (("runs/claim/_claim.sql", "no such clause", ""),))

    with pytest.raises(PatchDoesNotFit):
        edited_files(gone)
