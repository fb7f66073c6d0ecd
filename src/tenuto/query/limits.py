"""The limits of one query."""

from dataclasses import dataclass

MB = 1 << 20
MAX_SQL_CHARS = 100_000
MAX_DATASETS = 20
MAX_NAME_CHARS = 128
MAX_ROWS = 1_000_000


@dataclass(frozen=True)
class QueryLimits:
    """The resources of one query. `memory`: the memory of its process; DuckDB gets half of it."""

    seconds: float = 30.0  # counted from when a process starts to work on the query
    send_seconds: float = 60.0  # for sending the result, counted from its first block
    result_bytes: int = 256 * MB
    scan_bytes: int = 16 << 30  # read from the files of datasets
    memory: int = 2048 * MB
    files: int = 20_000


LIMITS = QueryLimits()
