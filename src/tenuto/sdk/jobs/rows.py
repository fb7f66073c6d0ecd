"""Turns the data that a job writes into batches of rows. The data is a table, a data frame, a list of dicts or the path
of a Parquet file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pyarrow as pa
import pyarrow.dataset as pads

from tenuto.sdk.context.control import Fail
from tenuto.sdk.jobs.columns import Columns, common_schema

EXPECTED = "a pyarrow Table, a list of dicts, a data frame, or the path of a Parquet file"


@dataclass(frozen=True)
class Rows:
    """Rows that are read once, batch by batch."""

    schema: pa.Schema
    batches: Iterable[pa.RecordBatch]

    def table(self) -> pa.Table:
        """Read all rows."""
        return pa.Table.from_batches(list(self.batches), schema=self.schema)


def rows_of(data: object, columns: Columns | None) -> Rows:
    """Return the rows of the data. With declared columns, data that does not match them raises SchemaDrift."""
    rows = _rows_of(data, columns)
    if columns is None:
        if not rows.schema.names:
            raise Fail("the data has no columns; declare them in the output, or write a pyarrow Table")
        if len(set(rows.schema.names)) < len(rows.schema.names):
            raise Fail(f"two columns of the data have the same name: {', '.join(rows.schema.names)}")
        return Rows(rows.schema.remove_metadata(), _without_metadata(rows.batches))
    columns.check(rows.schema)
    return Rows(columns.schema, columns.convert(rows.batches))


def _rows_of(data: object, columns: Columns | None) -> Rows:
    match data:
        case Rows():
            return data
        case pa.Table():
            return Rows(data.schema, data.to_batches())
        case pa.RecordBatch():
            return Rows(data.schema, [data])
        case pa.RecordBatchReader():
            return Rows(data.schema, data)
        case str() | Path():
            return _read_files(Path(data))
        case _ if hasattr(data, "__arrow_c_stream__"):  # data frames of pandas and polars, relations of DuckDB
            reader = pa.RecordBatchReader.from_stream(data)
            return Rows(reader.schema, reader)
        case Iterable() if not isinstance(data, Mapping | bytes | bytearray):
            return _from_dicts(cast("Iterable[object]", data), columns)
        case _:
            raise Fail(f"a job cannot write {type(data).__name__}; write {EXPECTED}")


def _read_files(path: Path) -> Rows:
    if not path.exists():
        raise Fail(f"there is no file {str(path)[:200]}, and text is the path of a Parquet file; write {EXPECTED}")
    fragments = pads.dataset(str(path), format="parquet").get_fragments()
    schema = common_schema(str(path), (fragment.physical_schema for fragment in fragments))
    reader = pads.dataset(str(path), schema=schema, format="parquet").scanner().to_reader()
    return Rows(reader.schema, reader)


def _from_dicts(data: Iterable[object], columns: Columns | None) -> Rows:
    rows: list[Mapping[str, object]] = []
    for row in data:
        if not isinstance(row, Mapping):
            raise Fail(f"row {len(rows)} of the data is {type(row).__name__}, not a dict; write {EXPECTED}")
        rows.append(cast("Mapping[str, object]", row))
    table = columns.table(rows) if columns else _inferred(rows)
    return Rows(table.schema, table.to_batches())


def _inferred(rows: Sequence[Mapping[str, object]]) -> pa.Table:
    """Return a table whose column types are inferred from the values. A column that a row lacks is null in this row."""
    names = dict.fromkeys(name for row in rows for name in row)
    arrays: dict[str, pa.Array] = {}
    for name in names:
        try:
            arrays[name] = pa.array([row.get(name) for row in rows])
        except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
            raise Fail(f"the values of the column {name} have no common type: {error}") from error
    return pa.table(arrays)


def _without_metadata(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the batches without the metadata that libraries such as pandas add, so that equal data gives equal
    files."""
    for batch in batches:
        yield batch.replace_schema_metadata(None)
