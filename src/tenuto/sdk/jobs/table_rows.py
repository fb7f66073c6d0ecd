"""Uploads and downloads the rows of datasets in Postgres: in pages, with values as texts."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tenuto.model.json import JsonObject
from tenuto.sdk.context.attempt_api import AttemptCaller
from tenuto.sdk.context.control import Fail
from tenuto.sdk.jobs.columns import Columns
from tenuto.sdk.jobs.parquet_files import ParquetFile

MAX_PAGE_BYTES = 400_000  # of JSON; the rows that the database makes of it may have up to 1 MB
MAX_PAGE_ROWS = 10_000
MAX_PAGES = 1000
BATCH_ROWS = 10_000
BYTES = "\\x"  # before the hexadecimal digits of bytes

Row = list[str | None]


class TableRows:
    """The rows of one input or output of a job. The DAG declares its columns."""

    def __init__(self, calls: AttemptCaller, name: str, columns: Sequence[JsonObject]) -> None:
        self._calls, self._name = calls, name
        self._schema = Columns(name, columns).schema

    def upload(self, output: int, location: str, files: Iterable[ParquetFile]) -> None:
        """Stage the rows of the files at a location of the attempt."""
        for number, page in enumerate(self._pages(files)):
            if number == MAX_PAGES:
                raise Fail(
                    f"{self._name} is too large for a dataset in Postgres: a partition has up to {MAX_PAGES:,} pages "
                    f"of {MAX_PAGE_BYTES:,} bytes or {MAX_PAGE_ROWS:,} rows; write storage: {{kind: file}}"
                )
            call = self._calls.api.call("stage_rows", output=output, location=location, page=number, rows=page)
            self._calls.wait(call)

    def download(self, input: int, locations: Iterable[str], folder: Path) -> list[Path]:
        """Copy the rows of locations to Parquet files, one file per location, in the order of the locations."""
        return [
            self._copy(input, location, folder / f"rows-{input}-{number}.parquet")
            for number, location in enumerate(locations)
        ]

    def _copy(self, input: int, location: str, path: Path) -> Path:
        with pq.ParquetWriter(path, self._schema) as writer:
            page, pages = 0, 1
            while page < pages:
                call = self._calls.api.call("read_rows", input=input, location=location, page=page)
                found = self._calls.wait(call)
                writer.write_table(table_of(self._schema, found["rows"]))
                page, pages = page + 1, found["pages"]
        return path

    def _pages(self, files: Iterable[ParquetFile]) -> Iterator[list[Row]]:
        page: list[Row] = []
        size = 0
        for row in self._rows(files):
            length = len(json.dumps(row))
            if page and (size + length > MAX_PAGE_BYTES or len(page) == MAX_PAGE_ROWS):
                yield page
                page, size = [], 0
            page.append(row)
            size += length
        if page:
            yield page

    def _rows(self, files: Iterable[ParquetFile]) -> Iterator[Row]:
        for file in files:
            with pq.ParquetFile(file.path) as source:
                for batch in source.iter_batches(BATCH_ROWS):
                    columns = [_texts(column) for column in batch.columns]
                    yield from (self._checked([column[no] for column in columns]) for no in range(len(batch)))

    def _checked(self, row: Row) -> Row:
        if any(value is not None and "\0" in value for value in row):
            raise Fail(f"a text of {self._name} contains the character NUL, which Postgres cannot store")
        return row


def table_of(schema: pa.Schema, rows: Sequence[Row]) -> pa.Table:
    """Return the rows of a page as a table with the columns of the schema."""
    return pa.Table.from_arrays(
        [_array([row[no] for row in rows], field.type) for no, field in enumerate(schema)], schema=schema
    )


def _texts(array: pa.Array) -> Row:
    """Return the values as texts that Postgres can read."""
    if pa.types.is_binary(array.type):
        return [None if value is None else f"{BYTES}{value.hex()}" for value in array.to_pylist()]
    return array.cast(pa.string()).to_pylist()


def _array(texts: Row, type: pa.DataType) -> pa.Array:
    """Return texts that Postgres wrote as values of this type."""
    if pa.types.is_binary(type):
        return pa.array([None if text is None else bytes.fromhex(text.removeprefix(BYTES)) for text in texts], type)
    return pa.array(texts, pa.string()).cast(type)
