"""What the server remembers of the files of datasets stays bounded."""

from pathlib import Path

import pytest

from tenuto.model.attempt_files import DATASETS
from tenuto.query import sources
from tenuto.query.sources import FileLists
from tenuto.storage.folder import FolderStore


def test_what_was_listed_twice_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_LISTED_FILES", 4)
    store = FolderStore(tmp_path)
    for key in ("a/1.parquet", "a/2.parquet", "b/1.parquet", "b/2.parquet"):
        store.put(f"{DATASETS}{key}", b"x")
    lists = FileLists(store)

    for _ in range(3):
        for location in ("a/", "b/", "none/"):
            listed = lists.files(location, "*.parquet")
            lists._remember((location, "*.parquet"), listed)  # as another query does that listed it at the same time

    assert len(lists.files("a/", "*.parquet")) == 2
