"""What people and keys did, as entries of a chain in which none can be changed, left out or moved unnoticed."""

from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID


@dataclass(frozen=True)
class AuditEntry:
    """Somebody did something to something; `actor_name` is what a key or person is called now, `seq` its place in the
    org's chain, once it has one."""

    id: UUID
    created_at: datetime
    entity: str
    entity_id: str
    action: str
    changes: dict[str, Any]
    actor_kind: str
    actor_id: str
    actor_name: str | None
    ip: str | None
    user_agent: str | None
    request_id: str | None
    seq: int | None


@dataclass(frozen=True)
class AuditRecord:
    """An entry with its place, its hash, and every byte that was hashed: `changes` is the text Postgres keeps."""

    seq: int
    hash: bytes
    id: UUID
    org_id: UUID
    created_at: datetime
    entity: str
    entity_id: str
    action: str
    changes: str
    actor_kind: str
    actor_id: str
    ip: str | None
    user_agent: str | None
    request_id: str | None


@dataclass(frozen=True)
class Chain:
    """Where an org's chain begins (after its anchor) and ends, and what has no place in it."""

    seq: int
    hash: bytes
    anchor_seq: int
    anchor_hash: bytes
    unsealed: int
    unsealed_since: datetime | None
    strays: int


@dataclass(frozen=True)
class Head:
    """An end of a chain that is to be signed."""

    org_id: UUID
    seq: int
    hash: bytes


@dataclass(frozen=True)
class SignedHead:
    """An end of a chain that was signed: kept elsewhere, it holds everything before it in place."""

    org_id: UUID
    seq: int
    hash: bytes
    signed_at: datetime
    signing_key_id: str
    signature: bytes


@dataclass(frozen=True)
class PrunedMonth:
    """A month of the audit log that went, and how many entries it held."""

    partition: str
    entries: int


def diff(old: dict[str, Any], new: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The changes between two states of a thing, as write_audit takes them: {field: {old, new}}."""
    return {
        field: {"old": old.get(field), "new": new.get(field)}
        for field in sorted({*old, *new})
        if old.get(field) != new.get(field)
    }


def chained_hash(previous: bytes, record: AuditRecord) -> bytes:
    """The hash that _audit_hash.sql computes: each field as its length and its bytes, after the previous hash."""
    fields = (
        str(record.seq),
        str(record.id),
        str(record.org_id),
        record.created_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        record.entity,
        record.entity_id,
        record.action,
        record.changes,
        record.actor_kind,
        record.actor_id,
        record.ip,
        record.user_agent,
        record.request_id,
    )
    return sha256(previous + b"".join(_measured(field) for field in fields)).digest()


def _measured(field: str | None) -> bytes:
    if field is None:
        return b"-"
    data = field.encode()
    return f"{len(data)}:".encode() + data


def head_message(head: Head, signed_at: datetime) -> bytes:
    """What is signed of a head."""
    at = signed_at.astimezone(UTC).isoformat(timespec="microseconds")
    return f"tenuto audit head\n{head.org_id}\n{head.seq}\n{head.hash.hex()}\n{at}\n".encode()
