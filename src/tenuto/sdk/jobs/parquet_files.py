"""Writes rows to Parquet files, stages them in the object store, and finds the files of stored partitions."""

import json
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

from tenuto.model.attempt_files import DATASETS
from tenuto.sdk.jobs.rows import Rows
from tenuto.storage.base import StorageProblem, StorageUnavailable, Store
from tenuto.storage.folder import FolderStore
from tenuto.storage.listing import GLOB, MARKER, stored_files

MAX_ROW_GROUP_ROWS = 1 << 20
MAX_ROW_GROUP_BYTES = 128 << 20  # in memory
MAX_FILE_ROWS = 10 * MAX_ROW_GROUP_ROWS
COMPRESSION = "zstd"


@dataclass(frozen=True)
class ParquetFile:
    """One file of a partition, on this machine."""

    path: Path
    rows: int
    bytes: int
    digest: str


def write_files(rows: Rows, folder: Path, *, rows_per_file: int = MAX_FILE_ROWS) -> list[ParquetFile]:
    """Write the rows to files in a folder. Writes at least one file, so that a partition without rows has columns."""
    files: list[ParquetFile] = []
    tables = _row_groups(rows, min(rows_per_file, MAX_ROW_GROUP_ROWS))
    table = next(tables, None)
    while table is not None or not files:
        path, written = folder / f"part-{len(files):05}.parquet", 0
        with pq.ParquetWriter(path, rows.schema, compression=COMPRESSION) as writer:
            while table is not None and (written == 0 or written + table.num_rows <= rows_per_file):
                writer.write_table(table)
                written += table.num_rows
                table = next(tables, None)
        with path.open("rb") as file:
            digest = _digest(file)
        files.append(ParquetFile(path, written, path.stat().st_size, digest))
    return files


def _row_groups(rows: Rows, most: int) -> Iterator[pa.Table]:
    """Yield the rows in tables of up to `most` rows or about 128 MB. Small batches are joined, because many small row
    groups would make files large and slow."""
    held: list[pa.RecordBatch] = []
    count = size = 0
    for whole in rows.batches:
        batch = whole
        while len(batch):
            part = batch.slice(0, most - count)
            batch = batch.slice(len(part))
            held.append(part)
            count, size = count + len(part), size + part.nbytes
            if count == most or size >= MAX_ROW_GROUP_BYTES:
                yield pa.Table.from_batches(held)
                held, count, size = [], 0, 0
    if held:
        yield pa.Table.from_batches(held)


def fingerprint(files: Iterable[ParquetFile]) -> str:
    """Return a hash of the content. Equal rows in the same order have the same hash, if the same version of pyarrow
    wrote them."""
    return sha256("".join(file.digest for file in files).encode()).hexdigest()


def stage(store: Store, prefix: str, files: Iterable[ParquetFile]) -> None:
    """Copy the files to a staging prefix, and then the marker that lists them. Nothing reads the files before they are
    committed."""
    listed = list(files)
    for file in listed:
        with file.path.open("rb") as content:
            store.put_file(f"{DATASETS}{prefix}{file.path.name}", content)
    marker = {"files": [{"name": file.path.name, "bytes": file.bytes, "sha256": file.digest} for file in listed]}
    store.put(f"{DATASETS}{prefix}{MARKER}", json.dumps(marker).encode())


def damage(store: Store, location: str) -> Iterator[tuple[str, str]]:
    """Yield the files of a committed partition that differ from what was staged, each with what is wrong."""
    prefix = f"{DATASETS}{location}"
    try:
        listed = json.loads(store.get(f"{prefix}{MARKER}"))["files"]
    except StorageUnavailable:
        raise
    except (StorageProblem, ValueError, KeyError, TypeError) as error:
        yield MARKER, f"the marker cannot be read: {error}"
        return
    for expected in listed:
        name = str(expected["name"])
        try:
            with store.open(f"{prefix}{name}") as file:
                found = _digest(file)
        except StorageUnavailable:
            raise
        except StorageProblem as error:
            yield name, f"the file cannot be read: {error}"
            continue
        if found != expected["sha256"]:
            yield name, "the file is not the one that was written: its hash differs"


def local_files(store: Store, locations: Iterable[str], scratch: Path, glob: str = GLOB) -> list[Path]:
    """Return the files of committed partitions as files of this machine. Files in a bucket are copied to `scratch`."""
    return [
        _local_file(store, file.key, scratch / str(number))
        for number, location in enumerate(locations)
        for file in stored_files(store, location, glob)
    ]


def _local_file(store: Store, key: str, scratch: Path) -> Path:
    if isinstance(store, FolderStore):
        return store.path(key)
    target = scratch / quote(key, safe="")[-200:]
    scratch.mkdir(parents=True, exist_ok=True)
    with store.open(key) as source, target.open("wb") as copy:
        shutil.copyfileobj(source, copy, 1 << 20)
    return target


def _digest(file: BinaryIO) -> str:
    hash = sha256()
    while part := file.read(1 << 20):
        hash.update(part)
    return hash.hexdigest()
