"""Users, API keys and audit entries for tests; the hashes of keys are not real ones."""

import secrets
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

from tests.support.database.tasks import DEFAULT_ORG, Db, call

ISSUER = "https://id.example.com"
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
BCRYPT = "$2b$12$" + "a" * 53


def a_key_id() -> str:
    return "".join(secrets.choice(DIGITS) for _ in range(12))


def hash_of(text: str) -> bytes:
    return sha256(text.encode()).digest()


def a_user(db: Db, subject: str = "ann", *, org_id: UUID = DEFAULT_ORG, **more: object) -> UUID:
    return call(db, "put_user", org_id=org_id, issuer=ISSUER, subject=subject, **more)


def an_api_key(db: Db, key_id: str, *, org_id: UUID = DEFAULT_ORG, **more: Any) -> UUID:
    """An API key whose hash is the hash of its id."""
    made = {"name": "ci", "permissions": ["runs:*"], "created_by": "ann", **more}
    return call(db, "create_api_key", org_id=org_id, key_id=key_id, hash=hash_of(key_id), **made)


def by_key(key_id: str, *, permission: str | None = "runs:write") -> dict[str, Any]:
    """The arguments of a request with this key."""
    return {"key_id": key_id, "hashes": [hash_of(key_id)], "permission": permission}


def refused_callers(db: Db, key_id: str) -> dict[str, dict[str, Any]]:
    """Callers that may not start runs, by the message that each gets; one guesses the secret of `key_id`."""
    reader, revoked, expired = a_key_id(), a_key_id(), a_key_id()
    an_api_key(db, reader, permissions=["runs:read"])
    call(db, "revoke_api_key", org_id=DEFAULT_ORG, id=an_api_key(db, revoked))
    db.execute(
        "update tenuto.api_keys set expires_at = %s where id = %s",
        [datetime(2020, 1, 1, tzinfo=UTC), an_api_key(db, expired)],
    )
    gone: UUID = a_user(db, platform_role="writer")
    call(db, "disable_user", org_id=DEFAULT_ORG, user_id=gone)
    return {
        "has no permission": by_key(reader), "was revoked": by_key(revoked), "has expired": by_key(expired),
        "no such API key": by_key(key_id) | {"hashes": [hash_of("guessed")]},
        "is disabled": {"org_id": DEFAULT_ORG, "user_id": gone, "platform_role": "writer"},
    }  # fmt: skip


def a_worker_key(db: Db, key_id: str, *, org_id: UUID = DEFAULT_ORG, **more: Any) -> UUID:
    made = {"name": "fleet", "queues": ["*"], "created_by": "ann", **more}
    return call(db, "create_worker_key", org_id=org_id, key_id=key_id, hash=hash_of(key_id), **made)


def an_entry(db: Db, *, org_id: UUID = DEFAULT_ORG, **more: Any) -> UUID:
    what = {"entity": "run", "entity_id": "r1", "action": "cancel", "actor_kind": "user", "actor_id": "ann", **more}
    return call(db, "write_audit", org_id=org_id, **what)


def an_org_with_users(db: Db, org_id: UUID, slug: str) -> None:
    """At least one row in every table of identity."""
    user = a_user(db, slug, org_id=org_id)
    call(db, "create_role", org_id=org_id, name="finance")
    call(db, "add_member", org_id=org_id, role="finance", user_id=user)
    an_api_key(db, a_key_id(), org_id=org_id)
    a_worker_key(db, a_key_id(), org_id=org_id)
    call(db, "open_login", org_id=org_id, user_id=user, hash=secrets.token_bytes(32))
    call(db, "make_login_token", org_id=org_id, user_id=user, hash=secrets.token_bytes(32))
    call(db, "begin_request", org_id=org_id, actor="ann", key="k", request_hash=hash_of("request"))
    call(db, "take_tokens", org_id=org_id, buckets=["org"], rates=[1.0], bursts=[10.0])
    an_entry(db, org_id=org_id)
    call(db, "seal_audit")
    for head in call(db, "list_due_heads"):
        signed = {"signed_at": "2026-01-01T00:00:00Z", "signing_key_id": "k1", "signature": b"s"}
        call(db, "record_head", **head, **signed)
    # Two that no seal_audit takes, for it seals what other orgs wait for too.
    db.execute("insert into tenuto.audit_unsealed (id, org_id) values (gen_random_uuid(), %s)", [org_id])
    db.execute(
        "insert into tenuto.parked_rows (loop, key, org_id, error, failures, parked_at, retry_at)"
        " values ('seal_audit', %(org)s::text, %(org)s, 'boom', 1, tenuto.now(), tenuto.now() + interval '1 hour')",
        {"org": org_id},
    )
    a_user(db, "late", org_id=org_id)  # leaves an entry that is not sealed


def to_an_old_month(db: Db) -> str:
    """The entries that have no place yet become old ones, in a month of their own."""
    db.execute(
        "create table tenuto.audit_log_2020_01 partition of tenuto.audit_log for values"
        " from (tenuto._uuid7_floor('2020-01-01Z')) to (tenuto._uuid7_floor('2020-02-01Z'))"
    )
    db.execute("alter table tenuto.audit_log_2020_01 owner to tenuto_owner")
    old = "overlay(id::text placing left(tenuto._uuid7_floor('2020-01-15Z')::text, 13) from 1 for 13)::uuid"
    with db.transaction():
        db.execute("set local session_replication_role = replica")
        db.execute(f"update tenuto.audit_log set id = {old} where seq is null".encode())
        db.execute(f"update tenuto.audit_unsealed set id = {old}".encode())
    return "audit_log_2020_01"
