"""Which schemas of arguments are refused when a worker declares them: those whose checks would not be bounded."""

from typing import Any

import pytest

from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

GOOD = {"type": "object", "properties": {"to": {"type": "string"}}}


def problem(db: Db, schema: Any) -> str | None:
    """Why a schema is refused, None if it is not."""
    rows = call(db, "declare_types", **a_worker(db).fence, types={"a.b": {}}, schemas={"a.b": schema})
    (found,) = call(db, "get_task_type", org_id=DEFAULT_ORG, type="a.b")
    assert found["input_schema"] == (schema if found["schema_problem"] is None else None)
    assert [row["schema_problem"] for row in rows] == [found["schema_problem"]]
    return found["schema_problem"]


def chain(length: int, keyword: str = "allOf") -> dict[str, Any]:
    defs = {f"d{no}": {keyword: [{"$ref": f"#/$defs/d{no + 1}"}] * 2} for no in range(length)}
    return {"properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": {**defs, f"d{length}": {}}}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        (5, "it is not a JSON object; write"),
        ([GOOD], "it is not a JSON object; write"),
        ({"x": "y" * 20_000}, "it has more than 16 kB"),
        ({"properties": {"a": {"anyOf": [{}] * 1100}}}, "it has 1102 parts, more than 1000"),
        ({"properties": {"a": {"anyOf": [True] * 1100}}}, "it has 1102 parts, more than 1000"),
        ({"properties": {f"a{no}": {} for no in range(1100)}}, "it has 1101 parts, more than 1000"),
        (nested(33), "it is nested more than 32 levels deep"),
        ({"properties": {"a": {"$ref": "#/$defs/none"}}}, '$ref "#/$defs/none" is none of its definitions'),
        ({"properties": {"a": {"$ref": "https://example.com/s"}}}, "is none of its definitions; write #/$defs/NAME"),
        ({"items": {"$ref": "x" * 5000}}, "is none of its definitions"),
        ({"$defs": {"a": {"$ref": "#/$defs/a"}}}, "#/$defs/a leads to itself, or through more than 10 steps"),
        ({"definitions": {"a": {"$ref": "#/definitions/a"}}}, "#/definitions/a leads to itself"),
        ({"$defs": {"a": {"anyOf": [{"allOf": [{"$ref": "#/$defs/a"}]}]}}}, "#/$defs/a leads to itself"),
        ({"$defs": {"a": {"oneOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}, "leads to itself"),
        (chain(11), "#/$defs/d0 leads to itself, or through more than 10 steps"),
        (chain(30, "anyOf"), "leads to itself, or through more than 10 steps"),
    ],
)
def test_a_schema_whose_checks_are_not_bounded_is_refused(db: Db, schema: Any, says: str) -> None:
    found = problem(db, schema)

    assert found is not None
    assert says in found
    assert len(found) < 300


@pytest.mark.parametrize(
    "schema",
    [
        {},
        GOOD,
        chain(5),
        nested(30),
        {"properties": {"a": {"pattern": "^(a+)+$"}}, "patternProperties": {"(a+)+$": {}}},
        {"properties": {"$ref": {"type": "string"}, "const": {}, "items": {}, "anyOf": {}}},
        {
            "properties": {
                "a": {"const": {"$ref": "no reference"}, "default": {"$ref": "#/none"}, "enum": [{"$ref": 1}]}
            }
        },
        {"properties": 5, "required": {}, "$defs": [], "x-positional": "a", "anyOf": 3, "items": [], "allOf": {}},
        {"$defs": {"t": {"items": {"$ref": "#/$defs/t"}, "properties": {"l": {"$ref": "#/$defs/t"}}}}},
        {"$defs": {"t": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/t"}}]}}},
        {"additionalProperties": {"$ref": "#/$defs/t"}, "x-rest": {"$ref": "#/$defs/t"}, "$defs": {"t": True}},
    ],
)
def test_a_schema_whose_checks_are_bounded_is_stored(db: Db, schema: Any) -> None:
    assert problem(db, schema) is None


def test_a_refused_schema_is_listed_until_a_good_one_or_none_is_declared(db: Db) -> None:
    fence = a_worker(db, "w-1").fence
    call(
        db, "declare_types", **fence, types={"a.b": {}, "a.c": {}, "a.d": {}}, schemas={"a.b": 5, "a.c": GOOD, "a.d": 5}
    )

    refused = call(db, "list_refused_schemas", org_id=DEFAULT_ORG)
    assert [(row["type"], row["declared_by"]) for row in refused] == [("a.b", "w-1"), ("a.d", "w-1")]
    assert call(db, "list_refused_schemas", org_id=DEFAULT_ORG, limit=1) == refused[:1]
    assert call(db, "list_refused_schemas", org_id=an_org(db, "other")) == []
    again = call(db, "declare_types", **fence, types={"a.b": {}, "a.c": {}}, schemas={"a.b": 5, "a.c": GOOD})
    assert [(row["type"], row["changed"]) for row in again] == [("a.b", False)]
    call(db, "declare_types", **fence, types={"a.b": {}, "a.d": {}}, schemas={"a.b": GOOD, "a.d": None})
    assert call(db, "list_refused_schemas", org_id=DEFAULT_ORG) == []
