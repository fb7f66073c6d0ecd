"""The declared columns of an output: their types, and how data is compared with them."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from uuid import UUID

import pyarrow as pa

from tenuto.model.json import JsonObject
from tenuto.sdk.context.control import Fail

TYPES = {
    "BOOLEAN": pa.bool_(),
    "SMALLINT": pa.int16(),
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "REAL": pa.float32(),
    "DOUBLE": pa.float64(),
    "VARCHAR": pa.string(),
    "TEXT": pa.string(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us"),
    "TIMESTAMPTZ": pa.timestamp("us", tz="UTC"),
    "UUID": pa.string(),
    "JSON": pa.string(),
    "BLOB": pa.binary(),
}
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")
# Python values of these types become texts.
_AS_TEXT: dict[str, Callable[[object], object]] = {
    "UUID": lambda value: str(value) if isinstance(value, UUID) else value,
    "JSON": lambda value: value if isinstance(value, str) else json.dumps(value),
}


class SchemaDrift(Fail):
    """The data of an output does not have the columns that its DAG declares; the message shows the difference."""

    def __init__(self, output: str, differences: Iterable[str]) -> None:
        lines = "\n".join(f"  {difference}" for difference in differences)
        super().__init__(f"the data does not match the columns of {output}:\n{lines}")


class Columns:
    """The declared columns of one output."""

    def __init__(self, output: str, columns: Sequence[JsonObject]) -> None:
        self._output = output  # for messages
        self._types = {str(column["name"]): str(column["type"]) for column in columns}
        self._required = [str(column["name"]) for column in columns if column.get("not_null")]
        self.schema = pa.schema([pa.field(name, _arrow_type(written)) for name, written in self._types.items()])

    def table(self, rows: Sequence[Mapping[str, object]]) -> pa.Table:
        """Return the rows as a table of these columns. A row contains Python values by column name. Raises SchemaDrift
        if the rows have other columns, or values of other types."""
        found = dict.fromkeys(name for row in rows for name in row)
        if rows:
            self._refuse(
                [*self._missing(found), *(f"+ {name} is not declared" for name in found if name not in self._types)]
            )
        problems: list[str] = []
        arrays = [self._array(field, rows, problems) for field in self.schema]
        self._refuse(problems)
        return pa.Table.from_arrays(arrays, schema=self.schema)

    def check(self, found: pa.Schema) -> None:
        """Raise SchemaDrift if data with this schema cannot have the declared columns."""
        types = {field.name: field.type for field in found}
        problems = list(self._missing(types))
        for name, type in types.items():
            if name not in self._types:
                problems.append(f"+ {name} {_type_name(type)} is not declared")
            elif not _fits(type, self.schema.field(name).type):
                problems.append(f"! {name} is declared as {self._types[name]}, but the data has {_type_name(type)}")
        if len(types) < len(found):
            problems.append("! two columns of the data have the same name")
        self._refuse(problems)

    def convert(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the batches with the declared columns in their order. Raises SchemaDrift for values that do not fit."""
        for batch in batches:
            problems: list[str] = []
            arrays = [self._cast(batch.column(field.name), field, problems) for field in self.schema]
            missing = {name: batch.column(name).null_count for name in self._required}
            self._refuse(
                [
                    *problems,
                    *(
                        f"! {name} is declared as not_null, but {count:,} rows have no value"
                        for name, count in missing.items()
                        if count
                    ),
                ]
            )
            yield pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _missing(self, found: Iterable[str]) -> Iterator[str]:
        names = set(found)
        return (
            f"- {name} {type} is declared, but not in the data"
            for name, type in self._types.items()
            if name not in names
        )

    def _array(self, field: pa.Field, rows: Sequence[Mapping[str, object]], problems: list[str]) -> pa.Array:
        as_text = _AS_TEXT.get(self._types[field.name])
        values = [row.get(field.name) for row in rows]
        if as_text:
            values = [None if value is None else as_text(value) for value in values]
        try:
            return pa.array(values, type=field.type)
        except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
            problems.append(f"! {field.name} is declared as {self._types[field.name]}: {error}")
            return pa.nulls(len(rows), field.type)

    def _cast(self, array: pa.Array, field: pa.Field, problems: list[str]) -> pa.Array:
        if array.type == field.type:
            return array
        try:
            return array.cast(field.type)
        except pa.ArrowException as error:
            problems.append(f"! {field.name} is declared as {self._types[field.name]}: {error}")
            return pa.nulls(len(array), field.type)

    def _refuse(self, problems: Sequence[str]) -> None:
        if problems:
            raise SchemaDrift(self._output, problems)


def common_schema(name: str, schemas: Iterable[pa.Schema]) -> pa.Schema:
    """Return the columns of all files of a dataset without declared columns, in the order in which they first occur.
    A column that a file lacks is null in its rows. Raises Fail if a column has types without a common type, or occurs
    twice in a file."""
    types: dict[str, list[pa.DataType]] = {}
    for schema in schemas:
        if len(set(schema.names)) < len(schema):
            twice = next(column for column in schema.names if schema.names.count(column) > 1)
            raise Fail(f"a file of {name} has two columns with the name {twice}")
        for field in schema:
            known = types.setdefault(field.name, [])
            if field.type not in known:
                known.append(field.type)
    return pa.schema([pa.field(column, _common_type(name, column, found)) for column, found in types.items()])


def _common_type(name: str, column: str, types: Sequence[pa.DataType]) -> pa.DataType:
    try:
        return (
            pa.unify_schemas([pa.schema([pa.field(column, type)]) for type in types], promote_options="permissive")
            .field(0)
            .type
        )
    except pa.ArrowException:
        listed = " and ".join(map(_type_name, types))
        raise Fail(
            f"the column {column} of {name} has the types {listed} in different files; declare the columns of {name}"
        ) from None


def _arrow_type(written: str) -> pa.DataType:
    decimal = _DECIMAL.fullmatch(written)
    return pa.decimal128(int(decimal[1]), int(decimal[2])) if decimal else TYPES[written]


def _type_name(type: pa.DataType) -> str:
    """Return the name of a type in DAG documents, or pyarrow's name if there is none."""
    if pa.types.is_decimal(type):
        return f"DECIMAL({type.precision},{type.scale})"
    names = {known: name for name, known in reversed(TYPES.items())}
    return names.get(type, str(type))


def _fits(found: pa.DataType, declared: pa.DataType) -> bool:
    """Whether values of a type can become values of a declared column without a change of meaning. The later cast
    refuses single values that it would cut or round."""
    if pa.types.is_dictionary(found):
        found = found.value_type
    if found == declared or pa.types.is_null(found):
        return True
    whole = pa.types.is_integer(found) or (pa.types.is_decimal(found) and found.scale == 0)
    if pa.types.is_integer(declared):
        return whole
    if pa.types.is_decimal(declared):
        return whole or pa.types.is_decimal(found)
    if pa.types.is_floating(declared):
        return whole or (pa.types.is_floating(found) and found.bit_width <= declared.bit_width)
    if pa.types.is_timestamp(declared):
        return pa.types.is_timestamp(found) and (found.tz is None) == (declared.tz is None)
    families = (_is_text, _is_bytes, pa.types.is_date)
    return any(family(found) and family(declared) for family in families)


def _is_text(type: pa.DataType) -> bool:
    return pa.types.is_string(type) or pa.types.is_large_string(type) or pa.types.is_string_view(type)


def _is_bytes(type: pa.DataType) -> bool:
    return pa.types.is_binary(type) or pa.types.is_large_binary(type) or pa.types.is_binary_view(type)
