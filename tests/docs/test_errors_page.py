"""The page of exceptions lists what users can import and catch, all of it and nothing else."""

import re

import tenuto
from tests.support.processes.terminal import ROOT

ROW = re.compile(r"^\| `(\w+)` \| `(\w+)` \|", re.MULTILINE)


def test_the_page_of_exceptions_has_every_exported_one_with_its_base() -> None:
    listed = ROW.findall((ROOT / "docs" / "howto" / "catch-errors.md").read_text())
    exported = {name: getattr(tenuto, name) for name in tenuto.__all__}
    raised = {(name, one.__base__.__name__) for name, one in exported.items() if _is_exception(one)}

    assert len(listed) == len(set(listed))
    assert set(listed) == raised


def _is_exception(one: object) -> bool:
    return isinstance(one, type) and issubclass(one, Exception)
