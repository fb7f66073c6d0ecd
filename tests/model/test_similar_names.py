"""Suggestions for unknown names: what is similar, and names that would take long to compare."""

from difflib import SequenceMatcher
from pathlib import Path

import pytest

import tenuto
from tenuto.model.similar_names import MAX_COMPARED, MAX_NAMES, most_similar


def test_the_most_similar_name_is_suggested() -> None:
    assert most_similar("tims", ["to", "times", "timer"]) in ("times", "timer")
    assert most_similar("prioritty", ["queue", "priority"]) == "priority"
    assert most_similar("x", ["queue", "priority"]) is None
    assert most_similar("runs:reed", ["runs:read"], cutoff=0.99) is None
    assert most_similar("", ["a"]) is most_similar("a", []) is None


def test_long_names_are_not_compared() -> None:
    assert most_similar("a" * 101, ["a" * 101]) is None
    assert most_similar("a" * 99, ["a" * 101, "a" * 100]) == "a" * 100


def test_few_names_are_compared_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    class Counted(SequenceMatcher[str]):
        def ratio(self) -> float:
            nonlocal compared
            compared += 1
            return super().ratio()

    monkeypatch.setattr("tenuto.model.similar_names.SequenceMatcher", Counted)
    similar = [f"{'ab' * 40}{no:05}" for no in range(5000)]

    assert most_similar("ab" * 40 + "00000", similar) == similar[0]
    assert compared == MAX_COMPARED
    assert most_similar("zz", [*["a"] * MAX_NAMES, "zz"]) is None, "names beyond the first ones are left out"


def test_all_suggestions_are_made_in_one_place() -> None:
    root = Path(tenuto.__file__).parent
    users = [path.relative_to(root).as_posix() for path in root.rglob("*.py") if "difflib" in path.read_text()]

    assert users == ["model/similar_names.py"]
