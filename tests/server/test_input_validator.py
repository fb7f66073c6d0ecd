"""The validator of inputs: every keyword that it knows, hostile schemas, and a validator of others beside it."""

from itertools import repeat
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tenuto import InvalidInput
from tenuto.sdk.values.input_validator import InputValidator, StepBudget, StepsExhausted

Schema = Any


def refusal(schema: Schema, value: Any, *, steps: int = 10_000, **more: Any) -> str | None:
    """What is said of a value of the argument x, None if it matches."""
    validator = InputValidator("a.b", {"properties": {"x": schema}, "additionalProperties": False, **more})
    try:
        validator.check({"x": value}, StepBudget(steps))
    except InvalidInput as refused:
        return refused.message.removeprefix("a.b: x")
    return None


@pytest.mark.parametrize(
    ("type", "right", "wrong"),
    [
        ("string", ["", "a"], [None, 1, True, [], {}]),
        ("integer", [0, -3, 2.0], ["1", 1.5, True, None]),
        ("number", [0, 1.5], ["1", False, None]),
        ("boolean", [True, False], [0, 1, "true", None]),
        ("null", [None], [0, False, "", []]),
        ("array", [[], [1]], [{}, "a", None]),
        ("object", [{}, {"a": 1}], [[], "a", None]),
        (["string", "null"], ["a", None], [1, True, [], {}]),
        (["integer", "array"], [1, [1]], ["a", None, 1.5]),
        ([], ["a", None, 1], []),
        (["no such type"], ["a", None, 1], []),
        ("no such type", ["a", None, 1], []),
        (7, ["a", None], []),
        ([["string"]], ["a", None], []),
    ],
)
def test_every_form_of_a_type(type: Any, right: list[Any], wrong: list[Any]) -> None:
    for schema in ({"type": type}, {"type": type, "title": "X"}, {"type": type, "description": "x", "default": 1}):
        assert [refusal(schema, value) for value in right] == [None] * len(right)
        for value in wrong:
            assert (refusal(schema, value) or "").startswith(": is ")
            assert refusal({"type": "array", "items": schema}, [value]) is not None
    assert refusal({"type": ["string", "null"]}, 3) == ": is 3, not a text or null"


@pytest.mark.parametrize(
    ("schema", "value", "says"),
    [
        (False, 1, ": there is no such field"),
        ({"enum": [1, "a", None]}, True, ": is not one of 1, 'a', None"),
        ({"enum": [[1], {"a": 1}]}, [2], ": is not one of [1], {'a': 1}"),
        ({"enum": []}, 1, ": is not one of "),
        ({"const": False}, 0, ": is not False"),
        ({"const": "a"}, "b", ": is not 'a'"),
        ({"maximum": 3}, 4, ": is more than 3"),
        ({"exclusiveMaximum": 3}, 3, ": is not less than 3"),
        ({"exclusiveMinimum": 3}, 3, ": is not more than 3"),
        ({"maxLength": 1}, "ab", ": has more than 1 characters"),
        ({"minItems": 1}, [], ": has fewer than 1 items"),
        ({"prefixItems": [{"type": "string"}], "items": False}, ["a", 1], "[1]: there is no such field"),
        ({"required": ["a"]}, {}, ".a: is missing"),
        ({"properties": {"a": {"type": "null"}}}, {"a": 1}, ".a: is 1, not null"),
        ({"additionalProperties": False}, {"a": 1}, ".a: there is no such field"),
        ({"allOf": [{"type": "string"}, {"minLength": 3}]}, "ab", ": has fewer than 3 characters"),
        ({"anyOf": [{"type": "string"}, {"type": ["null", "string"]}]}, 1, ": is 1, not a text or null"),
        ({"oneOf": [{"type": "string"}, {"items": {"type": "string"}}]}, [1], "[0]: is 1, not a text"),
        ({"$ref": "#/$defs/a"}, [["b"]], "[0][0]: is a text, not a list"),
        ({"$ref": "#/definitions/b", "title": "B"}, 1, ": is 1, not a text"),
    ],
)
def test_every_keyword(schema: Schema, value: Any, says: str) -> None:
    shared = {
        "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}},
        "definitions": {"b": {"type": "string"}},
    }

    assert refusal(schema, value, **shared) == says


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": "^(a+)+$"},
        {"patternProperties": {"^a": {}}, "additionalProperties": False, "properties": {"b": {}}},
        {"$ref": "#/$defs/none"},
        {"$ref": "https://example.com/schema"},
        {"type": ["nothing", 7], "enum": 3, "minimum": "x", "items": 4, "anyOf": {}, "required": "a", "$ref": 3},
    ],
)
def test_what_cannot_be_decided_passes(schema: Schema) -> None:
    assert refusal(schema, {"a": "a" * 40 + "b"}) is None
    assert refusal({"items": schema}, ["a" * 40 + "b"]) is None


def test_a_value_that_is_known_later_passes_anywhere() -> None:
    texts = {"type": "array", "items": {"anyOf": [{"type": "string"}]}}

    assert refusal(texts, [{"$slot": 0}, {"$output": "a"}]) is None


def doubling(keyword: str, leaf: Schema, length: int = 30) -> Schema:
    """Definitions that each apply the next one twice: 2^30 steps without a memory."""
    chain = {f"d{no}": {keyword: [{"$ref": f"#/$defs/d{no + 1}"}] * 2} for no in range(length)}
    return {**chain, f"d{length}": leaf}


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
@pytest.mark.parametrize("value", [1, "a", [1]])
def test_definitions_that_double_take_as_many_steps_as_they_are(keyword: str, value: Any) -> None:
    for leaf in ({}, {"type": "integer"}, {"type": "array", "items": {"type": "string"}}):
        refusal({"$ref": "#/$defs/d0"}, value, steps=200, **{"$defs": doubling(keyword, leaf)})


def test_a_union_that_reads_each_item_twice_takes_as_many_steps_as_there_are_values() -> None:
    both = [{"items": {"$ref": "#/$defs/t"}, "maxItems": 1}, {"items": {"$ref": "#/$defs/t"}, "minItems": 1}]
    defs = {"t": {"anyOf": [*both, {"type": "string"}]}}
    value: Any = 1
    for _ in range(30):
        value = [value]

    assert refusal({"$ref": "#/$defs/t"}, value, steps=400, **{"$defs": defs}) is None, "the innermost value is no list"


def test_a_long_list_of_values_costs_one_step_per_value() -> None:
    names = [f"v{no}" for no in range(1200)]

    assert refusal({"items": {"enum": names}}, ["v1199"] * 5000, steps=6000) is None


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"items": {"enum": [[no] for no in range(1200)]}}, [[1199]] * 100),
        ({"items": {"required": [f"v{no}" for no in range(1200)]}}, [{}] * 1000),
        ({"items": {"anyOf": [{"type": "string"}] * 900}}, [1.5] * 100),
        ({"items": {"type": ["string"] * 1000}}, [1.5] * 100),
    ],
)
def test_costly_keywords_count_as_many_steps(schema: Schema, value: Any) -> None:
    with pytest.raises(StepsExhausted):
        refusal(schema, value, steps=100)


@pytest.mark.parametrize("endless", [{"a": {"$ref": "#/$defs/a"}}, {"a": {"anyOf": [{"$ref": "#/$defs/a"}] * 2}}])
def test_a_definition_that_never_ends_is_an_error_and_not_a_crash(endless: Schema) -> None:
    with pytest.raises(StepsExhausted):
        refusal({"$ref": "#/$defs/a"}, 1, **{"$defs": endless})


def test_texts_of_errors_are_cut_however_long_the_schema_is() -> None:
    long = {"anyOf": [{"anyOf": [{"type": ["integer"] * 78}] * 48}] * 10}
    for schema, value in (
        (long, "s"),
        ({"enum": [f"{no:0100}" for no in range(150)]}, "s"),
        ({"const": "x" * 15_000}, "s"),
        ({"required": ["x" * 15_000]}, {}),
        ({"additionalProperties": {"additionalProperties": {"type": "null"}}}, {"k" * 10_000: {"k" * 10_000: 1}}),
        ({"minimum": 10**4000}, 1),
    ):
        assert len(refusal(schema, value) or "") in range(1, 700)
    many = InputValidator("a.b", {"properties": {f"{no:0100}": {} for no in range(150)}, "additionalProperties": False})
    with pytest.raises(InvalidInput) as refused:
        many.check({"y" * 1_000_000: 1}, StepBudget(100))
    assert len(str(refused.value)) < 1000


# Schemas of the keywords that the validator knows. `oneOf` is left out: the validator treats it as `anyOf`.
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0, "", "a", "bb"])
NAMES = st.sampled_from(["a", "b"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=2), max_leaves=6
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
SIMPLE = (
    st.booleans()
    | st.builds(dict)
    | st.builds(lambda names: {"type": names}, TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True))
    | st.builds(lambda values: {"enum": values}, st.lists(SCALARS, min_size=1, max_size=3))
    | st.builds(lambda value: {"const": value}, VALUES)
    | st.builds(
        lambda keyword, bound: {keyword: bound},
        st.sampled_from(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]),
        st.integers(-3, 3),
    )
    | st.builds(
        lambda keyword, bound: {keyword: bound},
        st.sampled_from(["minLength", "maxLength", "minItems", "maxItems"]),
        st.integers(0, 3),
    )
    | st.builds(lambda name: {"$ref": f"#/$defs/{name}"}, NAMES)
    | st.builds(lambda names: {"required": names}, st.lists(NAMES, unique=True, max_size=2))
)


def larger(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    some = st.lists(inner, min_size=1, max_size=3)
    keywords = {
        "anyOf": some,
        "allOf": some,
        "prefixItems": some,
        "items": inner,
        "properties": st.dictionaries(NAMES, inner),
        "additionalProperties": inner,
        "required": st.lists(NAMES, unique=True, max_size=2),
        "type": TYPES,
    }
    return st.fixed_dictionaries({}, optional=keywords)  # type: ignore[arg-type]


SCHEMAS = st.recursive(SIMPLE, larger, max_leaves=8)
# A definition takes a step into the value before it refers to another, as `_schema_problem.sql` demands.
DEFINITIONS = st.dictionaries(
    NAMES, st.builds(lambda inner, names: {"type": names, "items": inner}, SCHEMAS, TYPES), min_size=2, max_size=2
)


@given(schema=SCHEMAS, defs=DEFINITIONS, value=VALUES)
@example(schema={"enum": [1]}, defs={}, value=True)
@example(schema={"type": "integer"}, defs={}, value=1.0)
@example(schema={"const": {"a": [1]}}, defs={}, value={"a": [1.0]})
def test_it_says_the_same_as_a_validator_of_others(schema: Schema, defs: dict[str, Schema], value: Any) -> None:
    theirs = jsonschema_rs.validator_for({"properties": {"x": schema}, "$defs": defs}).is_valid({"x": value})

    ours = refusal(schema, value, **{"$defs": defs}) is None  # type: ignore[arg-type]

    assert ours or not theirs, "an input that matches was refused"
    if not _compares_nested(schema) and not any(map(_compares_nested, defs.values())):
        assert ours == theirs


def _compares_nested(schema: Any) -> bool:
    """Whether a constant is a list or an object, in which True and 1 are equal for Python."""
    if not isinstance(schema, dict):
        return isinstance(schema, list) and any(map(_compares_nested, schema))
    return isinstance(schema.get("const"), dict | list) or any(map(_compares_nested, schema.values()))


@given(schema=SCHEMAS, defs=DEFINITIONS, value=VALUES)
def test_each_part_of_a_schema_is_applied_to_each_value_at_most_once(
    schema: Schema, defs: dict[str, Schema], value: Any
) -> None:
    values = list(repeat(value, 20))

    refusal({"items": schema}, values, steps=_count([schema, defs]) * _count(values), **{"$defs": defs})


def _count(value: Any) -> int:
    """How many values there are in a value, with itself."""
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return 1 + sum(map(_count, inner))
