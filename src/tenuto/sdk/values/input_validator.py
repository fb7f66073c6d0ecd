"""Checks the arguments of a task against a JSON Schema, in a bounded number of steps.

Knows the keywords that pydantic and the SDK write; the worker checks all others. Does not check the keyword `pattern`,
because a worker could declare a pattern that takes hours to match. Accepts what it cannot decide.

An accepted schema has at most 1000 parts (sql/runs/types/_schema_problem.sql), and each of them is applied to each
value of an input at most once: it stands in one place of the schema, and the result of a definition for a value is
remembered. So a check takes at most 1000 steps per value. A request has a budget of steps for all of its inputs.
"""

from collections.abc import Mapping, Sequence, Set

from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json, JsonObject
from tenuto.model.similar_names import most_similar
from tenuto.sdk.values.schema_mismatch import (
    PLAIN,
    AllowedValues,
    SchemaMismatch,
    list_or_empty,
    names_in,
    out_of_bounds,
    read_allowed_values,
    wrong_type,
)

REFERENCES = frozenset({"$slot", "$object", "$output"})  # keys of a value that is known only when the task runs
MAX_REMEMBERED = 50_000  # results of definitions in one check
MAX_HINT_CHARS = 500
NAMES_PER_STEP = 8  # reading this many names of types or required properties takes as long as one step


class StepsExhausted(Exception):
    """Checking the inputs of a request takes more steps than a request may take."""


class StepBudget:
    """The steps that the checks of one request may take together."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def take(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise StepsExhausted


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
        self.positional = [str(name) for name in list_or_empty(schema.get("x-positional"))]
        self.required = names_in(schema.get("required"))
        self._allowed: dict[int, AllowedValues] = {}  # by the id of the part of the schema that lists them

    def check(self, input: Json, budget: StepBudget) -> None:
        """Raises InvalidInput, with the argument's name, if the input does not match, and StepsExhausted if the check
        takes too many steps."""
        check = _Check(self, budget)
        try:
            problem = check.positional(input) if isinstance(input, list) else check.named(input)
        except RecursionError:
            raise StepsExhausted from None
        if problem is not None:
            names = [*self.positional, *(name for name in self.properties if name not in self.positional)][:100]
            shown = [name if name in self.required else f"{name} (optional)" for name in names]
            hint = f"its arguments are {', '.join(shown)[:MAX_HINT_CHARS] or 'none'}"
            raise InvalidInput(f"{self.type}: {problem}", hint)

    def allowed_values(self, schema: JsonObject) -> AllowedValues | None:
        """Returns the values that the keywords `const` and `enum` of a part of the schema allow, None for any."""
        if "const" not in schema and not isinstance(schema.get("enum"), list):
            return None
        if (known := self._allowed.get(id(schema))) is None:
            known = self._allowed[id(schema)] = read_allowed_values(schema)
        return known


def check_value(what: str, schema: JsonObject, value: Json, budget: StepBudget) -> None:
    """Raises InvalidInput if a value does not match a schema, and StepsExhausted if the check takes too many steps."""
    try:
        wrong = _Check(InputValidator(what, schema), budget).mismatch(value, schema)
    except RecursionError:
        raise StepsExhausted from None
    if wrong is not None:
        raise InvalidInput(f"{what}: {wrong.describe('the value')}")


class _Check:
    """One check of one input."""

    def __init__(self, validator: InputValidator, budget: StepBudget) -> None:
        self._validator, self._budget = validator, budget
        self._remembered: dict[tuple[int, str], SchemaMismatch | None] = {}

    def positional(self, values: Sequence[Json]) -> str | None:
        names, schema = self._validator.positional, self._validator.schema
        if len(values) > len(names) and "x-rest" not in schema:
            return f"{len(values)} arguments by position, but it takes at most {len(names)}"
        for no, value in enumerate(values):
            is_named = no < len(names)
            expected = self._validator.properties.get(names[no]) if is_named else schema["x-rest"]
            if wrong := self.mismatch(value, expected):
                return wrong.describe(names[no] if is_named else f"[{no}]")
        return self._missing(set(names[: len(values)]))

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

    def _missing(self, given: Set[str] | Mapping[str, Json]) -> str | None:
        required = self._validator.required
        self._budget.take(len(required) // NAMES_PER_STEP)
        missing = next((name for name in required if name not in given), None)
        return None if missing is None else f"the argument {missing!r:.100} is missing"

    def mismatch(self, value: Json, schema: Json) -> SchemaMismatch | None:
        """Returns what is wrong with a value, or None if it matches a part of the schema."""
        self._budget.take(1)
        if schema is False:
            return SchemaMismatch("there is no such field")
        if not isinstance(schema, dict) or (isinstance(value, dict) and _is_reference(value)):
            return None
        declared = schema.get("type")
        if isinstance(declared, str) and type(value) in PLAIN.get(declared, ()):
            if len(schema) - ("title" in schema) == 1:
                return None  # the most frequent case: the schema has only a type, and the value is of that type
        elif declared is not None:
            self._budget.take(len(declared) // NAMES_PER_STEP if isinstance(declared, list) else 0)
            if wrong := wrong_type(value, declared):
                return wrong
        if wrong := self._not_allowed(value, schema) or out_of_bounds(value, schema):
            return wrong
        if isinstance(reference := schema.get("$ref"), str) and (wrong := self._not_defined(value, reference)):
            return wrong
        for keyword in ("anyOf", "oneOf"):
            if (options := list_or_empty(schema.get(keyword))) and (wrong := self._no_option(value, options)):
                return wrong
        for part in list_or_empty(schema.get("allOf")):
            if wrong := self.mismatch(value, part):
                return wrong
        if isinstance(value, dict):
            return self._in_object(value, schema)
        return self._in_list(value, schema) if isinstance(value, list) else None

    def _not_allowed(self, value: Json, schema: JsonObject) -> SchemaMismatch | None:
        allowed = self._validator.allowed_values(schema)
        if allowed is None:
            return None
        self._budget.take(len(allowed.nested))
        return None if value in allowed else SchemaMismatch(allowed.text)

    def _not_defined(self, value: Json, reference: str) -> SchemaMismatch | None:
        """Applies a definition. Remembers the result, because the steps could otherwise double with each definition
        that refers to another one twice."""
        key = (id(value), reference)
        if key not in self._remembered:
            if len(self._remembered) >= MAX_REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = self.mismatch(value, self._validator.definitions.get(reference))
        return self._remembered[key]

    def _no_option(self, value: Json, options: Sequence[Json]) -> SchemaMismatch | None:
        """Returns the mismatch with the option that fits best, or one for all options if each expects another type."""
        best: SchemaMismatch | None = None
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

    def _in_object(self, value: Mapping[str, Json], schema: JsonObject) -> SchemaMismatch | None:
        required = names_in(schema.get("required"))
        self._budget.take(len(required) // NAMES_PER_STEP)
        missing = next((name for name in required if name not in value), None)
        if missing is not None:
            return SchemaMismatch("is missing").inside(f".{missing:.100}")
        properties, more = _object(schema.get("properties")), _more(schema)
        if not properties and more is None:
            return None
        for name, item in value.items():
            if wrong := self.mismatch(item, properties.get(name, more)):
                return wrong.inside(f".{name:.100}")
        return None

    def _in_list(self, value: Sequence[Json], schema: JsonObject) -> SchemaMismatch | None:
        first, rest = list_or_empty(schema.get("prefixItems")), schema.get("items")
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


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
