"""What every store does with objects, on a folder and on a real S3 server."""

import io
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tenuto.storage import open_store
from tenuto.storage.base import StorageProblem, Store, data_object_key, try_out

PART_BYTES = 16 << 20
HOSTILE = [
    "", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/..", "a/./b", ".hidden", "a/.part", "a\\b", "a b",
    "a\0b", "a\nb", "ä", "%", "%2", "%2f", "%2e%2e", "a?b", "a#b", "a*b", "a" * 256,
    "/".join(["a" * 200] * 5),
]  # fmt: skip


def keys(store: Store, prefix: str) -> list[str]:
    return [item.key for item in store.list(prefix)]


def test_what_is_stored_comes_back_whole_or_in_pieces(store: Store):
    contents = {"a/empty": b"", "a/small": b"\x00\xff" * 10, "a/%2F=~": bytes(range(256)) * 4096}

    for key, content in contents.items():
        uri = store.put(key, content)
        assert (uri, store.key_of(uri)) == (store.uri_of(key), key)
        assert uri.startswith(store.root)
        assert store.get(key) == content
        with store.open(key) as file:
            assert file.read(5) + file.read() == content
            file.seek(-7, io.SEEK_END) if len(content) > 7 else file.seek(0)
            assert file.read() == content[-7:]

    assert [(item.key, item.size) for item in store.list("a/")] == [
        (key, len(contents[key])) for key in sorted(contents)
    ]


def test_a_second_put_replaces_the_first_and_a_second_delete_does_nothing(store: Store):
    store.put("a/b", b"first")
    store.put("a/b", b"second")
    assert store.get("a/b") == b"second"

    store.delete("a/b")
    store.delete("a/b")

    assert keys(store, "a/") == []
    with pytest.raises(StorageProblem, match=r"cannot read .*a/b"):
        store.get("a/b")
    with pytest.raises(StorageProblem, match=r"cannot read .*a/b"):
        store.open("a/b")


def test_the_rest_of_a_file_is_stored_in_parts(store: Store):
    with tempfile.TemporaryFile() as file:
        file.write(b"skipped")
        file.seek(PART_BYTES + 1000)
        file.write(b"the end")
        file.seek(7)
        store.put_file("large", file)

    with store.open("large") as stored:
        assert (stored.seek(0, io.SEEK_END), stored.seek(0)) == (PART_BYTES + 1000, 0)
        size, last = 0, b""
        while piece := stored.read(1 << 20):
            size, last = size + len(piece), piece
    assert (size, last[-8:]) == (PART_BYTES + 1000, b"\0the end")


class Broken(io.BytesIO):
    """A file whose disk fails after its first bytes."""

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell() > 0:
            raise OSError(5, "Input/output error")
        return super().read(size)


def test_a_put_that_fails_leaves_what_was_there(store: Store):
    store.put("a/kept", b"old")

    for key in ("a/kept", "a/new"):
        with pytest.raises((StorageProblem, OSError)):
            store.put_file(key, Broken(bytes(2 * PART_BYTES)))

    assert keys(store, "a/") == ["a/kept"]
    assert store.get("a/kept") == b"old"


def test_of_writers_at_the_same_time_one_wins_whole(store: Store):
    contents = [bytes([number]) * 100_000 for number in range(8)]

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda content: store.put("a/race", content), contents))

    assert store.get("a/race") in contents
    assert keys(store, "a/") == ["a/race"]


@pytest.mark.parametrize("key", HOSTILE)
def test_a_key_has_one_spelling_inside_of_the_store(tmp_path: Path, key: str):
    for store in (open_store((tmp_path / "objects").as_uri()), open_store("s3://bucket/prefix")):
        for call in (store.get, store.open, store.delete, store.uri_of, lambda key, own=store: own.put(key, b"x")):
            with pytest.raises(StorageProblem):
                call(key)
        for call in (store.list, store.delete_prefix):
            with pytest.raises(StorageProblem):
                call(f"{key}/")
        for uri in (f"{store.root}{key}", f"{store.root}x/../{key}"):
            with pytest.raises(StorageProblem):
                store.key_of(uri)
    assert list(tmp_path.iterdir()) == []


def test_the_uri_of_another_store_is_refused(store: Store):
    store.put("a", b"mine")
    others = [
        "file:///etc/passwd",
        "file://host/a",
        "s3://other/a",
        "https://x/a",
        store.root,
        store.root[:-1],
        "",
        "a",
    ]
    others += [
        store.uri_of("a") + "?x",
        store.uri_of("a") + "#x",
        store.root[:-1] + "-other/a",
    ]

    for uri in others:
        with pytest.raises(StorageProblem):
            store.key_of(uri)


def test_a_listing_has_pages_that_lose_nothing(store: Store):
    stored = ["p/a-b", "p/a/x", "p/a/y/z", "p/aa", "p/b=1/c", "p/b=2/c"]
    for key in [*reversed(stored), "pa", "q/a"]:
        store.put(key, b"x")

    pages, after = [], None
    while page := store.list("p/", after=after, limit=2):
        pages.append([item.key for item in page])
        after = pages[-1][-1]

    assert [len(page) for page in pages] == [2, 2, 2]
    assert [key for page in pages for key in page] == keys(store, "p/")
    assert sorted(keys(store, "p/")) == stored
    assert keys(store, "p/a/") == ["p/a/x", "p/a/y/z"]
    assert keys(store, "nothing/") == keys(store, "p/aa/") == []
    assert keys(store, "p/b%3D1/") == []


def test_a_prefix_is_deleted_with_everything_below_and_nothing_beside_it(store: Store):
    for key in ("p/a/1", "p/a/b/2", "p/ab/3", "p/a.4"):
        store.put(key, b"x")

    assert [store.delete_prefix("p/a/") for _ in range(2)] == [2, 0]

    assert keys(store, "p/") == ["p/a.4", "p/ab/3"]
    with pytest.raises(StorageProblem, match="does not end with /"):
        store.delete_prefix("p/a")


def test_more_objects_than_a_page_are_deleted(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(type(store).list, "__kwdefaults__", {"after": None, "limit": 2})
    for number in range(5):
        store.put(f"p/{number}", b"x")

    assert (store.delete_prefix("p/"), keys(store, "p/")) == (5, [])


def test_a_store_that_works_can_be_tried_out_and_is_empty_afterwards(store: Store):
    try_out(store)

    assert keys(store, "doctor/") == []


def test_data_objects_are_spread_over_folders():
    assert data_object_key("01A1df21-cfcf-7b02-b26d-41eb25a904F1") == "data/f1/01A1df21-cfcf-7b02-b26d-41eb25a904F1"
