"""The chain of an org's entries: each has its place, ends are signed, and old months go."""

import re
from typing import Any
from uuid import UUID, uuid4

import pytest

from tenuto.model.audit import AuditRecord, chained_hash
from tenuto.model.errors import InvalidInput, NotFound
from tests.support.clock import Clock
from tests.support.database.audit import forget_entries
from tests.support.database.loops import an_org, count
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import an_entry, hash_of, to_an_old_month


def records(db: Db, org_id: UUID = DEFAULT_ORG) -> list[AuditRecord]:
    return [AuditRecord(**row) for row in call(db, "read_audit", org_id=org_id)]


def test_entries_are_chained_in_their_order_each_org_by_itself(db: Db) -> None:
    other = an_org(db, "acme")
    forget_entries(db)
    ids = [an_entry(db, org_id=org) for org in (DEFAULT_ORG, other, DEFAULT_ORG, other, DEFAULT_ORG)]

    assert call(db, "seal_audit") == 5

    mine, theirs = records(db), records(db, other)
    assert [(one.seq, one.id) for one in mine] == [(1, ids[0]), (2, ids[2]), (3, ids[4])]
    assert [(one.seq, one.id) for one in theirs] == [(1, ids[1]), (2, ids[3])]
    assert call(db, "seal_audit") == 0


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"ip": "::1", "user_agent": "a:b-3", "request_id": "ü€😀"},
        {"changes": {"a": {"old": 1.50, "new": {"z": [None, True, '\\ " \u00e9 \t'], "longer": 1e30}}}},
    ],
)
def test_python_computes_the_same_hashes_as_the_kernel(db: Db, values: dict[str, Any]) -> None:
    an_entry(db, **values)
    an_entry(db, **values)
    db.execute("set timezone = 'Pacific/Chatham'")
    call(db, "seal_audit")

    first, second = records(db)

    assert chained_hash(b"", first) == first.hash
    assert chained_hash(first.hash, second) == second.hash


def test_sealing_is_done_in_bounded_batches_and_goes_on_where_it_was(db: Db) -> None:
    for _ in range(5):
        an_entry(db)

    assert [call(db, "seal_audit", limit=2) for _ in range(4)] == [2, 2, 1, 0]
    assert [one.seq for one in records(db)] == [1, 2, 3, 4, 5]


def test_a_chain_tells_where_it_ends_and_what_waits(db: Db, clock: Clock) -> None:
    assert call(db, "get_chain", org_id=DEFAULT_ORG)[0]["seq"] == 0
    an_entry(db)
    call(db, "seal_audit")
    waits = clock.now
    an_entry(db)
    clock.advance(minutes=1)
    an_entry(db)

    (chain,) = call(db, "get_chain", org_id=DEFAULT_ORG)

    assert (chain["seq"], chain["hash"]) == (1, records(db)[0].hash)
    assert (chain["unsealed"], chain["unsealed_since"], chain["strays"]) == (2, waits, 0)


def test_an_end_of_a_chain_is_due_to_be_signed_once_a_minute(db: Db, clock: Clock) -> None:
    def sign() -> list[int]:
        heads = call(db, "list_due_heads")
        for head in heads:
            call(db, "record_head", **head, signed_at=clock.now, signing_key_id="k", signature=b"s")
        return [head["seq"] for head in heads]

    assert sign() == []
    an_entry(db)
    call(db, "seal_audit")
    assert (sign(), sign()) == ([1], [])
    an_entry(db)
    call(db, "seal_audit")
    clock.advance(seconds=59)
    assert sign() == []
    clock.advance(seconds=1)
    assert sign() == [2]

    assert [row["seq"] for row in call(db, "list_heads", org_id=DEFAULT_ORG)] == [2, 1]
    assert [row["seq"] for row in call(db, "list_heads", org_id=DEFAULT_ORG, before=2)] == [1]


def test_a_head_that_is_not_of_the_chain_is_refused_and_the_first_signature_stays(db: Db, clock: Clock) -> None:
    an_entry(db)
    call(db, "seal_audit")
    head = {"org_id": DEFAULT_ORG, "seq": 1, "signed_at": clock.now, "signing_key_id": "k"}

    for wrong in (
        {"hash": hash_of("x")},
        {"seq": 2, "hash": records(db)[0].hash},
        {"org_id": uuid4(), "hash": b"x" * 32},
    ):
        with pytest.raises(NotFound, match="does not exist, or its hash is not the signed one"):
            call(db, "record_head", **{**head, "signature": b"s", **wrong})
    for signature in (b"first", b"second"):
        call(db, "record_head", **head, hash=records(db)[0].hash, signature=signature)

    assert [row["signature"] for row in call(db, "list_heads", org_id=DEFAULT_ORG)] == [b"first"]


def prune(db: Db, **more: object) -> list[dict[str, Any]]:
    return call(db, "prune_audit", keep="30 days", actor_id="ops", **more)


def test_a_month_goes_when_it_is_old_and_the_chain_goes_on_after_it(db: Db) -> None:
    an_entry(db)
    an_entry(db)
    month = [{"partition": to_an_old_month(db), "entries": 2}]
    assert prune(db) == []  # nothing of it has its place yet
    call(db, "seal_audit")
    last = records(db)[-1]

    assert (prune(db, dry_run=True), count(db, "audit_log")) == (month, 2)
    assert prune(db) == month

    (chain,) = call(db, "get_chain", org_id=DEFAULT_ORG)
    assert (chain["anchor_seq"], chain["anchor_hash"], chain["strays"]) == (2, last.hash, 0)
    call(db, "seal_audit")
    (said,) = records(db)
    assert (said.seq, said.entity, said.action, said.actor_id) == (3, "audit", "prune", "ops")
    assert chained_hash(last.hash, said) == said.hash
    assert prune(db) == []


def test_entries_of_the_next_month_that_were_sealed_earlier_go_too(db: Db) -> None:
    an_entry(db)
    call(db, "seal_audit")
    an_entry(db)
    to_an_old_month(db)
    call(db, "seal_audit")

    prune(db)

    assert [row["action"] for row in call(db, "list_audit", org_id=DEFAULT_ORG)] == ["prune"]


def test_less_than_a_day_of_the_log_is_not_kept_by_anybody(db: Db) -> None:
    with pytest.raises(InvalidInput, match="the minimum is 1 day"):
        call(db, "prune_audit", keep="1 hour", actor_id="ops")


def test_months_ahead_have_partitions_of_their_own(db: Db) -> None:
    made = call(db, "create_partitions", weeks=20)

    months = [row["create_partitions"] for row in made if row["create_partitions"].startswith("audit_log_")]
    assert 3 <= len(months) <= 5
    assert all(re.fullmatch(r"audit_log_\d{4}_\d{2}", month) for month in months)
