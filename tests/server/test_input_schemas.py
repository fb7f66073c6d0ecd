"""The schemas that the SDK writes, and what the server refuses with them, in which words."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from tenuto import App, InvalidInput
from tenuto.sdk.input_schema import input_schema, input_schemas
from tenuto.sdk.values.input_validator import InputValidator, StepBudget

app = App("shop")


class Color(Enum):
    RED = "red"


@dataclass
class Item:
    name: str
    price: float = 1.0


class Order(BaseModel):
    items: list[Item] = Field(min_length=1)
    note: str | None = None


class Renamed(BaseModel):
    inner: int = Field(alias="outer")
    model_config = {"populate_by_name": True}


@app.task
def send(ctx, to: str, times: int = 1, *, labels: list[str] | None = None) -> None: ...


@app.task
def total(first: int, *rest: float) -> None: ...


@app.task
def store(order: Order, at: datetime | None = None, color: Color = Color.RED, **more: int) -> None: ...


@app.task
def mixed(
    any: Any,
    way: Literal["up", "down"],
    id: UUID,
    sum: Decimal,
    age: Annotated[int, Field(ge=0)],
    x: Renamed | None = None,
) -> None: ...


def check(task: Any, input: Any) -> None:
    InputValidator(task.name, input_schema(task.signature)).check(input, StepBudget(1000))


RIGHT = [
    (send, {"to": "a"}),
    (send, ["a", 2]),
    (send, ["a", 2.0]),
    (send, {"to": "a", "times": 2, "labels": ["x"]}),
    (send, {"to": "a", "labels": None}),
    (send, {"to": {"$slot": 0}}),
    (send, {"$slot": 0}),
    (send, [{"$object": "x"}]),
    (send, None),
    (total, [1]),
    (total, [1, 2, 3.5]),
    (store, {"order": {"items": [{"name": "a"}]}}),
    (store, {"order": {"items": [{"name": "a", "price": 2}], "note": None}, "color": "red", "other": 3}),
    (store, [{"items": [{"name": "a"}]}, "2026-01-01T00:00:00Z"]),
    (mixed, [None, "up", "0190a5d0-7c2e-7a50-8c3b-3c2f1e0d9a8b", "1.5", 3, {"inner": 3}]),
    (mixed, [None, "up", "0190a5d0-7c2e-7a50-8c3b-3c2f1e0d9a8b", 1.5, 3, {"outer": 3}]),
]
WRONG = [
    (send, {}, "shop.send: the argument 'to' is missing"),
    (send, [], "the argument 'to' is missing"),
    (send, {"to": "a", "tims": 2}, "there is no argument 'tims'; did you mean times?"),
    (send, {"to": 3}, "to: is 3, not a text"),
    (send, ["a", "2"], "times: is a text, not a whole number"),
    (send, ["a", True], "times: is true, not a whole number"),
    (send, ["a", 1, []], "3 arguments by position, but it takes at most 2"),
    (send, {"to": "a", "labels": ["x", 3]}, "labels[1]: is 3, not a text"),
    (total, [1, "x"], "[1]: is a text, not a number"),
    (store, {"order": {"items": []}}, "order.items: has fewer than 1 items"),
    (store, {"order": {"items": [{"price": 1}]}}, "order.items[0].name: is missing"),
    (store, {"order": {"items": [{"name": "a", "price": "x"}]}}, "order.items[0].price: is a text, not a number"),
    (store, {"order": {"items": [{"name": "a"}]}, "color": "blue"}, "color: is not one of 'red'"),
    (store, {"order": {"items": [{"name": "a"}]}, "other": "x"}, "other: is a text, not a whole number"),
    (mixed, [1, "left", "x", 1, 1], "way: is not one of 'up', 'down'"),
    (mixed, [1, "up", 5, 1, 1], "id: is 5, not a text"),
    (mixed, [1, "up", "x", 1, -1], "age: is less than 0"),
]


@pytest.mark.parametrize(("task", "input"), RIGHT)
def test_an_input_that_the_function_accepts_passes(task: Any, input: Any) -> None:
    check(task, input)


@pytest.mark.parametrize(("task", "input", "says"), WRONG)
def test_a_refusal_names_the_argument(task: Any, input: Any, says: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check(task, input)

    assert says in refused.value.message
    assert "its arguments are" in (refused.value.hint or "")


def test_a_schema_that_is_too_large_or_of_a_pickled_task_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    other = App("other")

    @other.task
    def large(way: Literal[tuple(f"value {no}" for no in range(2000))]) -> None: ...  # type: ignore[valid-type]

    @other.task(serializer="pickle")
    def pickled(x: object) -> None: ...

    @other.task
    def small(x: int) -> None: ...

    assert list(input_schemas(other.tasks)) == ["other.small"]
    assert "does not check inputs of other.large: its schema has" in caplog.text
