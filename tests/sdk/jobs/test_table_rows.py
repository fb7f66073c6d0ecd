"""Values of every type survive the way into a table in Postgres and back."""

import asyncio
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.json import JsonObject
from tenuto.sdk.context.attempt_api import AttemptCaller
from tenuto.sdk.context.control import Fail
from tenuto.sdk.jobs.columns import Columns
from tenuto.sdk.jobs.parquet_files import write_files
from tenuto.sdk.jobs.rows import rows_of
from tenuto.sdk.jobs.table_rows import TableRows
from tenuto.testing.unit_context import UnitApi
from tests.support.database.jobs import deployed, publish, trigger
from tests.support.database.tables import LEDGER, fence, location_of
from tests.support.database.tasks import Claim, Db, Worker, a_worker, call

ROWS: list[dict[str, object]] = [
    {
        "b": True, "s": -5, "i": 2**31 - 1, "l": -(2**63), "r": 0.5, "d": 0.1, "v": "ä\n\"'\\ \U0001f600", "t": "",
        "day": date(1969, 7, 20), "at": datetime(2026, 11, 17, 9, 30, 0, 123456),
        "tz": datetime(2026, 11, 17, 9, 30, 0, 1, tzinfo=UTC), "u": "00000000-0000-7000-8000-000000000001",
        "j": '{"b":  1, "a": [1.50]}', "x": b"\x00\xff", "n": Decimal("-12345678901234567.89"),
    },
    {
        "b": False, "s": 0, "i": 0, "l": 0, "r": float("inf"), "d": float("-inf"), "v": "NULL", "t": "\\N",
        "day": date(9999, 12, 31), "at": datetime(1, 1, 1), "tz": datetime(1900, 1, 1, tzinfo=UTC),
        "u": "ffffffff-ffff-ffff-ffff-ffffffffffff", "j": "null", "x": b"", "n": Decimal("0.01"),
    },
]  # fmt: skip
TYPES = "BOOLEAN SMALLINT INTEGER BIGINT REAL DOUBLE VARCHAR TEXT DATE TIMESTAMP TIMESTAMPTZ UUID JSON BLOB"
COLUMNS: list[JsonObject] = [
    {"name": name, "type": type} for name, type in zip(ROWS[0], [*TYPES.split(), "DECIMAL(19,2)"], strict=True)
]


class CallsOf(AttemptCaller):
    """The calls of an attempt that a test holds, made at once."""

    def __init__(self, worker: Worker, claim: Claim) -> None:
        self._worker, self._claim = worker, claim
        self.made: list[str] = []
        self.api = self  # type: ignore[assignment]

    def wait(self, call: Any) -> Any:
        return asyncio.run(call)

    async def call(self, verb: str, **arguments: Any) -> Any:
        self.made.append(verb)
        rows = {"rows": Jsonb(arguments["rows"])} if "rows" in arguments else {}
        found = call(self._worker.db, verb, **fence(self._worker, self._claim), **{**arguments, **rows})
        return found[0] if verb == "read_rows" else None


def written(rows: object, folder: Path, columns: list[JsonObject] = COLUMNS) -> Any:
    return write_files(rows_of(rows, Columns("bookings", columns)), folder)


def test_every_type_and_null_is_read_as_it_was_written(db: Db, tmp_path: Path):
    collect, sums = LEDGER["jobs"]
    output = {"dataset": "bookings", "storage": {"kind": "postgres"}, "columns": COLUMNS}
    deployed(db, {**LEDGER, "jobs": [{**collect, "outputs": [output], "unique_key": ["l"]}, sums]})
    worker = a_worker(db)
    trigger(db, "collect", dag="ledger")
    writer = worker.claim_one()
    files = written([*ROWS, dict.fromkeys(ROWS[0])], tmp_path)
    TableRows(CallsOf(worker, writer), "bookings", COLUMNS).upload(0, location_of(writer), files)
    publish(worker, writer)
    trigger(db, "sum", dag="ledger")
    reader = worker.claim_one()

    (path,) = TableRows(CallsOf(worker, reader), "bookings", COLUMNS).download(0, [location_of(writer)], tmp_path)

    found: pa.Table = pq.read_table(path)
    assert found.to_pylist() == pq.read_table(files[0].path).to_pylist()
    assert found.schema.equals(Columns("bookings", COLUMNS).schema)


def test_many_rows_become_pages_that_the_database_takes(db: Db, tmp_path: Path):
    deployed(db, LEDGER)
    worker = a_worker(db)
    trigger(db, "collect", dag="ledger")
    writer = worker.claim_one()
    calls, columns = CallsOf(worker, writer), writer.input["job"]["outputs"][0]["columns"]
    rows = [{"id": number, "note": "x" * 200_000} for number in range(5)]
    TableRows(calls, "bookings", columns).upload(0, location_of(writer), written(rows, tmp_path, columns))

    assert calls.made == ["stage_rows"] * 5
    files = written([{"id": 1, "note": "a\0b"}], tmp_path, columns)
    with pytest.raises(Fail, match="a text of bookings contains the character NUL"):
        TableRows(calls, "bookings", columns).upload(0, location_of(writer), files)


def test_an_async_function_is_told_how_to_read_rows():
    async def story() -> None:
        calls = AttemptCaller(UnitApi({}, {}, {}, "default"), asyncio.get_running_loop())
        calls.wait(calls.api.call("read_rows"))

    with pytest.raises(Fail, match="cannot be read on the event loop"):
        asyncio.run(story())
