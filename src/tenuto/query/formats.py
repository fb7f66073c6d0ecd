"""Writes the result of a query as JSON, CSV or an Arrow stream, block by block. Runs inside of the sandbox."""

import base64
import csv
import io
import json
import math
from collections.abc import Callable
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Protocol, cast
from uuid import UUID

import pyarrow as pa
import pyarrow.ipc as ipc

Send = Callable[[bytes], None]
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))  # json.dumps would create an encoder per row
_PLAIN_TYPES = (pa.string(), pa.int64(), pa.int32(), pa.int16(), pa.bool_())


class ResultWriter(Protocol):
    """Writes one result. `begin` sends what precedes the rows, `write` the rows of a batch, `end` what follows the
    rows."""

    def begin(self, schema: pa.Schema) -> None: ...

    def write(self, batch: pa.RecordBatch) -> None: ...

    def end(self, *, truncated: bool) -> None: ...


class JsonWriter:
    """Writes `"columns": […], "rows": [[…], …], "row_count": n, "truncated": false}`. The server writes the beginning
    of the JSON object."""

    def __init__(self, send: Send) -> None:
        self._send, self._rows = send, 0

    def begin(self, schema: pa.Schema) -> None:
        columns = [{"name": field.name, "type": str(field.type)} for field in schema]
        self._send(f'"columns":{json.dumps(columns)},"rows":['.encode())

    def write(self, batch: pa.RecordBatch) -> None:
        rows = [_ENCODER.encode(row) for row in _rows(batch)]
        if rows:
            self._send(((",\n" if self._rows else "\n") + ",\n".join(rows)).encode("utf-8", "replace"))
        self._rows += len(rows)

    def end(self, *, truncated: bool) -> None:
        self._send(f'],"row_count":{self._rows},"truncated":{json.dumps(truncated)}}}\n'.encode())


class CsvWriter:
    """Writes a line of column names, then a line per row. Nested values are JSON."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def begin(self, schema: pa.Schema) -> None:
        self._write([schema.names])

    def write(self, batch: pa.RecordBatch) -> None:
        self._write([[_cell(value) for value in row] for row in _rows(batch)])

    def end(self, *, truncated: bool) -> None:
        """Write nothing: CSV has no place to say that rows are missing, so the server ends such a response early."""

    def _write(self, rows: list[list[str]]) -> None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        self._send(text.getvalue().encode("utf-8", "replace"))


class ArrowWriter:
    """Writes the streaming format of Arrow."""

    def __init__(self, send: Send) -> None:
        self._send, self._buffer = send, io.BytesIO()

    def begin(self, schema: pa.Schema) -> None:
        self._stream = ipc.new_stream(self._buffer, schema)
        self._flush()

    def write(self, batch: pa.RecordBatch) -> None:
        self._stream.write_batch(batch)
        self._flush()

    def end(self, *, truncated: bool) -> None:  # noqa: ARG002 (as for CSV)
        self._stream.close()
        self._flush()

    def _flush(self) -> None:
        if block := self._buffer.getvalue():
            self._send(block)
            self._buffer.seek(0)
            self._buffer.truncate()


WRITERS: dict[str, Callable[[Send], ResultWriter]] = {"json": JsonWriter, "csv": CsvWriter, "arrow": ArrowWriter}


def writer_of(format: str, send: Send) -> ResultWriter:
    return WRITERS[format](send)


def _rows(batch: pa.RecordBatch) -> list[list[object]]:
    columns = [_values(column) for column in batch.columns]
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in range(len(batch))]


def _values(column: pa.Array) -> list[object]:
    """Return the values of a column as JSON values. Values of plain types need no conversion."""
    values: list[object] = column.to_pylist()
    return values if column.type in _PLAIN_TYPES else [_value(value) for value in values]


def _value(value: object) -> object:
    """Return a value as a JSON value: decimal fractions, times, intervals and ids are texts, bytes are base64."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case date() | time():
            return value.isoformat()
        case Decimal():
            return str(value) if cast(int, value.as_tuple().exponent) < 0 else int(value)
        case UUID():
            return str(value)
        case timedelta():
            return value.total_seconds()
        case pa.MonthDayNano():
            return _duration(value)
        case bytes():
            return base64.b64encode(value).decode()
        case dict():
            return {str(key): _value(item) for key, item in cast("dict[object, object]", value).items()}
        case list() | tuple():
            return [_value(item) for item in cast("list[object]", value)]
        case _:
            return str(value)


def _duration(interval: "pa.MonthDayNano") -> str:
    """Return an interval as ISO 8601 writes it, such as P1M2DT5400S."""
    seconds, nanos = divmod(abs(interval.nanoseconds), 10**9)
    fraction = f".{nanos:09}".rstrip("0") if nanos else ""
    sign = "-" if interval.nanoseconds < 0 else ""
    return f"P{interval.months}M{interval.days}DT{sign}{seconds}{fraction}S"


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False)
