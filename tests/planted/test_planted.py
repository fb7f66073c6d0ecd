"""Each bug of bugs.py is noticed by the test named for it, and by nothing else in the kernel as it is."""

from pathlib import Path

import pytest

from tests.planted.bugs import BUGS
from tests.planted.plant import Bug, PatchDoesNotFit, planted, run_tests


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_planted_bug_is_noticed(bug: Bug, server: str, server_folder: Path) -> None:
    with planted(bug) as tree:
        assert run_tests([bug.test], server_folder, tree) == "1 failed"


def test_the_kernel_as_it_is_passes_every_test_that_notices_a_bug(server: str, server_folder: Path) -> None:
    tests = sorted({bug.test for bug in BUGS})

    assert run_tests(tests, server_folder) == f"{len(tests)} passed"


def test_a_bug_whose_text_is_gone_is_not_taken_for_noticed() -> None:
    gone = Bug("gone", "nothing", (("runs/_claim.sql", "no such clause", ""),))

    with pytest.raises(PatchDoesNotFit), planted(gone):
        pass
