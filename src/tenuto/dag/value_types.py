"""Types of values in DAG documents: names, durations, cron expressions, column types."""

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PlainValidator, WithJsonSchema

from tenuto.model.cron import check_cron
from tenuto.model.durations import seconds
from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json

NAME = r"^[a-z][a-z0-9_-]{0,99}$"
DATASET = r"^[a-z][a-z0-9_]{0,127}$"
COLUMN = r"^[A-Za-z_][A-Za-z0-9_]{0,62}$"
SOURCE_COLUMN = r"^[a-z][a-z0-9_-]{0,127}(\.[A-Za-z_][A-Za-z0-9_]{0,62})?$"
OPERATOR = r"^[a-z][a-z0-9_]{0,62}(@[0-9A-Za-z][0-9A-Za-z.-]{0,31})?$"
TASK = r"^[A-Za-z_][A-Za-z0-9_-]{0,99}$"
QUEUE = r"^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,99}$"
LABEL = r"^[A-Za-z0-9][A-Za-z0-9_.:/=-]{0,99}$"
MAX_LABELS = 1000  # characters of all labels of a job; with queue and operator, this stays below the bound of a task
CODE_VERSION = r"^[A-Za-z0-9][A-Za-z0-9_.+:-]{0,99}$"
FUNCTION = r"^[A-Za-z_][\w-]*(\.[A-Za-z_][\w-]*)*$"
BUNDLE = r"^(sha256:)?[0-9a-f]{64}$"
WEBHOOK_PATH = r"^/[a-z0-9][a-z0-9_/-]{0,199}$"
URL = r"^https?://[^\s@/?#]+([/?#]\S*)?$"
HEADER = r"^[A-Za-z][A-Za-z0-9-]{0,63}$"
ROWS = r"^[A-Za-z_][A-Za-z0-9_-]{0,99}(\.[A-Za-z_][A-Za-z0-9_-]{0,99}){0,9}$"
TYPES = (
    "BOOLEAN", "SMALLINT", "INTEGER", "BIGINT", "REAL", "DOUBLE", "VARCHAR", "TEXT", "DATE", "TIMESTAMP",
    "TIMESTAMPTZ", "UUID", "JSON", "BLOB",
)  # fmt: skip

# For each pattern, what to write instead of a text that does not match it.
PATTERNS = {
    NAME: "write 1-100 of a-z, 0-9, _ and -, beginning with a letter",
    DATASET: "write 1-128 of a-z, 0-9 and _, beginning with a letter",
    COLUMN: "write a column's name: letters, digits and _, not beginning with a digit",
    SOURCE_COLUMN: "write INPUT.COLUMN, such as orders.amount, or INPUT alone",
    OPERATOR: "write an operator, or an operator and its version: sql@2",
    TASK: "write the name of a task in the bundle's manifest",
    FUNCTION: "write app.function, the name of a function that an app declares, such as shop.extract",
    QUEUE: "write 1-100 letters, digits and _.:/-",
    LABEL: "write 1-100 letters, digits and _.:/=-, such as gpu",
    CODE_VERSION: 'write a short text, such as "2" or "2026-11-17"',
    BUNDLE: "write the hash that `tenuto bundle push` prints",
    WEBHOOK_PATH: "write a path such as /orders/new",
    URL: "write a URL such as https://example.com/orders, without a user and password",
    HEADER: "write the name of a header, such as Accept",
    ROWS: "write names of keys, such as data.items",
}

_DECIMAL = re.compile(r"DECIMAL\([1-9][0-9]?,[0-9][0-9]?\)")
_GLOB = re.compile(r"[A-Za-z0-9_.*?=-]+(/[A-Za-z0-9_.*?=-]+)*")
_RATE = re.compile(r"rate\(([1-9][0-9]{0,5}) (minute|hour|day)s?\)")


def _duration(value: object) -> str:
    if value == "never":
        return "never"
    if isinstance(value, str) and value != "0":
        seconds(value, "the duration")
        return value
    if value == "0" or (value == 0 and not isinstance(value, bool)):
        return "0"
    raise ValueError(f"{value!r:.80} is not a duration; write 30s, 5m, 1h30m, 0 or never")


def _max_age(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.80} is not a duration; write 30m, 2h or 1d")
    seconds(value, "the duration", positive=True)
    return value


def _schedule(value: str) -> str:
    """Checks a cron expression; converts `rate(1 day)` to an interval."""
    rate = _RATE.fullmatch(value)
    schedule = f"@every {rate[1]}{rate[2][0]}" if rate else value
    check_cron(schedule)
    return schedule


def _queue(value: str) -> str:
    if value.startswith("tenuto."):
        raise ValueError(
            f"is {value}: names that begin with 'tenuto.' are reserved for dispatchers; choose another name"
        )
    return value


def _labels(value: list[str]) -> list[str]:
    if (size := sum(map(len, value))) > MAX_LABELS:
        raise ValueError(f"have {size} characters together; write at most {MAX_LABELS:,}")
    return value


def _timezone(value: str) -> str:
    check_cron("0 0 * * *", value)
    return value


def _column_type(value: str) -> str:
    name = value.upper().replace(" ", "")
    if name not in TYPES and not _DECIMAL.fullmatch(name):
        raise ValueError(f"{value!r:.80} is not a column type; write {', '.join(TYPES)} or DECIMAL(18,2)")
    return name


def _filter(value: Json) -> Json:
    """Checks a filter: one value, or a list of values of which one must be equal."""
    values = value if isinstance(value, list) else [value]
    if not 1 <= len(values) <= 100 or not all(isinstance(item, str | int | bool) for item in values):
        raise ValueError("a filter is a text, a whole number, true, false, or a list of 1-100 of these")
    return value


def _output_name(value: object) -> int | str:
    if isinstance(value, bool) or not isinstance(value, int | str) or (isinstance(value, int) and value < 0):
        raise ValueError(f"{value!r:.80} is not an output; write its position, from 0, or its name")
    return value


def _glob(value: str) -> str:
    if not _GLOB.fullmatch(value) or ".." in value.split("/"):
        raise ValueError(f"{value!r:.80} is not a relative pattern; write one such as **/*.parquet")
    return value


def _readable(check: Callable[[Any], str]) -> Callable[[Any], str]:
    """Wraps a check so that its InvalidInput becomes a ValueError, which is reported as an error of the field."""

    def run(value: Any) -> str:
        try:
            return check(value)
        except InvalidInput as error:
            raise ValueError(str(error)) from error

    return run


Name = Annotated[str, Field(pattern=NAME)]
DatasetName = Annotated[str, Field(pattern=DATASET)]
ColumnName = Annotated[str, Field(pattern=COLUMN)]
SourceColumn = Annotated[str, Field(pattern=SOURCE_COLUMN)]
Summary = Annotated[str, Field(max_length=4000)]
Seconds = Annotated[int, Field(ge=1, le=30 * 86_400)]
IdleTimeout = Annotated[
    str,
    PlainValidator(_readable(_duration)),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"const": 0}], "examples": ["5m", "0", "never"]}),
]
MaxAge = Annotated[str, PlainValidator(_readable(_max_age)), WithJsonSchema({"type": "string", "examples": ["2h"]})]
OutputName = Annotated[
    int | str,
    PlainValidator(_output_name),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": NAME}]}),
]
Glob = Annotated[str, Field(max_length=200), AfterValidator(_glob)]
Schedule = Annotated[str, Field(max_length=200), AfterValidator(_readable(_schedule))]
Queue = Annotated[str, Field(pattern=QUEUE), AfterValidator(_queue)]
Labels = Annotated[list[Annotated[str, Field(pattern=LABEL)]], Field(max_length=20), AfterValidator(_labels)]
Timezone = Annotated[str, Field(max_length=64), AfterValidator(_readable(_timezone))]
ColumnType = Annotated[str, Field(max_length=32), AfterValidator(_column_type)]
Filter = Annotated[
    Json,
    PlainValidator(_filter),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": ["string", "integer", "boolean"]},
                {"type": "array", "items": {"type": ["string", "integer", "boolean"]}, "minItems": 1, "maxItems": 100},
            ]
        }
    ),
]
Period = Literal["hour", "day", "week", "month"]
