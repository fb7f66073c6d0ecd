"""Whoever changes the audit log behind Tenuto's back is found out, also a superuser who hashes it all anew."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tenuto.model.audit import AuditRecord, Chain, Head, SignedHead
from tenuto.model.audit_chain import Finding, Verifier
from tenuto.model.signing import SigningKey, head_is_signed, make_signing_key, sign_head
from tests.support.database.loops import value
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import an_entry, to_an_old_month

ENTRIES, SIGNED = 24, 20  # the last four came after the head that was exported
TAMPERINGS = 200
AT = datetime(2026, 1, 1, tzinfo=UTC)
FIELDS = ("entity", "entity_id", "action", "actor_id", "ip", "user_agent", "request_id", "changes", "created_at", "id")
REHASH = """
do $$
declare
  v_entry tenuto.audit_log;
  v_hash bytea := '';
  v_seq bigint := 0;
begin
  for v_entry in select * from tenuto.audit_log order by seq, id loop
    v_seq := v_seq + 1;
    v_hash := tenuto._audit_hash(v_hash, v_seq, v_entry);
    update tenuto.audit_log set seq = v_seq, hash = v_hash where id = v_entry.id;
  end loop;
  update tenuto.audit_chains set seq = v_seq, hash = v_hash;
end $$
"""


def a_log(db: Db, key: SigningKey) -> SignedHead:
    """Sealed entries, and a head that somebody took away before the last of them."""
    for no in range(SIGNED):
        an_entry(db, entity_id=f"r{no}", changes={"n": {"old": no, "new": no + 1}}, ip="10.0.0.1", user_agent="x")
    call(db, "seal_audit")
    (head,) = call(db, "list_due_heads")
    for no in range(SIGNED, ENTRIES):
        an_entry(db, entity_id=f"r{no}", request_id="q")
    call(db, "seal_audit")
    return sign_head(key, Head(**head), AT)


def verify(db: Db, *heads: SignedHead) -> list[Finding]:
    (row,) = call(db, "get_chain", org_id=DEFAULT_ORG)
    chain = Chain(**row)
    verifier = Verifier(chain.anchor_seq, chain.anchor_hash, heads)
    place = {"after": chain.anchor_seq}
    while page := call(db, "read_audit", org_id=DEFAULT_ORG, **place, limit=7):
        for row in page:
            verifier.add(AuditRecord(**row))
        place = {"after": page[-1]["seq"], "after_id": page[-1]["id"]}
    return verifier.finish(chain, datetime.now(UTC))


def edit(db: Db, rng: random.Random, most: int) -> str:
    seq, field = rng.randint(1, most), rng.choice(FIELDS)
    new = {
        "changes": 'changes || \'{"n": {"old": 7, "new": 70}}\'',
        "created_at": "created_at + interval '1 microsecond'",
        "id": "gen_random_uuid()",
    }.get(field, f"coalesce({field}, '') || 'x'")
    db.execute(f"update tenuto.audit_log set {field} = {new} where seq = {seq}".encode())
    return f"edited {field} of {seq}"


def delete(db: Db, rng: random.Random, most: int) -> str:
    seq = rng.randint(1, most)
    db.execute("delete from tenuto.audit_log where seq = %s", [seq])
    return f"deleted {seq}"


def insert(db: Db, rng: random.Random, most: int) -> str:
    seq = rng.randint(1, most - 1)  # beside the last may be after it, where no head holds it
    db.execute(
        "insert into tenuto.audit_log select (jsonb_populate_record(a, jsonb_build_object("
        "'id', gen_random_uuid(), 'entity_id', 'forged'))).* from tenuto.audit_log a where seq = %s",
        [seq],
    )
    return f"inserted beside {seq}"


def reorder(db: Db, rng: random.Random, most: int) -> str:
    first, second = rng.sample(range(1, most + 1), 2)
    db.execute(
        "update tenuto.audit_log a set seq = b.seq, hash = b.hash from tenuto.audit_log b"
        " where (a.seq, b.seq) in ((%(a)s, %(b)s), (%(b)s, %(a)s))",
        {"a": first, "b": second},
    )
    return f"swapped {first} and {second}"


def cut(db: Db, rng: random.Random, most: int) -> str:
    last = rng.randint(0, most - 1)
    db.execute("delete from tenuto.audit_log where seq > %s", [last])
    return f"cut after {last}"


TAMPER: list[Callable[[Db, random.Random, int], str]] = [edit, delete, insert, reorder, cut]


def test_a_log_that_nobody_touched_is_found_sound(db: Db) -> None:
    key = make_signing_key()
    head = a_log(db, key)

    assert head_is_signed(head, {key.id: key.public_key})
    assert verify(db) == verify(db, head) == []


def test_two_hundred_tamperings_are_all_found(db: Db) -> None:
    head = a_log(db, make_signing_key())
    rng = random.Random(4)  # noqa: S311 - the same tamperings each time
    missed, found = [], set()
    for no in range(TAMPERINGS):
        rehashed = no % 2 == 1
        with db.transaction(force_rollback=True):
            db.execute("set local session_replication_role = replica")  # no trigger fires: a superuser can do that
            what = TAMPER[no // 2 % len(TAMPER)](db, rng, SIGNED if rehashed else ENTRIES)
            if rehashed:
                db.execute(REHASH.encode())
            findings = verify(db, head)
        found |= {finding.kind for finding in findings}
        if not findings:
            missed.append((what, rehashed))

    assert missed == []
    assert found >= {"edited", "missing", "inserted", "rewritten", "cut"}
    assert verify(db, head) == []


def test_without_a_head_kept_elsewhere_a_log_that_was_hashed_anew_looks_sound(db: Db) -> None:
    """What signed heads are for."""
    head = a_log(db, make_signing_key())
    db.execute("set session_replication_role = replica")
    db.execute("update tenuto.audit_log set actor_id = 'eve' where seq = 7")
    db.execute(REHASH.encode())

    assert verify(db) == []
    assert [finding.kind for finding in verify(db, head)] == ["rewritten"]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ("update tenuto.audit_chains set anchor_seq = 5,"
         " anchor_hash = (select hash from tenuto.audit_log where seq = 5)", "missing"),
        ("insert into tenuto.audit_log select (jsonb_populate_record(a, jsonb_build_object("
         "'id', gen_random_uuid(), 'seq', null, 'hash', null))).* from tenuto.audit_log a where seq = 3", "inserted"),
        ("insert into tenuto.audit_log select (jsonb_populate_record(a, jsonb_build_object("
         "'id', gen_random_uuid(), 'seq', 0))).* from tenuto.audit_log a where seq = 3", "inserted"),
        ("update tenuto.audit_chains set seq = seq + 1", "cut"),
        ("update tenuto.audit_chains set seq = seq - 1", "inserted"),
    ],
    ids=["a forged anchor", "an entry nobody sealed", "an entry before the first", "a longer chain", "a shorter chain"],
)  # fmt: skip
def test_what_the_database_says_of_its_chain_is_not_believed(db: Db, change: str, kind: str) -> None:
    a_log(db, make_signing_key())
    db.execute("set session_replication_role = replica")
    db.execute(change.encode())

    assert kind in {finding.kind for finding in verify(db)}


def test_entries_that_nobody_seals_are_found_after_a_while(db: Db) -> None:
    a_log(db, make_signing_key())
    old: dict[str, Any] = {"at": datetime.now(UTC) - timedelta(minutes=6)}
    an_entry(db)
    assert verify(db) == []

    db.execute("set session_replication_role = replica")
    db.execute("update tenuto.audit_log set created_at = %(at)s where seq is null", old)

    assert [finding.kind for finding in verify(db)] == ["unsealed"]


def test_a_pruned_log_is_sound_from_its_anchor_on(db: Db) -> None:
    an_entry(db)
    to_an_old_month(db)
    call(db, "seal_audit")
    an_entry(db)
    call(db, "seal_audit")

    call(db, "prune_audit", keep="30 days", actor_id="ops")
    call(db, "seal_audit")

    assert value(db, "select (anchor_seq, seq)::text from tenuto.audit_chains") == "(1,3)"
    assert verify(db) == []
