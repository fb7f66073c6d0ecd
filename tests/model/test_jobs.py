"""Tasks of jobs: the folders of their attempts."""

import pytest

from tenuto.model.jobs import partition_folder, staging_prefix
from tests.support.database.loops import value
from tests.support.database.tasks import Db

KEYS = ["2026-11-17", "a/b", "..", ".hidden", "_all", "ä" * 42, "x" * 255, "a b%", "~"]


def test_each_partition_has_a_folder_of_its_own():
    folders = [partition_folder(key) for key in (None, *KEYS)]

    assert folders[:6] == ["_all", "2026-11-17", "a%2Fb", "%2E.", "%2Ehidden", "%5Fall"]
    assert len(set(folders)) == len(folders)
    assert all("/" not in folder and len(folder) <= 255 for folder in folders)
    assert staging_prefix("d/v/", "a/b", "t", 2) == "d/v/a%2Fb/t-2/"


@pytest.mark.parametrize("key", [*KEYS, "x" * 256, "ä" * 43, "." * 254, "." * 253])
def test_the_database_counts_the_bytes_of_a_folder_as_it_is_written(db: Db, key: str):
    valid = value(db, "select tenuto._is_partition_key(%s)", key)

    assert valid == (len(partition_folder(key)) <= 255)
