"""Arguments and results travel as JSON and come back as what the hints say."""

import enum
import json
import math
import re
import uuid
from collections import Counter, OrderedDict, defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal, NamedTuple

import pytest
from pydantic import BaseModel, ConfigDict
from typing_extensions import TypedDict

from tenuto import App, DataObject
from tenuto.model.errors import InvalidInput, TooLarge
from tenuto.sdk.values.codecs import codec_of, show
from tenuto.sdk.values.wire_format import dump


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Size(enum.IntEnum):
    SMALL = 1


@dataclass
class Order:
    id: int
    price: Decimal
    placed: datetime
    photo: bytes = b""


class Customer(BaseModel):
    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    name: str
    orders: list[Order] = []
    born: date | None = None


class Document(BaseModel):
    body: bytes


class Point(NamedTuple):
    x: int
    y: float


class Options(TypedDict):
    deep: bool


NOW = datetime(2026, 2, 3, 4, 5, 6, 789, tzinfo=UTC)
ORDER = Order(7, Decimal("1.10"), NOW, b"\x00\xff")


def task_of(hint: Any) -> Any:
    def take(value):
        return value

    take.__annotations__ = {"value": hint, "return": hint}
    return App("shop").task(take)


def journey(hint: Any, value: Any) -> Any:
    """What a task gets whose caller gave this value."""
    task = task_of(hint)
    (args, _) = task.signature.decode(task.signature.encode((value,), {}))
    (named,) = task.signature.decode(task.signature.encode((), {"value": value}))[1].values()
    assert named == args[0]
    assert type(named) is type(args[0])
    return args[0]


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (int, 2**70),
        (float, 1e20),
        (float, 0.1),
        (str, 'ä€😀 " \\ \\u0000'),
        (bool, True),
        (None, None),
        (list, [1, "a", None, [True]]),
        (dict[str, int | None], {"a": None}),
        (list[float], [1e20, 1.0]),
        (Any, {"a": [1.5, {"b": None}]}),
        (datetime, NOW),
        (date, date(2026, 1, 2)),
        (timedelta, timedelta(days=1, microseconds=5)),
        (Decimal, Decimal("10.500")),
        (bytes, b"\x00\xff\n"),
        (uuid.UUID, uuid.UUID(int=5)),
        (Colour, Colour.BLUE),
        (Size, Size.SMALL),
        (Literal["a", 3], 3),
        (Order, ORDER),
        (Customer, Customer(name="Ann", orders=[ORDER], born=date(1990, 1, 1))),
        (list[Customer | Order], [Customer(name="Ann"), ORDER]),
        (dict[int, set[str]], {1: {"a"}}),
        (dict[Colour, Decimal], {Colour.RED: Decimal("0.5")}),
        (tuple[int, str], (1, "a")),
        (tuple[int, ...], (1, 2, 3)),
        (Point, Point(1, 2.0)),
        (Options, {"deep": True}),
        (bytes | None, b"\xfe"),
        (datetime | int, NOW),
        (datetime | int, 5),
        (datetime | str, "2026-01-01"),
        (list[uuid.UUID | None], [uuid.UUID(int=1), None]),
    ],
    ids=str,
)
def test_a_value_comes_back_as_what_it_was(hint, value):
    back = journey(hint, value)

    assert back == value
    assert type(back) is type(value)
    task = task_of(hint)
    text = task.result.encode(value)
    assert task.decode_result(None if text is None else json.loads(text)) == value


@pytest.mark.parametrize("value", [Counter("aab"), OrderedDict(a=2, b=1), defaultdict(int, a=2, b=1)])
@pytest.mark.parametrize("hint", [dict, dict[str, int], dict[str, float]])
def test_the_dicts_of_collections_fit_where_a_dict_does_and_come_back_as_one(hint, value):
    codec = codec_of(hint)
    back = codec.decode(json.loads(dump(codec.encode(value, "x"))), "x")

    assert (back, type(back)) == ({"a": 2, "b": 1}, dict)


@pytest.mark.parametrize(
    ("hint", "value", "said"),
    [
        (int, "5", "shop.take: value: '5' is not int"),
        (int, True, "value: True is not int"),
        (str, 5, "value: 5 is not str"),
        (list[int], [1, "x"], r"value\[1\]: 'x' is not int"),
        (list, (1, 2), r"value: \(1, 2\) is not list"),
        (dict[str, int], {"a": {}}, r"value\.a: {} is not int"),
        (Order, {"id": 7}, "value: {'id': 7} is not Order"),
        (Colour, "red", "value: 'red' is not Colour"),
        (Order, Order("x", Decimal(1), NOW), "cannot be converted to JSON as Order"),  # type: ignore[arg-type]
        (float, math.nan, "NaN and infinity cannot be converted to JSON"),
        (Any, [math.inf], "NaN and infinity cannot be converted to JSON"),
        (list[float], [math.nan], "NaN and infinity cannot be converted to JSON"),
        (str, "a\0b", "a NUL character"),
        (Any, {"k": "\ud800"}, "half of a surrogate pair"),
        (Any, NOW, r"value: datetime.datetime\(.* \(datetime\) cannot be converted to JSON; annotate it"),
        (Any, {1: 2}, "the key 1 is not a text; annotate the parameter"),
        (Any, (1, 2), "cannot be converted to JSON; annotate it"),
        (Any, object(), "cannot be converted to JSON"),
        (Any, {"a": {"$slot": 1}}, r"value\.a: the key '\$slot' is reserved"),
        (dict[str, str], {"$object": "x"}, r"the key '\$object' is reserved"),
        (Document, Document(body=b"\xff"), "its bytes are not UTF-8; write model_config"),
        (Decimal | str, "1.5", "would come back as Decimal"),
    ],
)
def test_what_does_not_fit_is_refused_at_the_start_with_its_place(hint, value, said):
    with pytest.raises(InvalidInput, match=said):
        task_of(hint).signature.encode((value,), {})


@pytest.mark.parametrize(("hint", "place"), [(bytes, ""), (list[bytes], r"\[0\]"), (str, ""), (Any, "")])
def test_a_data_object_where_its_bytes_are_expected_is_refused_with_what_to_write(hint, place):
    stored = DataObject(uuid.uuid4())
    value = [stored] if place else stored
    task = task_of(hint)

    with pytest.raises(InvalidInput, match=rf"value{place}: DataObject\(.*is a data object.*hint DataObject and read"):
        task.signature.encode((value,), {})
    text = json.dumps([[{"$object": str(stored.id)}] if place else {"$object": str(stored.id)}])
    if hint is not Any:  # which a task may get as it is stored
        with pytest.raises(InvalidInput, match=rf"value{place}: .*is a data object, not {re.escape(show(hint))}"):
            task.signature.decode(text)


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("hint", [Any, list, list[Any]])
def test_values_nest_at_most_32_deep(hint):
    assert journey(hint, nested(32)) == nested(32)
    for depth in (33, 5000):
        with pytest.raises(InvalidInput, match="nested more than 32 levels deep"):
            task_of(hint).signature.encode((nested(depth),), {})


def test_a_value_that_holds_itself_is_refused():
    value: list[Any] = []
    value.append(value)

    with pytest.raises(InvalidInput, match="nested more than 32 levels deep"):
        task_of(Any).signature.encode((value,), {})


def test_an_input_over_a_megabyte_is_refused_with_what_to_do():
    with pytest.raises(TooLarge, match=r"the input of shop.take has 1048581 bytes.*data object"):
        task_of(str).signature.encode(("x" * (1_048_576 + 1),), {})


def test_a_hint_without_a_json_form_is_refused_with_what_to_do():
    with pytest.raises(
        InvalidInput, match=r'values of Session cannot be converted to JSON .*; use a dataclass.*serializer="pickle"'
    ):
        task_of(type("Session", (), {})).signature.encode((1,), {})


def test_a_result_that_is_not_what_the_hint_says_is_refused():
    with pytest.raises(InvalidInput, match=r"shop.take: the result: 'x' is not int"):
        task_of(int).result.encode("x")
    with pytest.raises(InvalidInput, match=r"shop.take: the result: 5 is not None"):
        task_of(None).result.encode(5)


def test_pickle_is_for_tasks_that_ask_for_it():
    @App("shop").task(serializer="pickle")
    def merge(left: complex, *, right: set) -> complex: ...

    text = merge.signature.encode((1 + 2j,), {"right": {1}})

    assert text.startswith('{"$pickle":')
    assert merge.signature.decode(text) == ([1 + 2j], {"right": {1}})
    with pytest.raises(InvalidInput):
        task_of(Any).signature.encode(({"$pickle": "x"},), {})


@pytest.mark.parametrize("hint", [int, Any, list[int]])
def test_an_integer_too_long_to_be_written_is_refused_with_its_limit(hint):
    huge = 10**5000
    with pytest.raises(InvalidInput, match="an integer has more than 4300 digits"):
        task_of(hint).signature.encode(([huge] if hint == list[int] else huge,), {})
