"""Lists that are read item by item: the same items and the same refusals as if they were read whole."""

import json

import pytest

from tenuto.model.errors import InvalidInput, TooLarge
from tenuto.server.http import json_items
from tenuto.server.http.json_items import read_items
from tenuto.server.http.request import parse_json

LISTS = [
    [],
    [1],
    [1, "zwei", None, True, {"a": [1.5, {"b": []}]}, [], {}],
    ["ä" * 40, "😀" * 40, '\\"', "]", "[,"],
    [list(range(50)), 12345678901234567890],
]
WRONG = [
    b"[1,]", b"[,1]", b"[1 2]", b"[1,2", b"[", b"[1]]", b"[1] x", b'[{"a":1,"a":2}]', b"[NaN]", b"[1e999]",
    b'["\\u0000"]', b'["\\ud800"]', b'[\n 1,\n  "\xff"]', b"[tru]", b'["a\nb"]', b"[-]", b"[1,\n[2,}]",
    b"[" + b"[" * 40 + b"]" * 40 + b"]", b"[" + b"[" * 100_000, b"[" + b"9" * 5000 + b"]",
]  # fmt: skip


@pytest.fixture(autouse=True, params=[1, 7, 1 << 20])
def window(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows that end inside of everything."""
    monkeypatch.setattr(json_items, "WINDOW_BYTES", request.param)


@pytest.mark.parametrize("items", LISTS)
def test_the_items_are_those_of_the_list(items: list[object]) -> None:
    for text in (json.dumps(items), json.dumps(items, indent=1, ensure_ascii=False), f" \n{json.dumps(items)}\t "):
        assert list(read_items(text.encode(), 32)) == items


@pytest.mark.parametrize("body", WRONG)
def test_what_is_refused_as_a_whole_is_refused_in_parts(body: bytes) -> None:
    with pytest.raises(InvalidInput) as whole:
        parse_json(body, 32)
    with pytest.raises(InvalidInput) as parts:
        list(read_items(body, 32))

    same = ("nested", "digits", "NUL", "surrogate", "twice", "not UTF-8")
    kind = next((word for word in same if word in whole.value.message), "")
    assert kind in parts.value.message
    if kind in ("twice", "not UTF-8", "digits"):
        assert parts.value.message == whole.value.message


def test_a_refusal_says_where() -> None:
    with pytest.raises(InvalidInput, match=r"Expecting ',' delimiter at line 3, column 4"):
        list(read_items('[1,\n"ä",\n 2 3]'.encode(), 32))


def test_one_item_has_a_bound_of_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_items, "MAX_ITEM_VALUES", 100)
    small, large = b"[" + b"1," * 50 + b"1]", b"[" + b"1," * 200 + b"1]"

    assert len(list(read_items(b"[" + b",".join([small] * 9) + b"]", 32))) == 9
    if len(large) > json_items.WINDOW_BYTES:
        with pytest.raises(TooLarge, match="more than 100 values"):
            list(read_items(b"[" + large + b"]", 32))
