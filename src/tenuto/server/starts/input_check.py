"""Checks the inputs of starts against the JSON Schemas that workers declared, before anything is stored.

Checks the keywords that pydantic and the SDK write; the worker checks all others. Does not check the keyword `pattern`,
because a worker could declare a pattern that takes hours to match. References may form a loop, so the steps per input
are limited.
"""

import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import blake2b
from uuid import UUID

from tenuto.db import task_types
from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json, JsonObject
from tenuto.sdk.client.start_request import StartRequest
from tenuto.server.http.request import in_thread_if_large
from tenuto.server.requests.api import ApiRequest

KEEP_SECONDS = 5.0  # a schema is read again after this time
MAX_CACHED_TYPES = 10_000
MAX_STEPS = 100_000  # per input; an input that needs more is checked only by the worker
REFERENCES = ("$slot", "$object", "$output")  # keys of a value that is known only when the task runs
NAMES = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}
PLAIN: Mapping[Json, tuple[type, ...]] = {
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
}
BOUNDS: Mapping[str, tuple[Callable[[float, float], bool], str]] = {
    "minimum": (lambda value, bound: value >= bound, "is less than {}"),
    "exclusiveMinimum": (lambda value, bound: value > bound, "is not more than {}"),
    "maximum": (lambda value, bound: value <= bound, "is more than {}"),
    "exclusiveMaximum": (lambda value, bound: value < bound, "is not less than {}"),
}
SIZES: Mapping[str, tuple[str, Callable[[int, int], bool], str]] = {
    "minLength": ("string", lambda size, bound: size >= bound, "has fewer than {} characters"),
    "maxLength": ("string", lambda size, bound: size <= bound, "has more than {} characters"),
    "minItems": ("array", lambda size, bound: size >= bound, "has fewer than {} items"),
    "maxItems": ("array", lambda size, bound: size <= bound, "has more than {} items"),
}


@dataclass(frozen=True)
class CachedType:
    """The validator of a type; None if no schema is declared."""

    validator: "InputValidator | None"
    read_at: float


class InputChecks:
    """The validators of one server process, by org and type. A validator is built once per schema."""

    def __init__(self) -> None:
        self._types: dict[tuple[UUID, str], CachedType] = {}
        self._built: dict[tuple[UUID, str, bytes], InputValidator] = {}

    async def check(self, request: ApiRequest, starts: Sequence[StartRequest], types: Collection[str]) -> None:
        """Raise InvalidInput for an input that does not match the schema of its type. Before it refuses an input, it
        reads the schema again, because a worker may have declared another schema in the meantime."""
        validators = await self._validators(request, types, fresh=False)
        if not validators:
            return
        body = await request.http.body()
        try:
            await in_thread_if_large(body, lambda: check_inputs(starts, validators))
        except InvalidInput:
            validators = await self._validators(request, types, fresh=True)
            await in_thread_if_large(body, lambda: check_inputs(starts, validators))

    async def _validators(
        self, request: ApiRequest, types: Collection[str], *, fresh: bool
    ) -> "Mapping[str, InputValidator]":
        org_id, now = request.principal.org_id, time.monotonic()
        known = {type: self._types.get((org_id, type)) for type in types}
        old = [type for type, entry in known.items() if fresh or entry is None or entry.read_at + KEEP_SECONDS < now]
        if old:
            if len(self._types) + len(old) > MAX_CACHED_TYPES:
                self._types.clear()
                self._built.clear()
            found = await request.call(task_types.get_input_schemas, types=old)
            declared = {schema.type: self._build(org_id, schema.type, schema.input_schema) for schema in found}
            known |= {type: CachedType(declared.get(type), now) for type in old}
            self._types.update({(org_id, type): entry for type, entry in known.items() if entry is not None})
        return {type: entry.validator for type, entry in known.items() if entry is not None and entry.validator}

    def _build(self, org_id: UUID, type: str, schema: JsonObject) -> "InputValidator":
        hash = blake2b(json.dumps(schema, sort_keys=True).encode(), digest_size=16).digest()
        key = (org_id, type, hash)
        if key not in self._built:
            self._built[key] = InputValidator(type, schema)
        return self._built[key]


def check_inputs(starts: Sequence[StartRequest], validators: "Mapping[str, InputValidator]") -> None:
    """Raises InvalidInput for the first input that does not match; names its start if there are several."""
    for no, start in enumerate(starts):
        for position, text in enumerate(start.inputs):
            type = str(start.kinds[start.task_kinds[position] if start.task_kinds else 0]["type"])
            if type not in validators:
                continue
            try:
                validators[type].check(json.loads(text))
            except InvalidInput as problem:
                if len(starts) == 1:
                    raise
                raise InvalidInput(f"the start at index {no}: {problem.message}", problem.hint) from problem


class _StepsExhausted(Exception):
    """The schema takes too many steps for this input."""


class InputValidator:
    """Checks inputs of one type: an object of arguments by name, or a list of arguments in order."""

    def __init__(self, type: str, schema: JsonObject) -> None:
        self._type, self._schema = type, schema
        self._defs = _object(schema.get("$defs"))
        self._properties = _object(schema.get("properties"))
        self._positional = [str(name) for name in _list(schema.get("x-positional"))]
        self._steps = 0

    def check(self, input: Json) -> None:
        """Raises InvalidInput, with the argument's name, if the input does not match. Accepts an input that needs too
        many steps."""
        self._steps = 0
        try:
            problem = self._check_list(input) if isinstance(input, list) else self._check_object(input)
        except (_StepsExhausted, RecursionError):
            return
        if problem is not None:
            raise InvalidInput(f"{self._type}: {problem}", f"its arguments are {self._shown()}")

    def _check_list(self, values: Sequence[Json]) -> str | None:
        if len(values) > len(self._positional) and "x-rest" not in self._schema:
            return f"{len(values)} arguments by position, but it takes at most {len(self._positional)}"
        for no, value in enumerate(values):
            is_named = no < len(self._positional)
            name = self._positional[no] if is_named else f"[{no}]"
            schema = self._properties.get(name, {}) if is_named else self._schema["x-rest"]
            if problem := self._problem(value, schema, name):
                return problem
        return self._missing(self._positional[: len(values)])

    def _check_object(self, value: Json) -> str | None:
        if not isinstance(value, dict) or any(key in value for key in REFERENCES):
            return None  # an object that is itself a reference: its value is known only when the task runs
        more = self._schema.get("additionalProperties")
        for name, argument in value.items():
            if name not in self._properties and more is False:
                near = get_close_matches(name, self._properties, n=1)
                return f"there is no argument {name!r:.100}" + (f"; did you mean {near[0]}?" if near else "")
            if problem := self._problem(argument, self._properties.get(name, more), name):
                return problem
        return self._missing(value)

    def _missing(self, given: Sequence[str] | Mapping[str, Json]) -> str | None:
        missing = [name for name in _list(self._schema.get("required")) if name not in given]
        return f"the argument {missing[0]!r:.100} is missing" if missing else None

    def _problem(self, value: Json, schema: Json, path: str) -> str | None:
        """Returns what is wrong with a value, or None if it matches the schema."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise _StepsExhausted
        if schema is False:
            return f"{path}: there is no such field"
        if not isinstance(schema, dict) or (isinstance(value, dict) and any(key in value for key in REFERENCES)):
            return None
        if len(schema) - ("title" in schema) == 1 and type(value) in PLAIN.get(schema.get("type"), ()):
            return None  # the most frequent case: the schema has only a type, and the value is of that type
        if isinstance(reference := schema.get("$ref"), str):
            return self._problem(value, self._defs.get(reference.removeprefix("#/$defs/")), path)
        wrong = _wrong_type(value, schema, path) or _wrong_value(value, schema, path)
        if wrong is not None:
            return wrong
        if (options := _list(schema.get("anyOf")) or _list(schema.get("oneOf"))) and (
            problem := self._no_option(value, options, path)
        ):
            return problem
        for part in _list(schema.get("allOf")):
            if problem := self._problem(value, part, path):
                return problem
        if isinstance(value, dict):
            return self._in_object(value, schema, path)
        return self._in_list(value, schema, path) if isinstance(value, list) else None

    def _no_option(self, value: Json, options: Sequence[Json], path: str) -> str | None:
        problems: list[str] = []
        for option in options:
            problem = self._problem(value, option, path)
            if problem is None:
                return None
            problems.append(problem)
        deepest = max(problems, key=lambda text: len(text.split(": ")[0]))
        if len(deepest.split(": ")[0]) > len(path):
            return deepest
        expected = [problem.partition(", not ")[2] for problem in problems]
        return f"{path}: is {_kind(value)}, not {' or '.join(expected)}" if all(expected) else problems[0]

    def _in_object(self, value: Mapping[str, Json], schema: JsonObject, path: str) -> str | None:
        properties, more = _object(schema.get("properties")), schema.get("additionalProperties")
        missing = [name for name in _list(schema.get("required")) if name not in value]
        if missing:
            return f"{path}.{missing[0]!s:.100}: is missing"
        for name, item in value.items():
            if problem := self._problem(item, properties.get(name, more), f"{path}.{name:.100}"):
                return problem
        return None

    def _in_list(self, value: Sequence[Json], schema: JsonObject, path: str) -> str | None:
        first, rest = _list(schema.get("prefixItems")), schema.get("items")
        if not first and rest is None:
            return None
        for no, item in enumerate(value):
            if problem := self._problem(item, first[no] if no < len(first) else rest, f"{path}[{no}]"):
                return problem
        return None

    def _shown(self) -> str:
        required = _list(self._schema.get("required"))
        return (
            ", ".join(name if name in required else f"{name} (optional)" for name in self._properties)[:500] or "none"
        )


def _wrong_type(value: Json, schema: JsonObject, path: str) -> str | None:
    declared = schema.get("type")
    names = [declared] if isinstance(declared, str) else _list(declared)
    if not names or any(_is(value, str(name)) for name in names):
        return None
    return f"{path}: is {_kind(value)}, not {' or '.join(NAMES.get(str(name), str(name)) for name in names)}"


def _is(value: Json, name: str) -> bool:
    match name:
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case _:
            return True


def _wrong_value(value: Json, schema: JsonObject, path: str) -> str | None:
    if "const" in schema and value != schema["const"]:
        return f"{path}: is not {schema['const']!r:.100}"
    if isinstance(choices := schema.get("enum"), list) and value not in choices:
        return f"{path}: is not one of {', '.join(map(repr, choices)):.200}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        for keyword, (fits, message) in BOUNDS.items():
            bound = schema.get(keyword)
            if isinstance(bound, int | float) and not fits(value, bound):
                return f"{path}: {message.format(bound)}"
    elif isinstance(value, str | list):
        for keyword, (name, fits, message) in SIZES.items():
            bound = schema.get(keyword)
            if isinstance(bound, int) and _is(value, name) and not fits(len(value), bound):
                return f"{path}: {message.format(bound)}"
    return None


def _kind(value: Json) -> str:
    """Describe a value without repeating a text, which may be secret."""
    if value is None or isinstance(value, bool | int | float):
        return "null" if value is None else str(value).lower()[:40]
    return "a text" if isinstance(value, str) else "a list" if isinstance(value, list) else "an object"


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
