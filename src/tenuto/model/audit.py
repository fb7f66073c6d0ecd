"""Audit log entries and the hash chain over them. If an entry is changed, removed or moved, the hashes no longer
match."""

from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from uuid import UUID

from tenuto.model.json import JsonObject
from tenuto.model.statuses import ActorKind

Changes = dict[str, JsonObject]  # {field: {old, new}}


@dataclass(frozen=True)
class AuditEntry:
    """One audited action of a user, a key or a database login (`actor_kind`). `actor_name` is the current name of that
    user or key. `seq` is the entry's position in the org's chain, None until the entry is sealed. For a database login,
    `user_agent` is its application name."""

    id: UUID
    created_at: datetime
    entity: str
    entity_id: str
    action: str
    changes: Changes
    actor_kind: ActorKind
    actor_id: str
    actor_name: str | None
    ip: str | None
    user_agent: str | None
    request_id: str | None
    seq: int | None


@dataclass(frozen=True)
class AuditRecord:
    """A sealed entry with its position, its hash and all fields that were hashed. `changes` is the JSON text as
    Postgres stores it."""

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
    """The two ends of an org's chain: it begins after the anchor and ends at `seq`. Two kinds of entries are outside
    the chain: `unsealed` entries wait to be sealed, and `strays` were not written by write_audit."""

    seq: int
    hash: bytes
    anchor_seq: int
    anchor_hash: bytes
    unsealed: int
    unsealed_since: datetime | None
    strays: int


@dataclass(frozen=True)
class Head:
    """The last position of a chain, to be signed."""

    org_id: UUID
    seq: int
    hash: bytes


@dataclass(frozen=True)
class SignedHead:
    """A signed head of a chain. With a copy of it outside the database, every entry up to this position can be
    verified."""

    org_id: UUID
    seq: int
    hash: bytes
    signed_at: datetime
    signing_key_id: str
    signature: bytes


@dataclass(frozen=True)
class PrunedMonth:
    """A month of the audit log that was dropped, and the number of its entries."""

    partition: str
    entries: int


def diff(old: JsonObject, new: JsonObject) -> Changes:
    """Returns the changed fields in the format of write_audit: {field: {old, new}}."""
    return {
        field: {"old": old.get(field), "new": new.get(field)}
        for field in sorted({*old, *new})
        if old.get(field) != new.get(field)
    }


def chained_hash(previous: bytes, record: AuditRecord) -> bytes:
    """Returns the same hash as _audit_hash.sql: the previous hash, then each field as its length and its bytes."""
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
    return sha256(previous + b"".join(_with_length(field) for field in fields)).digest()


def _with_length(field: str | None) -> bytes:
    if field is None:
        return b"-"
    data = field.encode()
    return f"{len(data)}:".encode() + data


def head_message(head: Head, signed_at: datetime) -> bytes:
    """Returns the bytes that are signed for a head."""
    at = signed_at.astimezone(UTC).isoformat(timespec="microseconds")
    return f"tenuto audit head\n{head.org_id}\n{head.seq}\n{head.hash.hex()}\n{at}\n".encode()


@dataclass(frozen=True)
class RequestOrigin:
    """Where a request came from, as the audit log stores it."""

    ip: str | None
    user_agent: str | None
    request_id: str
