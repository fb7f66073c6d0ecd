"""Checks the arguments of a task against a JSON Schema, in a bounded number of steps.

Knows the keywords that pydantic and the SDK write; the worker checks all others. Does not check the keyword `pattern`,
because a worker could declare a pattern that takes hours to match. Accepts what it cannot decide.

An accepted schema has at most 1000 parts (sql/runs/types/_schema_problem.sql), and each of them is applied to each
value of an input at most once: it stands in one place of the schema, and the result of a definition for a value is
remembered. So a check takes at most 1000 steps per value. A request has a budget of steps for all of its inputs.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tenuto.model.errors import InvalidInput, TooLarge
from tenuto.model.json import Json, JsonObject
from tenuto.model.similar_names import most_similar

REFERENCES = frozenset({"$slot", "$object", "$output"})  # keys of a value that is known only when the task runs
MAX_REMEMBERED = 50_000  # results of definitions in one check
MAX_NAME_CHARS = 100  # of one name in an error
MAX_PATH_CHARS = 300
MAX_SHOWN_CHARS = 200  # of the allowed values in an error
MAX_HINT_CHARS = 500
NAMES_PER_STEP = 8  # looking up this many required names takes as long as one step
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


class StepsExhausted(TooLarge):
    """Checking the inputs of a request takes more steps than a request may take."""


class StepBudget:
    """The steps that the checks of one request may take together."""

    def __init__(self, steps: int) -> None:
        self._steps = self._left = steps

    def take(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise StepsExhausted(
                f"checking the inputs of this request takes more than {self._steps:,} steps",
                "start fewer tasks per request, or declare a simpler schema",
            )


class Mismatch(NamedTuple):
    """Why a value does not match a schema. `path` leads from the value to the part of it that is wrong, `depth` steps
    below. `expected`: the types that this part may have, if its type is wrong; `text` is then what it is instead. A
    named tuple, because a check of a union makes many."""

    text: str
    path: str = ""
    depth: int = 0
    expected: tuple[str, ...] = ()

    def inside(self, step: str) -> "Mismatch":
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


class InputValidator:
    """Checks inputs of one type: an object of arguments by name, or a list of arguments in order."""

    def __init__(self, type: str, schema: JsonObject) -> None:
        self.type, self.schema = type, schema
        self.definitions = {
            f"#/{keyword}/{name}": definition
            for keyword in ("$defs", "definitions")
            for name, definition in _object(schema.get(keyword)).items()
        }
        self.properties = _object(schema.get("properties"))
        self.positional = [str(name) for name in _list(schema.get("x-positional"))]
        self.required = _names(schema.get("required"))
        self._allowed: dict[int, AllowedValues] = {}  # by the id of the part of the schema that lists them

    def check(self, input: Json, budget: StepBudget) -> None:
        """Raises InvalidInput, with the argument's name, if the input does not match, and StepsExhausted if the check
        takes too many steps."""
        check = _Check(self, budget)
        try:
            problem = check.positional(input) if isinstance(input, list) else check.named(input)
        except RecursionError:
            raise StepsExhausted(f"{self.type}: checking the input takes too many nested steps") from None
        except StepsExhausted as problem:
            raise StepsExhausted(f"{self.type}: {problem.message}", problem.hint) from None
        if problem is not None:
            shown = [name if name in self.required else f"{name} (optional)" for name in list(self.properties)[:100]]
            hint = f"its arguments are {', '.join(shown)[:MAX_HINT_CHARS] or 'none'}"
            raise InvalidInput(f"{self.type}: {problem}", hint)

    def allowed_values(self, schema: JsonObject) -> AllowedValues | None:
        """Returns the values that the keywords `const` and `enum` of a part of the schema allow, None for any."""
        if "const" not in schema and not isinstance(schema.get("enum"), list):
            return None
        if (known := self._allowed.get(id(schema))) is None:
            known = self._allowed[id(schema)] = _read_allowed(schema)
        return known


class _Check:
    """One check of one input."""

    def __init__(self, validator: InputValidator, budget: StepBudget) -> None:
        self._validator, self._budget = validator, budget
        self._remembered: dict[tuple[int, str], Mismatch | None] = {}

    def positional(self, values: Sequence[Json]) -> str | None:
        names, schema = self._validator.positional, self._validator.schema
        if len(values) > len(names) and "x-rest" not in schema:
            return f"{len(values)} arguments by position, but it takes at most {len(names)}"
        for no, value in enumerate(values):
            is_named = no < len(names)
            expected = self._validator.properties.get(names[no]) if is_named else schema["x-rest"]
            if wrong := self.mismatch(value, expected):
                return wrong.describe(names[no] if is_named else f"[{no}]")
        return self._missing(names[: len(values)])

    def named(self, value: Json) -> str | None:
        if not isinstance(value, dict) or _is_reference(value):
            return None
        properties, more = self._validator.properties, _more(self._validator.schema)
        for name, argument in value.items():
            if name not in properties and more is False:
                near = most_similar(name, properties)
                return f"there is no argument {name!r:.100}" + (f"; did you mean {near}?" if near else "")
            if wrong := self.mismatch(argument, properties.get(name, more)):
                return wrong.describe(name)
        return self._missing(value)

    def _missing(self, given: Sequence[str] | Mapping[str, Json]) -> str | None:
        required = self._validator.required
        self._budget.take(len(required) // NAMES_PER_STEP)
        missing = next((name for name in required if name not in given), None)
        return None if missing is None else f"the argument {missing!r:.100} is missing"

    def mismatch(self, value: Json, schema: Json) -> Mismatch | None:
        """Returns what is wrong with a value, or None if it matches a part of the schema."""
        self._budget.take(1)
        if schema is False:
            return Mismatch("there is no such field")
        if not isinstance(schema, dict) or (isinstance(value, dict) and _is_reference(value)):
            return None
        declared = schema.get("type")
        if isinstance(declared, str) and type(value) in PLAIN.get(declared, ()):
            if len(schema) - ("title" in schema) == 1:
                return None  # the most frequent case: the schema has only a type, and the value is of that type
        elif wrong := _wrong_type(value, declared):
            return wrong
        if wrong := self._not_allowed(value, schema) or _out_of_bounds(value, schema):
            return wrong
        if isinstance(reference := schema.get("$ref"), str) and (wrong := self._not_defined(value, reference)):
            return wrong
        for keyword in ("anyOf", "oneOf"):
            if (options := _list(schema.get(keyword))) and (wrong := self._no_option(value, options)):
                return wrong
        for part in _list(schema.get("allOf")):
            if wrong := self.mismatch(value, part):
                return wrong
        if isinstance(value, dict):
            return self._in_object(value, schema)
        return self._in_list(value, schema) if isinstance(value, list) else None

    def _not_allowed(self, value: Json, schema: JsonObject) -> Mismatch | None:
        allowed = self._validator.allowed_values(schema)
        if allowed is None:
            return None
        self._budget.take(len(allowed.nested))
        return None if value in allowed else Mismatch(allowed.text)

    def _not_defined(self, value: Json, reference: str) -> Mismatch | None:
        """Applies a definition. Remembers the result, because the steps could otherwise double with each definition
        that refers to another one twice."""
        key = (id(value), reference)
        if key not in self._remembered:
            if len(self._remembered) >= MAX_REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = self.mismatch(value, self._validator.definitions.get(reference))
        return self._remembered[key]

    def _no_option(self, value: Json, options: Sequence[Json]) -> Mismatch | None:
        """Returns the mismatch with the option that fits best, or one for all options if each expects another type."""
        best: Mismatch | None = None
        expected: dict[str, None] = {}
        each_has_types = True
        for option in options:
            wrong = self.mismatch(value, option)
            if wrong is None:
                return None
            each_has_types = each_has_types and bool(wrong.expected)
            for name in wrong.expected:
                expected[name] = None
            if best is None or wrong.depth > best.depth:
                best = wrong
        if best is not None and best.depth == 0 and each_has_types:
            return best._replace(expected=tuple(expected))
        return best

    def _in_object(self, value: Mapping[str, Json], schema: JsonObject) -> Mismatch | None:
        required = _names(schema.get("required"))
        self._budget.take(len(required) // NAMES_PER_STEP)
        missing = next((name for name in required if name not in value), None)
        if missing is not None:
            return Mismatch("is missing").inside(f".{missing:.100}")
        properties, more = _object(schema.get("properties")), _more(schema)
        if not properties and more is None:
            return None
        for name, item in value.items():
            if wrong := self.mismatch(item, properties.get(name, more)):
                return wrong.inside(f".{name:.100}")
        return None

    def _in_list(self, value: Sequence[Json], schema: JsonObject) -> Mismatch | None:
        first, rest = _list(schema.get("prefixItems")), schema.get("items")
        if not first and rest is None:
            return None
        for no, item in enumerate(value):
            if wrong := self.mismatch(item, first[no] if no < len(first) else rest):
                return wrong.inside(f"[{no}]")
        return None


def _is_reference(value: Mapping[str, Json]) -> bool:
    return not value.keys().isdisjoint(REFERENCES)


def _more(schema: JsonObject) -> Json:
    """Returns the schema of the properties that are not listed, None if it is not known: they may match a pattern."""
    return None if "patternProperties" in schema else schema.get("additionalProperties")


def _wrong_type(value: Json, declared: Json) -> Mismatch | None:
    names = [declared] if isinstance(declared, str) else _names(declared)
    if not names:
        return None
    for name in names:
        if name not in NAMES or _is(value, name):
            return None
    return Mismatch(_kind(value), expected=tuple(dict.fromkeys([NAMES[name] for name in names])))


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


def _read_allowed(schema: JsonObject) -> AllowedValues:
    if "const" in schema:
        return AllowedValues([schema["const"]], f"is not {schema['const']!r:.100}")
    values = _list(schema.get("enum"))
    shown = ", ".join(f"{value!r:.{MAX_SHOWN_CHARS}}" for value in values[:MAX_SHOWN_CHARS])
    return AllowedValues(values, f"is not one of {shown:.{MAX_SHOWN_CHARS}}")


def _out_of_bounds(value: Json, schema: JsonObject) -> Mismatch | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        for keyword, (fits, message) in BOUNDS.items():
            bound = schema.get(keyword)
            if isinstance(bound, int | float) and not fits(value, bound):
                return Mismatch(message.format(bound)[:MAX_NAME_CHARS])
    elif isinstance(value, str | list):
        for keyword, (name, fits, message) in SIZES.items():
            bound = schema.get(keyword)
            if isinstance(bound, int) and _is(value, name) and not fits(len(value), bound):
                return Mismatch(message.format(bound)[:MAX_NAME_CHARS])
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


def _names(value: Json) -> list[str]:
    return [name for name in _list(value) if isinstance(name, str)]
