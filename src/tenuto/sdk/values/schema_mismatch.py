"""Checks a value against the keywords of a JSON Schema that are about this value alone: its type, its size, its bounds,
and the values that are allowed."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tenuto.model.json import Json, JsonObject

MAX_NAME_CHARS = 100  # of one name in an error
MAX_PATH_CHARS = 300
MAX_SHOWN_CHARS = 200  # of the allowed values in an error
NAMES: Mapping[Json, str] = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}
PLAIN: Mapping[str, tuple[type, ...]] = {
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


class SchemaMismatch(NamedTuple):
    """Why a value does not match a schema. `path` leads from the value to the part of it that is wrong, `depth` steps
    below. `expected`: the types that this part may have, if its type is wrong; `text` is then what it is instead. A
    named tuple, because a check of a union makes many."""

    text: str
    path: str = ""
    depth: int = 0
    expected: tuple[str, ...] = ()

    def inside(self, step: str) -> "SchemaMismatch":
        """Returns the same mismatch for the value that contains this one."""
        return self._replace(path=(step + self.path)[:MAX_PATH_CHARS], depth=self.depth + 1)

    def describe(self, argument: str) -> str:
        what = f"is {self.text}, not {' or '.join(self.expected)}" if self.expected else self.text
        return f"{argument:.{MAX_NAME_CHARS}}{self.path}: {what}"


class AllowedValues:
    """The values of `enum` or `const`. Finds a text or a number without comparing it with each of them."""

    def __init__(self, values: Sequence[Json], text: str) -> None:
        self.text = text
        self.nested = [value for value in values if isinstance(value, dict | list)]
        self._scalars = {(isinstance(value, bool), value) for value in values if not isinstance(value, dict | list)}

    def __contains__(self, value: Json) -> bool:
        if isinstance(value, dict | list):
            return value in self.nested
        return (isinstance(value, bool), value) in self._scalars  # for Python, True == 1


def wrong_type(value: Json, declared: Json) -> SchemaMismatch | None:
    names = [declared] if isinstance(declared, str) else names_in(declared)
    if not names:
        return None
    for name in names:
        if name not in NAMES or _is(value, name):
            return None
    return SchemaMismatch(_kind(value), expected=tuple(dict.fromkeys([NAMES[name] for name in names])))


def _is(value: Json, name: str) -> bool:
    match name:
        case "integer":
            return (isinstance(value, int) and not isinstance(value, bool)) or (
                isinstance(value, float) and value.is_integer()
            )
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
        case _:
            return isinstance(value, dict)


def read_allowed_values(schema: JsonObject) -> AllowedValues:
    if "const" in schema:
        return AllowedValues([schema["const"]], f"is not {schema['const']!r:.100}")
    values = list_or_empty(schema.get("enum"))
    shown = ", ".join(f"{value!r:.{MAX_SHOWN_CHARS}}" for value in values[:MAX_SHOWN_CHARS])
    return AllowedValues(values, f"is not one of {shown:.{MAX_SHOWN_CHARS}}")


def out_of_bounds(value: Json, schema: JsonObject) -> SchemaMismatch | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        for keyword, (fits, message) in BOUNDS.items():
            bound = schema.get(keyword)
            if isinstance(bound, int | float) and not fits(value, bound):
                return SchemaMismatch(message.format(bound)[:MAX_NAME_CHARS])
    elif isinstance(value, str | list):
        for keyword, (name, fits, message) in SIZES.items():
            bound = schema.get(keyword)
            if isinstance(bound, int) and _is(value, name) and not fits(len(value), bound):
                return SchemaMismatch(message.format(bound)[:MAX_NAME_CHARS])
    return None


def _kind(value: Json) -> str:
    """Describe a value without repeating a text, which may be secret."""
    if value is None or isinstance(value, bool | int | float):
        return "null" if value is None else str(value).lower()[:40]
    return "a text" if isinstance(value, str) else "a list" if isinstance(value, list) else "an object"


def list_or_empty(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def names_in(value: Json) -> list[str]:
    return [name for name in list_or_empty(value) if isinstance(name, str)]
