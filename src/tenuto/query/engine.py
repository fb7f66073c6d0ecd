"""The process that runs one query. It starts inside of a sandbox, gives up every way to open a file, and waits for the
query.

It knows datasets only as numbered files: it asks the server for ranges of their bytes (`RemoteFile`). The server
decides which files these are before the query runs.
"""

import io
import json
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from typing import cast

import duckdb
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq

from tenuto.model.errors import message_of
from tenuto.model.json import Json, JsonObject
from tenuto.query import gate
from tenuto.query.formats import writer_of
from tenuto.query.frames import MAX_ERROR_CHARS, Channel
from tenuto.query.limits import MAX_DATASETS, MAX_NAME_CHARS
from tenuto.query.remote_files import RemoteFile, rows_table
from tenuto.runtimes.sandbox.privileges import close_files
from tenuto.runtimes.sandbox.spec import Spec
from tenuto.sdk.jobs.columns import Columns, common_schema
from tenuto.sdk.jobs.input_data import filtered
from tenuto.sdk.jobs.select import View, create_view

BATCH_ROWS = 8192
THREADS = 2
NUMBERED_TEXT = pa.dictionary(pa.int32(), pa.string())
DUCKDB_SHARE = 0.5  # of the memory of the process; the rest is for Parquet pages, Arrow batches and results
OUT_OF_MEMORY = "the query needs more memory than a query is allowed to use; aggregate or sort less"
SETTINGS = (
    ("autoinstall_known_extensions", "false"),
    ("autoload_known_extensions", "false"),
    ("allow_community_extensions", "false"),
    ("python_enable_replacements", "false"),
    ("python_scan_all_frames", "false"),
    ("temp_directory", "''"),
    ("max_temp_directory_size", "'0KB'"),
    ("TimeZone", "'UTC'"),
    ("threads", str(THREADS)),
    ("enable_external_access", "false"),
)


def main(connection: socket.socket, spec: Spec) -> None:
    """Prepare the process, then run the one query that the server sends."""
    sys.dont_write_bytecode = True
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    pa.set_cpu_count(THREADS)
    pa.set_io_thread_count(THREADS)
    try:
        database = open_database(int(spec.limits.memory * DUCKDB_SHARE))
        _warm_up(database)
        close_files()
    except Exception as error:
        connection.sendall(json.dumps({"failed": f"{type(error).__name__}: {error}"}).encode() + b"\n")
        raise
    connection.sendall(b'{"ready": true}\n')
    with suppress(EOFError):  # the server no longer needs the process
        _serve(Channel(connection), database)


def open_database(memory: int) -> duckdb.DuckDBPyConnection:
    """Return a database that has no access to files and the network. Its settings cannot be changed any more."""
    database = duckdb.connect(":memory:")
    for name, value in SETTINGS:
        database.execute(f"set {name} = {value}")
    database.execute(f"set memory_limit = '{memory // (1 << 20)}MiB'")
    database.execute("set lock_configuration = true")
    return database


def _warm_up(database: duckdb.DuckDBPyConnection) -> None:
    """Load what a query needs from files (modules, time zones, readers) and start its threads, because the process
    cannot open files later."""
    table = pa.table({"seen_at": pa.array([0], pa.timestamp("us", tz="UTC")), "text": pa.array(["a"])})
    file = io.BytesIO()
    pq.write_table(table, file)
    format = pads.ParquetFileFormat()
    fragment = format.make_fragment(pa.PythonFile(file, mode="r"))
    database.register("warm", pads.FileSystemDataset([fragment], table.schema, format))
    sql = "select seen_at, text, sum(1.5) as n from warm where text > '' group by all order by n"
    gate.check(database, sql)
    for format_name in ("json", "csv", "arrow"):
        reader = database.sql(sql).to_arrow_reader(BATCH_ROWS)
        writer = writer_of(format_name, lambda _: None)
        writer.begin(reader.schema)
        for batch in reader:
            writer.write(batch)
        writer.end(truncated=False)
    database.unregister("warm")


def _serve(channel: Channel, database: duckdb.DuckDBPyConnection) -> None:
    request = channel.receive()
    sql = str(request["sql"])
    try:
        # A longer name cannot be the name of a dataset; its beginning is enough for the error message.
        names = [name[: MAX_NAME_CHARS + 1] for name in gate.check(database, sql)[: MAX_DATASETS + 1]]
        channel.send({"tables": cast(Json, names)})
    except Exception as refusal:  # a query that is refused, or one that is too large to be checked
        return channel.send({"error": str(refusal)[:MAX_ERROR_CHARS]})
    answer = channel.receive()
    try:
        for view in cast("list[JsonObject]", answer["views"]):
            create_view(database, str(view["name"]), _view(channel, view))
        _run(channel, database, sql, str(request["format"]), int(str(request["max_rows"])))
    except (duckdb.OutOfMemoryException, MemoryError):
        channel.send({"error": OUT_OF_MEMORY})
    except Exception as error:  # of DuckDB, Arrow or Python: what the query asked for cannot be done
        text = message_of(error)
        channel.send({"error": OUT_OF_MEMORY if "Out of Memory" in text else text[:MAX_ERROR_CHARS]})


def _run(channel: Channel, database: duckdb.DuckDBPyConnection, sql: str, format: str, max_rows: int) -> None:
    reader = database.sql(sql).to_arrow_reader(BATCH_ROWS)
    writer = writer_of(format, channel.send_bytes)
    batches = iter(reader)
    first = next(batches, None)  # before anything is sent, so that an error can be the whole response
    writer.begin(reader.schema)
    rows, truncated = 0, False
    for batch in chain([first] if first is not None else [], batches):
        if rows + len(batch) > max_rows:
            batch, truncated = batch.slice(0, max_rows - rows), True
        rows += len(batch)
        writer.write(batch)
        if truncated:
            break
    writer.end(truncated=truncated)
    channel.send({"done": {"rows": rows, "truncated": truncated}})


def _view(channel: Channel, view: JsonObject) -> View:
    """Return the data of one dataset. If the dataset has a unique key, the data has one part per commit, because later
    rows replace earlier rows with the same key. Otherwise it has one part."""
    name, columns = str(view["name"]), cast("list[JsonObject] | None", view["columns"])
    schema = Columns(name, columns).schema if columns else None
    parts = cast("list[list[JsonObject]]", view["parts"])
    unique_key = cast("list[str]", view["unique_key"] or [])
    if not unique_key or len(parts) < 2:
        unique_key, parts = [], [[file for part in parts for file in part]]
    if view["kind"] == "rows" or not any(parts):
        if schema is None:
            raise ValueError(f"{name} has no data yet, and no declared columns")
        datasets = [pads.dataset(rows_table(channel, schema, files)) for files in parts]
    else:
        datasets = parquet_datasets(name, [[_open(channel, file) for file in part] for part in parts], schema)
    where = cast(JsonObject, view["where"] or {})
    return View([filtered(dataset, name, where) for dataset in datasets], unique_key)


def _open(channel: Channel, file: JsonObject) -> RemoteFile:
    return RemoteFile(channel, int(str(file["no"])), int(str(file["size"])))


def parquet_datasets(
    name: str, parts: Sequence[Sequence[io.RawIOBase | io.BytesIO]], schema: pa.Schema | None
) -> list[pads.Dataset]:
    """Return each part as a dataset with the columns of `schema`. If `schema` is None, all parts have the columns of
    all files."""
    plain = pads.ParquetFileFormat()
    first = next(plain.make_fragment(pa.PythonFile(file, mode="r")) for part in parts for file in part)
    if schema is None:
        found = [plain.make_fragment(pa.PythonFile(file, mode="r")).physical_schema for part in parts for file in part]
        schema = common_schema(name, found)
    repeated = _repeated_texts(first, schema)
    format = pads.ParquetFileFormat(read_options=pads.ParquetReadOptions(dictionary_columns=repeated))
    for column in repeated:
        schema = schema.set(schema.get_field_index(column), schema.field(column).with_type(NUMBERED_TEXT))
    return [
        pads.FileSystemDataset([format.make_fragment(pa.PythonFile(file, mode="r")) for file in part], schema, format)
        for part in parts
    ]


def _repeated_texts(first: pads.ParquetFileFragment, schema: pa.Schema) -> list[str]:
    """Return the names of the text columns that have few different values in the first file. They are read in the
    dictionary encoding of the file, as numbers and a list of values: a million rows then take 10 ms instead of 48
    ms."""
    stored, metadata = first.physical_schema, first.metadata
    found = {name: metadata.num_row_groups > 0 for name in stored.names if _is_text(stored, name, schema)}
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            small = column.has_dictionary_page and column.total_uncompressed_size < 2 * column.num_values
            if column.path_in_schema in found and not small:
                found[column.path_in_schema] = False
    return [name for name, repeated in found.items() if repeated]


def _is_text(stored: pa.Schema, name: str, declared: pa.Schema) -> bool:
    """Return whether a column is text in a file and in the dataset; False if its name occurs twice."""
    places = [(schema, schema.get_field_index(name)) for schema in (stored, declared)]
    return all(index >= 0 and schema.field(index).type == pa.string() for schema, index in places)
