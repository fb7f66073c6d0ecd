"""Rows are written to Parquet files, staged with a marker, and found again."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq

from tenuto.sdk.jobs.parquet_files import damage, fingerprint, local_files, stage, write_files
from tenuto.sdk.jobs.rows import Rows, rows_of
from tenuto.storage import open_store
from tenuto.storage.folder import FolderStore

NUMBERS = pa.table({"n": list(range(10))})


def numbers(rows_per_batch: int) -> Rows:
    return Rows(NUMBERS.schema, NUMBERS.to_batches(max_chunksize=rows_per_batch))


def test_small_batches_become_one_row_group(tmp_path: Path) -> None:
    (file,) = write_files(numbers(3), tmp_path)

    written = pq.ParquetFile(file.path)
    assert (file.rows, file.bytes) == (10, file.path.stat().st_size)
    assert written.metadata.num_row_groups == 1
    assert written.read().equals(NUMBERS)


def test_files_have_no_more_rows_than_asked_for(tmp_path: Path) -> None:
    files = write_files(numbers(4), tmp_path, rows_per_file=4)

    assert [file.rows for file in files] == [4, 4, 2]
    assert pads.dataset([str(file.path) for file in files]).to_table().equals(NUMBERS)


def test_a_partition_without_rows_is_one_file_with_columns(tmp_path: Path) -> None:
    (file,) = write_files(rows_of(NUMBERS.slice(0, 0), None), tmp_path)

    assert file.rows == 0
    assert pq.read_schema(file.path) == NUMBERS.schema


def test_equal_rows_have_the_same_fingerprint_and_other_rows_another(tmp_path: Path) -> None:
    def made(name: str, rows: Rows) -> str:
        folder = tmp_path / name
        folder.mkdir()
        return fingerprint(write_files(rows, folder))

    assert made("a", numbers(3)) == made("b", numbers(10))
    assert made("c", rows_of(NUMBERS.slice(1), None)) != made("d", numbers(10))


def test_staged_files_are_found_again_without_the_marker(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    files = write_files(numbers(4), tmp_path, rows_per_file=4)

    stage(store, "d/v/2026-11-17/t-1/", files)

    found = local_files(store, ["d/v/2026-11-17/t-1/"], tmp_path)
    marker = json.loads(store.get("datasets/d/v/2026-11-17/t-1/_done"))
    assert [path.name for path in found] == ["part-00000.parquet", "part-00001.parquet", "part-00002.parquet"]
    assert pads.dataset([str(path) for path in found]).to_table().equals(NUMBERS)
    assert marker["files"][0] == {
        "name": "part-00000.parquet",
        "bytes": files[0].bytes,
        "sha256": files[0].digest,
    }
    assert local_files(store, ["d/v/2026-11-17/t-1/"], tmp_path, "a*.parquet") == []


def test_files_in_a_bucket_are_downloaded_to_be_read(s3_url: str, tmp_path: Path) -> None:
    store = open_store(s3_url)
    files = write_files(numbers(10), tmp_path)
    stage(store, "d/v/_all/t-1/", files)
    stage(store, "d/v/_all/t-2/", files)

    found = local_files(store, ["d/v/_all/t-1/", "d/v/_all/t-2/"], tmp_path / "scratch")

    assert len(set(found)) == 2
    assert pads.dataset([str(path) for path in found]).to_table().equals(pa.concat_tables([NUMBERS, NUMBERS]))
    assert list(damage(store, "d/v/_all/t-1/")) == []
