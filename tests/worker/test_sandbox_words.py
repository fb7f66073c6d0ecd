"""What a sandbox says is read as an enemy's: whatever it is, it is a word we know in the form we know, or refused."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.runtimes.outcomes import Blocked, Completed, Failed, Snoozed, Waiting, from_json, to_json
from tenuto.runtimes.sandbox.messages import InvalidMessage, check
from tenuto.sdk.values.wire_format import dump

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["call", "verb", "arguments", "send", "log", "outcome", "kind", "output", "error", "retry", "wait"]
)


def said(message: object) -> dict[str, Any]:
    return check(json.dumps(message).encode())


@pytest.mark.parametrize(
    "outcome",
    [
        Completed(None),
        Completed('{"a":[1,2]}'),
        Completed(None, [{"output": 0, "partition": None, "rows": 3}]),
        Failed({"type": "E", "message": "m"}, 3.0),
        Failed({"type": "E", "message": "m", "traceback": "t"}, -1.0),
        Failed({"type": "E", "message": "m"}),
        Snoozed(5.0),
        Waiting({"for": "signal", "name": "go"}),
        Blocked({"step_no": 2, "expected": "step 'charge'", "found": "sleep"}),
        Waiting({"for": "children", "tasks": ["01a1dfc5-7932-7000-b49a-bd162a71a691"]}),
    ],
)
def test_honest_ends_are_understood_as_they_were_meant(outcome: Any) -> None:
    assert from_json(said({"outcome": to_json(outcome)})["outcome"]) == outcome


@pytest.mark.parametrize(
    "message",
    [
        {"outcome": {"kind": "Lost", "error": {}}},
        {"outcome": {"kind": "Dropped"}},
        {"outcome": {"kind": "Completed", "output": 3}},
        {"outcome": {"kind": "Completed", "output": "{"}},
        {"outcome": {"kind": "Completed", "output": '"\\u0000"'}},
        {"outcome": {"kind": "Completed", "output": '"\\ud800"'}},
        {"outcome": {"kind": "Completed", "output": "NaN"}},
        {"outcome": {"kind": "Completed", "output": '{"$pickle": "gASVAAA="}'}},
        {"outcome": {"kind": "Completed", "output": '[{"a": {"$slot": 1}}]'}},
        {"outcome": {"kind": "Completed", "output": "[" * 40 + "]" * 40}},
        {"outcome": {"kind": "Completed", "output": None, "published": [3]}},
        {"outcome": {"kind": "Completed", "output": None, "published": "x"}},
        {"outcome": {"kind": "Completed", "output": None, "published": [{"partition": "\ud800"}]}},
        {"outcome": {"kind": "Failed", "error": "x", "retry": None}},
        {"outcome": {"kind": "Failed", "error": {}, "retry": -5}},
        {"outcome": {"kind": "Failed", "error": {}, "retry": True}},
        {"outcome": {"kind": "Snoozed", "seconds": 1e12}},
        {"outcome": {"kind": "Snoozed", "seconds": -1}},
        {"outcome": {"kind": "Waiting", "wait": {"for": "children", "tasks": ["x"]}}},
        {"outcome": {"kind": "Waiting", "wait": {"for": "children", "tasks": 3}}},
        {"outcome": {"kind": "Waiting", "wait": {"until": 3}}},
        *(
            {"outcome": {"kind": "Blocked", "mismatch": {"step_no": no, "expected": "", "found": ""}}}
            for no in ("2", True, -1, 2_147_483_648)
        ),
        {"outcome": {"kind": "Interrupted"}, "log": []},
        {"call": 1, "verb": "get_steps", "arguments": {}, "session_id": 1},
        {"call": 1, "verb": "put_task_data", "arguments": {"values": {"a": {"$pickle": ""}}}},
        {"call": "1", "verb": "get_steps", "arguments": {}},
        {"send": "run", "arguments": {}},
        {"send": "progress", "arguments": {"progress": 7}},
        {"log": ["info", 3, None, 0]},
        {"ready": True},
        [],
    ],
)
def test_what_no_honest_attempt_says_is_refused(message: object) -> None:
    with pytest.raises(InvalidMessage):
        said(message)


def test_what_is_logged_is_ours_in_level_length_and_time() -> None:
    level, text, fields, created = said({"log": ["root", "\x00" + "x" * 200_000, {"a": 1}, 1e300]})["log"]

    assert (level, fields) == ("info", None)
    assert text.startswith("\\0xxx")
    assert len(text) < 110_000
    assert math.isfinite(created)
    assert created < 1e11


def test_an_error_keeps_only_what_people_read() -> None:
    error = {"type": ["E"], "message": "m\x00", "traceback": "t", "exit_code": 7, "code": "TN005"}

    told = said({"outcome": {"kind": "Failed", "error": error, "retry": None}})["outcome"]["error"]

    assert told == {"type": "['E']", "message": "m\\0", "traceback": "t"}


@given(st.dictionaries(KEYS, JSON, max_size=4) | st.fixed_dictionaries({"outcome": st.dictionaries(KEYS, JSON)}) | JSON)
def test_whatever_it_says_is_storable_or_refused(message: Any) -> None:
    try:
        line = json.dumps(message).encode()
        told = check(line)
    except InvalidMessage:
        return
    dump({key: value for key, value in told.items() if key != "log"})
    if "outcome" in told:
        outcome: Any = told["outcome"]
        assert from_json(dict(outcome)) is not None


@given(st.binary(max_size=60))
def test_bytes_that_are_no_message_are_refused(line: bytes) -> None:
    with pytest.raises(InvalidMessage):
        check(line)
