"""What the server remembers of the files of datasets stays bounded."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from tenuto.model.attempt_files import DATASETS
from tenuto.model.jobs import PageOfRows
from tenuto.model.queries import PinnedDataset
from tenuto.query import sources
from tenuto.query.limits import LIMITS
from tenuto.query.process import QueryFailed
from tenuto.query.sources import FileLists, QueryFiles, open_views
from tenuto.storage import folder
from tenuto.storage.base import StoredItem, TooManyObjects
from tenuto.storage.folder import FolderStore


def test_what_was_listed_twice_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_LISTED_FILES", 4)
    store = FolderStore(tmp_path)
    for key in ("a/1.parquet", "a/2.parquet", "b/1.parquet", "b/2.parquet"):
        store.put(f"{DATASETS}{key}", b"x")
    lists = FileLists(store)

    for _ in range(3):
        for location in ("a/", "b/", "none/"):
            listed = lists.files(location, "*.parquet", 100)
            lists._remember((location, "*.parquet"), listed)  # as another query does that listed it at the same time

    assert len(lists.files("a/", "*.parquet", 100)) == 2


def test_a_folder_with_too_many_files_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = FolderStore(tmp_path)
    for number in range(300):
        store.put(f"{DATASETS}a/{number // 10}/{number}.parquet", b"x")
    looked_at = 0

    def counted(key: str, entry: Any) -> StoredItem:
        nonlocal looked_at
        looked_at += 1
        return item_of(key, entry)

    item_of = folder._item
    monkeypatch.setattr(folder, "_item", counted)
    with pytest.raises(TooManyObjects, match="more than 21 files"):
        FileLists(store).files("a/", "*.csv", 20)
    assert looked_at == 22
    assert len(FileLists(store).files("a/", "**/*.parquet", 300)) == 300


def test_the_files_of_all_datasets_of_a_query_are_counted_while_they_are_listed(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    for number in range(40):
        store.put(f"{DATASETS}d/v/{number}/0.parquet", b"x")
    listed = list[str]()

    class Counted(FolderStore):
        def list_all(self, prefix: str, *, max_objects: int) -> list[StoredItem]:
            listed.append(prefix)
            return super().list_all(prefix, max_objects=max_objects)

    pinned = PinnedDataset(
        name="d", dataset_id=uuid4(), version_id=uuid4(), dag="shop", dag_version=1, storage={"kind": "file"},
        storage_location="d/v/", columns=None, unique_key=None, locations=[f"d/v/{number}/" for number in range(40)],
        purged=False, where=None,
    )  # fmt: skip

    async def read_rows(number: int, version_id: UUID, location: str, page: int) -> PageOfRows:
        raise AssertionError((number, version_id, location, page))

    async def open_them() -> None:
        files = QueryFiles(Counted(tmp_path), 1)
        try:
            await open_views([pinned], files, read_rows, replace(LIMITS, files=9))
        finally:
            files.close()

    with pytest.raises(QueryFailed, match="more than 9 files"):
        asyncio.run(open_them())
    assert 9 < len(listed) < 20
