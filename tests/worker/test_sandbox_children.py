"""What a sandbox can say of its children: no limits, priority, queue or time that was not declared for them."""

from typing import Any

import pytest

from tenuto.model.errors import InvalidInput
from tenuto.runtimes.sandbox.child_tasks import ChildType, checked

KEYED = {"scope": "key", "key": "a.b:who=", "size": 2, "parameter": "who", "position": 0}
MAY_START = {"a.b": ChildType({"priority": 3, "timeout_seconds": 30.0}, (KEYED,), frozenset({"pictures"}))}
OWN_LIMIT = {"scope": "key", "key": "a.b:who=me", "size": 2}


def start(kind: dict[str, Any], **detail: Any) -> dict[str, Any]:
    return {"kinds": [{"type": "a.b", **kind}], "inputs": [["me"]], "details": [{"task": 0, **detail}]}


def test_children_have_the_options_of_their_declaration() -> None:
    found = checked(start({"optional": True}, name="first", limits=[OWN_LIMIT]), MAY_START)

    assert found["kinds"] == [{"type": "a.b", "optional": True, "queue": "default", "priority": 3, "inherit": True}]
    assert found["details"] == [{"task": 0, "name": "first"}]  # its limits come from the declaration


@pytest.mark.parametrize("queue", ["default", "pictures"])
def test_a_child_can_be_in_its_own_queue_and_in_those_that_its_worker_serves(queue: str) -> None:
    assert checked(start({"queue": queue}), MAY_START)["kinds"][0]["queue"] == queue


@pytest.mark.parametrize(
    ("kind", "detail", "field"),
    [
        ({"queue": "vault"}, {}, "queue"),
        ({"priority": 2**31 - 1}, {}, "priority"),
        ({"labels": ["gpu"]}, {}, "labels"),
        ({"timeout_seconds": 3600}, {}, "timeout_seconds"),
        ({"handler": "failed"}, {}, "handler"),
        ({}, {"priority": 4}, "priority"),
        ({}, {"copy_of": "01a1dfc5-7932-7000-b49a-bd162a71a691"}, "copy_of"),
        ({}, {"slots": [{"object": "01a1dfc5-7932-7000-b49a-bd162a71a691"}]}, "slots"),
        ({}, {"limits": [{"scope": "key", "key": "stripe", "size": 1_000_000}]}, "limits"),
        ({}, {"limits": [{**OWN_LIMIT, "size": 3}]}, "limits"),
        ({}, {"limits": {"scope": "key"}}, "limits"),
    ],
)
def test_what_was_not_declared_is_refused_by_name(kind: dict[str, Any], detail: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput, match=f"a sandbox cannot set {field} of a child"):
        checked(start(kind, **detail), MAY_START)
