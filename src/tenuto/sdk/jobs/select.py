"""Runs one SELECT with DuckDB. The SELECT can read the given data and nothing else."""

import re
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pyarrow as pa
import pyarrow.dataset as pads

from tenuto.dag.selects import PARAMETERS
from tenuto.dag.statements import NotOneSelect, one_select, unknown_parameter
from tenuto.sdk.context.control import Fail
from tenuto.sdk.jobs.rows import Rows

MEMORY_LIMIT = "2GB"  # data beyond this is written to the scratch folder
CANCEL_SECONDS = 0.2  # the interval at which a running query is stopped if its attempt should stop
# One thread per query: rows without an `order by` then always come in the same order, and equal data gives equal files.
SETTINGS = (
    ("threads", 1),
    ("memory_limit", MEMORY_LIMIT),
    ("autoinstall_known_extensions", False),
    ("autoload_known_extensions", False),
    ("allow_community_extensions", False),
    ("python_enable_replacements", False),
    ("TimeZone", "UTC"),
)

NOT_AN_INPUT = "If {0} is a dataset, add `- from: {{dataset: {0}}}` to the inputs of the job."

_MISSING_TABLE = re.compile(r"Table with name (\S{1,128}) does not exist")


@dataclass(frozen=True)
class View:
    """The data that a name in SQL refers to. With a unique key, rows of later parts replace rows of earlier parts."""

    parts: Sequence[pads.Dataset]
    unique_key: Sequence[str] = ()


class BadSql(Fail):
    """A SELECT of a job or check cannot be run; the message is DuckDB's."""


@contextmanager
def selected(
    sql: str,
    views: Mapping[str, View],
    scratch: Path,
    *,
    partition: str | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Generator[Rows]:
    """Run a SELECT and yield its rows, to be read inside of the block. `views`: the data that it can read, by name."""
    with (
        TemporaryDirectory(dir=scratch) as own,
        duckdb.connect(":memory:") as connection,
        _interrupted(connection, cancelled),
    ):
        try:
            _confine(connection, views, own)
            statement = one_select(connection, sql)
            known = statement.named_parameters
            if unknown := known - PARAMETERS:
                raise BadSql(unknown_parameter(min(unknown), PARAMETERS))
            relation = connection.sql(statement, params={"partition": partition} if known else None)
            reader = relation.to_arrow_reader()
        except NotOneSelect as error:
            raise BadSql(str(error)) from error
        except duckdb.Error as error:
            missing = _MISSING_TABLE.search(str(error))
            hint = f"\n{NOT_AN_INPUT.format(missing[1])}" if missing else ""
            raise BadSql(f"the SELECT failed: {error}{hint}") from error
        yield Rows(reader.schema, _batches(reader))


def _batches(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    try:
        yield from reader
    except (duckdb.Error, pa.ArrowException, OSError) as error:  # pyarrow raises the last two instead of duckdb.Error
        raise BadSql(f"the SELECT failed: {error}") from error


def _confine(connection: duckdb.DuckDBPyConnection, views: Mapping[str, View], own: str) -> None:
    """Register the data, then remove all other access permanently. `own`: an empty folder for data that does not fit
    into memory, the only folder that SQL can still read."""
    for name, view in views.items():
        create_view(connection, name, view)
    for name, value in SETTINGS:
        connection.execute(f"set {name} = {_literal(value)}")
    connection.execute(f"set temp_directory = {_literal(own)}")
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")


def create_view(connection: duckdb.DuckDBPyConnection, name: str, view: View) -> None:
    """Make the data available to SQL under this name. Columns of the parts are matched by name."""
    if not view.unique_key:
        connection.register(name, view.parts[0])
        return
    for number, part in enumerate(view.parts):
        connection.register(f"{name}.{number}", part)
    union = " union all by name ".join(
        f'select *, {number} as ".no" from {quoted(f"{name}.{number}")}' for number in range(len(view.parts))
    )
    key = ", ".join(map(quoted, view.unique_key))
    connection.execute(
        f'create view {quoted(name)} as select * exclude ".no" from ({union}) '
        f'qualify row_number() over (partition by {key} order by ".no" desc) = 1'
    )


@contextmanager
def _interrupted(connection: duckdb.DuckDBPyConnection, cancelled: Callable[[], bool]) -> Generator[None]:
    """Stop the query if the attempt is cancelled or out of time."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(CANCEL_SECONDS):
            if cancelled():
                connection.interrupt()

    watcher = threading.Thread(target=watch, name="tenuto query", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def quoted(name: str) -> str:
    """Return a name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _literal(value: object) -> str:
    """Return the value of a setting as an SQL literal."""
    return str(value).lower() if isinstance(value, bool | int) else "'" + str(value).replace("'", "''") + "'"
