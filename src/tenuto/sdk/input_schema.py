"""The JSON Schema of a task's arguments, from the type hints of its function. Workers declare it with the type, and the
server checks inputs against it."""

import logging
import types
from collections.abc import Mapping
from contextlib import suppress
from inspect import Parameter
from typing import Any, Union, cast, get_args, get_origin

from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json, JsonObject
from tenuto.model.task_types import MAX_SCHEMA_BYTES
from tenuto.sdk.arguments import Signature
from tenuto.sdk.task import AnyTask
from tenuto.sdk.values.data_objects import DataObject
from tenuto.sdk.values.wire_format import MISSING, dump

log = logging.getLogger("tenuto.worker")

_SCALARS: Mapping[object, str] = {
    int: "integer",
    str: "string",
    bool: "boolean",
    float: "number",
    type(None): "null",
    None: "null",
}
_OF_READING = ("required", "default", "title", "description")


def input_schemas(tasks: Mapping[str, AnyTask]) -> dict[str, JsonObject]:
    """Return the schema of each task whose input is JSON. A schema of more than 16 kB is left out, and logged: the
    inputs of its task are only checked by the worker."""
    schemas: dict[str, JsonObject] = {}
    for name, task in tasks.items():
        with suppress(InvalidInput):  # its hints cannot be read; the task says so when it runs
            schema = {} if task.pickled else input_schema(task.signature)
            if (size := len(dump(schema).encode())) > MAX_SCHEMA_BYTES:
                what = "the server does not check inputs of %s: its schema has %d bytes, more than 16 kB"
                log.warning(what, name, size)
            elif schema:
                schemas[name] = schema
    return schemas


def input_schema(signature: Signature) -> JsonObject:
    """Return the schema of the arguments by name. `x-positional` lists the parameters that can be passed by position.
    `x-rest` is the schema of further positional arguments, if the function accepts any number of them."""
    hints = {name: hint for name, hint in signature.hints.items() if _native(hint) is None}
    typed, defs = _typed(hints)
    schemas = {name: typed.get(name) or _native(hint) or {} for name, hint in signature.hints.items()}
    kinds = {name: parameter.kind for name, parameter in signature.parameters.items()}
    named = [name for name, kind in kinds.items() if kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)]
    required = [name for name in named if signature.parameters[name].default is Parameter.empty]
    rest = [schemas[name] for name, kind in kinds.items() if kind is Parameter.VAR_POSITIONAL]
    more = [schemas[name] for name, kind in kinds.items() if kind is Parameter.VAR_KEYWORD]
    return {
        "type": "object",
        "properties": {name: schemas[name] for name in named},
        "required": required,
        "additionalProperties": more[0] if more else False,
        "x-positional": signature.positional,
        **({"x-rest": rest[0]} if rest else {}),
        **({"$defs": defs} if defs else {}),
    }


def value_schema(hint: object) -> JsonObject | None:
    """Return the schema of a value with this type hint. Return None if it allows any value, or has more than 16 kB."""
    schema = _native(hint)
    if schema is None:
        typed, defs = _typed({"value": hint})
        schema = {**typed.get("value", {}), **({"$defs": defs} if defs else {})}
    return schema if schema and len(dump(schema).encode()) <= MAX_SCHEMA_BYTES else None


def _native(hint: object) -> JsonObject | None:
    """Return the schema of a hint, or None if only pydantic can describe the hint."""
    if hint is MISSING or hint is Any or hint is object:
        return {}
    if isinstance(hint, type | None) and hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    origin, inner = get_origin(hint) or hint, get_args(hint)
    if hint is DataObject or origin is DataObject:
        return {}
    if origin is list and len(inner) <= 1:
        items = _native(inner[0]) if inner else {}
        return None if items is None else {"type": "array", **({"items": items} if items else {})}
    if origin is dict and (not inner or inner[0] is str):
        values = _native(inner[1]) if inner else {}
        return None if values is None else {"type": "object", **({"additionalProperties": values} if values else {})}
    if origin in (Union, types.UnionType):
        members = [_native(member) for member in inner]
        return None if None in members else {"anyOf": members}
    return None


def _typed(hints: Mapping[str, object]) -> tuple[dict[str, JsonObject], JsonObject]:
    """Return the schemas that pydantic writes, and the definitions that they share. Some hints get no schema, so any
    value is allowed: hints that pydantic cannot describe, and hints whose values are written in another form than they
    are read, because of aliases or of a serializer of their own."""
    if not hints:
        return {}, {}
    from pydantic import TypeAdapter

    adapters: dict[str, TypeAdapter[object]] = {}
    for name, hint in hints.items():
        try:
            adapter: TypeAdapter[object] = TypeAdapter(cast("type[object]", hint))
            read, written = adapter.json_schema(), adapter.json_schema(mode="serialization")
            if read == adapter.json_schema(by_alias=False) and _shape(read) == _shape(written):
                adapters[name] = adapter
        except Exception:  # noqa: S112 - pydantic and plug-ins raise many kinds; the worker checks the argument
            continue
    if not adapters:
        return {}, {}
    found, shared = TypeAdapter.json_schemas([(name, "validation", adapter) for name, adapter in adapters.items()])
    return {name: schema for (name, _), schema in found.items()}, dict(shared.get("$defs", {}))


def _shape(schema: Json) -> Json:
    """Return a schema without the keywords in which schemas for reading and for writing always differ."""
    if isinstance(schema, dict):
        return {key: _shape(value) for key, value in schema.items() if key not in _OF_READING}
    return [_shape(item) for item in schema] if isinstance(schema, list) else schema
