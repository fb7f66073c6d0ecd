"""Inputs too large for the answer of a claim: delivered one by one, and never at the expense of other tasks."""

from typing import Any
from uuid import UUID

import pytest

from tenuto.model.errors import StaleLease
from tests.support.database.tasks import Claim, Db, Worker, call, start, start_graph

LARGE = 900_000


def a_fan_in(db: Db, worker: Worker, parts: int, *, size: int = LARGE, merges: int = 1) -> list[UUID]:
    """Tasks that take the outputs of `parts` tasks, which are done: they are ready. Returns their ids."""
    details = [{"task": parts + no, "slots": [{"task": part} for part in range(parts)]} for no in range(merges)]
    _, ids = start_graph(db, parts + merges, details=details)
    while claims := worker.claim(20):
        worker.complete(*claims, outputs=[f"{claim.task_id}{'x' * size}" for claim in claims])
        if ids[parts - 1] in [claim.task_id for claim in claims]:
            break
    return ids[parts:]


def fetch(db: Db, worker: Worker, claim: Claim, **more: Any) -> list[dict[str, Any]]:
    fence = {**worker.fence, "task_id": claim.task_id, "attempt": claim.attempt}
    return call(db, "get_inputs", **{**fence, **more})


def test_a_fan_in_over_256_mb_is_claimed_and_its_neighbours_too(db: Db, worker: Worker) -> None:
    # 300 slots that all take the same few outputs: what counts is what they add up to.
    details = [{"task": 3, "slots": [{"task": no % 3} for no in range(300)]}]
    _, ids = start_graph(db, 4, details=details)
    worker.complete(*worker.claim(3), outputs=["x" * LARGE] * 3)
    plain = start(db, 1, 2)

    claims = {claim.task_id: claim for claim in worker.claim(10)}

    assert claims.keys() == {ids[3], *plain}
    assert claims[ids[3]].slots == {"$fetch": 300}


def test_inputs_come_in_parts_until_all_are_there(db: Db, worker: Worker) -> None:
    (merge,) = a_fan_in(db, worker, 40)
    (claim,) = worker.claim(1)
    assert (claim.task_id, claim.slots) == (merge, {"$fetch": 40})

    first = fetch(db, worker, claim)
    slots = [row["value"] for row in first if row["part"] == "slot"]
    answers = 1
    while len(slots) < 40:
        rest = fetch(db, worker, claim, first=len(slots))
        assert [row["slot_no"] for row in rest] == list(range(len(slots), len(slots) + len(rest)))
        slots += [row["value"] for row in rest]
        answers += 1

    assert [row["part"] for row in first[:3]] == ["input", "metadata", "slot"]
    assert answers == 3
    sources = db.execute(
        "select source_task_id::text from tenuto.task_slots where task_id = %s order by position", [merge]
    ).fetchall()
    assert [slot[1:37] for slot in slots] == [source for (source,) in sources]


def test_small_inputs_come_with_the_claim(db: Db, worker: Worker) -> None:
    a_fan_in(db, worker, 30, size=1000)

    (claim,) = worker.claim(1)

    assert [len(slot) for slot in claim.slots] == [1036] * 30


def test_an_answer_is_bounded_whatever_the_tasks_in_it_take(db: Db, worker: Worker) -> None:
    merges = a_fan_in(db, worker, 3, merges=20)
    start(db, *(["x" * LARGE] * 40))

    claims = worker.claim(100)

    assert len(claims) == len(merges) + 40
    delivered = sum(len(str(claim.input or "")) + len(str(claim.slots)) for claim in claims)
    assert delivered < 34_000_000
    (apart, *_) = [claim for claim in claims if claim.task_id not in merges]
    assert (apart.input, apart.slots) == (None, {"$fetch": 0})
    assert len(fetch(db, worker, apart)[0]["value"]) == LARGE + 2


def test_a_part_of_an_output_and_a_null_are_slots_of_their_own(db: Db, worker: Worker) -> None:
    slots = [{"type": "text", "task": 0, "output": 1}, {"value": None}, {}]
    start_graph(db, 2, details=[{"task": 0, "outputs": ["int", "text"]}, {"task": 1, "slots": slots}])
    worker.complete(worker.claim_one(), outputs=[[1, "two"]])
    (claim,) = worker.claim(1)

    rows = fetch(db, worker, claim)

    assert [row["value"] for row in rows if row["part"] == "slot"] == ['"two"', "null", "null"]


@pytest.mark.parametrize("wrong", [{"attempt": 2}, {"token": UUID(int=7)}, {"session_id": 10**9}])
def test_only_who_holds_the_attempt_gets_its_inputs(db: Db, worker: Worker, wrong: dict[str, Any]) -> None:
    start(db, 1)
    claim = worker.claim_one()

    with pytest.raises(StaleLease, match="is not held by session"):
        fetch(db, worker, claim, **wrong)


def test_an_attempt_that_ended_gets_nothing_more(db: Db, worker: Worker) -> None:
    start(db, 1)
    claim = worker.claim_one()
    worker.complete(claim)

    with pytest.raises(StaleLease):
        fetch(db, worker, claim)


def test_a_claim_by_id_leaves_out_what_is_too_large(db: Db, worker: Worker) -> None:
    (merge,) = a_fan_in(db, worker, 40)

    (row,) = db.execute(
        "select (task).slots from tenuto.claim_task(%s, %s, 99, %s)", [worker.session_id, worker.token, merge]
    ).fetchall()

    assert row == ({"$fetch": 40},)
