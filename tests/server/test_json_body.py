"""Reading JSON as if it came from an enemy."""

import json
from typing import Any

import pytest

from tenuto.model.errors import InvalidInput, TooLarge
from tenuto.sdk.values.wire_format import MAX_DEPTH
from tenuto.server.http.request import parse_json

SOUND: list[Any] = [
    None,
    True,
    -1.5,
    "a\\u0000b",
    "é \U0001f600 \\ud83d",
    [],
    {"a": [1, {"b": "c"}], "": {}},
    [[]] * 1000,
]
UNSOUND = {
    b'"a\\u0000b"': "NUL",
    b'{"a\\u0000": 1}': "NUL",
    b'"\\uD800"': "surrogate",
    b'"\\udfff"': "surrogate",
    b'"\xed\xa0\x80"': "surrogate|UTF-8",
    '"\\u0000"'.encode("utf-16"): "NUL|UTF-8",
    b"1e999": "too large",
    b"[-1e999]": "too large",
    b"[NaN]": "NaN",
    b'{"a": 1, "a": 2}': "twice",
    b'"\xff"': "UTF-8",
    b"{": "not JSON",
}


def deep(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


@pytest.mark.parametrize("value", SOUND, ids=repr)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_what_is_sound_is_read(value: Any, ascii_only: bool) -> None:
    assert parse_json(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@pytest.mark.parametrize("body", UNSOUND, ids=repr)
def test_what_postgres_cannot_hold_or_json_does_not_allow_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidInput, match=UNSOUND[body]):
        parse_json(body)


def test_nesting_has_a_bound_in_lists_and_objects() -> None:
    assert parse_json(deep(MAX_DEPTH))
    assert parse_json(b'{"a":' * MAX_DEPTH + b"1" + b"}" * MAX_DEPTH)
    for body in (deep(MAX_DEPTH + 1), deep(100_000), b'{"a":' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1)):
        with pytest.raises(InvalidInput, match="nested more than 32 deep"):
            parse_json(body)


def test_a_refusal_says_where() -> None:
    with pytest.raises(InvalidInput, match=r"the text at \$\.a\[1\]\.b contains a NUL"):
        parse_json(b'{"a": [0, {"b": "\\u0000"}]}')


def test_a_body_of_too_many_values_is_refused_before_they_are_made() -> None:
    with pytest.raises(TooLarge, match="4,000,000 values"):
        parse_json(b"[" + b"[]," * 2_000_000 + b"[]]")

    assert len(parse_json(b"[" + b"0," * 1_000_000 + b"0]")) == 1_000_001
