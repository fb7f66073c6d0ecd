"""Words that STYLE replaces by plain ones do not come back into code, SQL, help texts or documents."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = ("src/**/*.py", "src/**/*.sql", "docs/**/*.md", "examples/*.py", "tools/*.py", "bench/*.py", "*.md")
BANNED = {
    "whoever": "name the actor: the caller, the client, the worker",
    "somebody": "name the actor: the caller, the client, a user",
    "strangers?": "unauthenticated clients",
    "who asks": "the caller",
    "anew": "again",
    "a mistake of ours": "internal error",
    "MOST|MOST_[A-Z_]+": "MAX_…",
}


def test_the_text_has_no_banned_words() -> None:
    paths = [path for place in PLACES for path in ROOT.glob(place) if "migrations" not in path.parts]
    assert len(paths) > 600
    assert [line for path in paths for line in _banned_lines(path)] == []


@pytest.mark.parametrize("line", ["Wake whoever waits.", "# done anew", "MOST_BYTES = 1"])
def test_a_banned_word_is_found(tmp_path: Path, line: str) -> None:
    (tmp_path / "page.md").write_text(f"fine\n{line}\n")

    assert len(_banned_lines(tmp_path / "page.md")) == 1


def _banned_lines(path: Path) -> list[str]:
    return [
        f"{path}:{number}: write {instead!r} instead of {word!r}"
        for number, text in enumerate(path.read_text().splitlines(), start=1)
        for word, instead in BANNED.items()
        if re.search(rf"\b({word})\b", text)
    ]
