"""The package offers what it says and asks for what it says."""

import re
import tomllib
from pathlib import Path

import tenuto

ROOT = Path(__file__).parents[2]


def test_every_exported_name_exists_and_is_public():
    assert sorted(tenuto.__all__) == list(tenuto.__all__)
    assert [name for name in tenuto.__all__ if name.startswith("_") or not hasattr(tenuto, name)] == []


def test_the_lock_is_made_from_the_dependencies_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = (ROOT / "requirements" / "runtime.in").read_text().splitlines()

    assert set(project["dependencies"]) <= set(listed)


def test_locks_are_pinned_by_hash_and_name_no_place():
    for lock in (ROOT / "requirements").glob("*.txt"):
        text = lock.read_text()
        pins = re.findall(r"^\S+==", text, re.MULTILINE)
        assert len(pins) > 5
        assert re.findall(r"^\S+==.*(?<!\\)$", text, re.MULTILINE) == [], f"{lock.name} holds a pin without a hash"
        assert re.findall(r"https?:|file:|--index|--find-links|/opt/", text) == []
