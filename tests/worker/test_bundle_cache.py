"""The bundles that a machine keeps: the longest unused go when there are too many, and none that may be in use."""

import os
import time
from pathlib import Path

from tenuto.worker.execution.bundle_cache import is_there, prune

DAY = 86_400


def a_bundle(cache: Path, name: str, *, size: int = 100, idle: float = 2 * DAY) -> Path:
    place = cache / (name * 64)
    (place / "code").mkdir(parents=True)
    (place / "code" / "main.py").write_bytes(b"x" * size)
    at = time.time() - idle
    os.utime(place, (at, at))
    return place


def names(cache: Path) -> str:
    return "".join(sorted(place.name[0] for place in cache.iterdir()))


def test_the_longest_unused_go_until_the_rest_fits(tmp_path: Path) -> None:
    for name, days in (("a", 3), ("b", 5), ("c", 4), ("d", 2)):
        a_bundle(tmp_path, name, idle=days * DAY)

    prune(tmp_path, most=250)

    assert names(tmp_path) == "ad"


def test_nothing_goes_while_all_fit(tmp_path: Path) -> None:
    a_bundle(tmp_path, "a", idle=900 * DAY)

    prune(tmp_path, most=100)

    assert names(tmp_path) == "a"


def test_what_was_used_today_stays_however_much_there_is(tmp_path: Path) -> None:
    a_bundle(tmp_path, "a", idle=DAY / 2)
    used = a_bundle(tmp_path, "b")
    a_bundle(tmp_path, "c")

    assert is_there(used)
    prune(tmp_path, most=0)

    assert names(tmp_path) == "ab"


def test_what_is_not_there_is_not_made(tmp_path: Path) -> None:
    assert not is_there(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_which_another_worker_unpacks_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "tmp1234").mkdir()
    a_bundle(tmp_path, "a")

    prune(tmp_path, most=0)

    assert [place.name for place in tmp_path.iterdir()] == ["tmp1234"]
