"""Signed heads of audit chains in a file kept elsewhere, and a chain verified against it."""

import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from tenuto.cli.exit_codes import UsageError, WorkFailed
from tenuto.cli.pepper import peppers_if_any
from tenuto.cli.session import CommandContext
from tenuto.db import audit, audit_signing, keys, maintenance
from tenuto.model.audit import AuditRecord, SignedHead
from tenuto.model.audit_chain import Finding, Verifier
from tenuto.model.signing import head_is_signed

PAGE = 200


@dataclass(frozen=True)
class Verified:
    """What following a chain to its end showed."""

    org: str
    entries: int
    heads: int
    kept_heads: int
    held_to: int  # the last entry that a signed head holds in place
    findings: list[Finding]


@dataclass(frozen=True)
class Kept:
    """A line of a file of heads: with the key that proves it, which a database may lose or swap."""

    head: SignedHead
    public_key: dict[str, Any]


async def sign_now(desk: CommandContext) -> bool:
    """Seal what waits and sign every end; False where there is no pepper to sign with."""
    peppers = peppers_if_any(desk.settings)
    while await desk.pool.call(audit.seal_audit):
        pass
    if peppers is None:
        return False
    while await desk.pool.call(audit_signing.sign_heads, peppers, every=timedelta(0)):
        pass
    return True


async def export_heads(desk: CommandContext, file: Path) -> int:
    """Add to the file the heads that it does not have; answers how many. What it has is never touched."""
    known = [kept.head.seq for kept in read_heads(file) if kept.head.org_id == desk.org_id] if file.exists() else []
    proving, last, lines = await _public_keys(desk), max(known, default=0), []
    async for head in _heads(desk):
        if head.seq <= last:
            break
        if not head_is_signed(head, proving):
            raise WorkFailed(f"nothing proves the head at entry {head.seq}; `tenuto audit verify` says more")
        lines.append(_write_head(Kept(head, proving[head.signing_key_id])) + "\n")
    with file.open("a") as out:
        out.writelines(reversed(lines))
    return len(lines)


async def verify(desk: CommandContext, file: Path | None) -> Verified:
    """Follow the org's chain from its beginning, without trusting what the database says of it."""
    kept = [one for one in read_heads(file) if one.head.org_id == desk.org_id] if file else []
    proving = {**await _public_keys(desk), **{one.head.signing_key_id: one.public_key for one in kept}}
    here = [head async for head in _heads(desk)]
    findings = [
        Finding("rewritten", head.seq, f"the head at entry {head.seq} was not signed by key {head.signing_key_id}")
        for head in here
        if not head_is_signed(head, proving)
    ]
    trusted = [one.head for one in kept] + [head for head in here if head_is_signed(head, proving)]
    chain = await desk.pool.call(audit.get_chain, org_id=desk.org_id)
    verifier = Verifier(chain.anchor_seq, chain.anchor_hash, trusted, findings)
    entries = 0
    async for record in read_chain(desk, chain.anchor_seq):
        verifier.add(record)
        entries += 1
    found = verifier.finish(chain, await desk.pool.call(maintenance.now))
    held_to = max((head.seq for head in trusted), default=0)
    return Verified(desk.settings.org, entries, len(here), len(kept), held_to, found)


async def read_chain(desk: CommandContext, after: int) -> AsyncIterator[AuditRecord]:
    """The org's sealed entries in their order."""
    place: dict[str, Any] = {"after": after}
    while page := await desk.pool.call(audit.read_audit, org_id=desk.org_id, **place):
        for record in page:
            yield record
        place = {"after": page[-1].seq, "after_id": page[-1].id}


def write_record(record: AuditRecord) -> str:
    """An entry as a line of an export, with all that was hashed."""
    return json.dumps({**asdict(record), "hash": record.hash.hex()}, default=_plain)


def read_heads(file: Path) -> list[Kept]:
    """The heads of a file, each proven by the key beside it."""
    try:
        lines = file.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    found = [_read_head(line, f"line {no} of {file}") for no, line in enumerate(lines, 1) if line.strip()]
    _check_one_key_each(found, file)
    return found


def _check_one_key_each(found: Iterable[Kept], file: Path) -> None:
    seen: dict[str, Any] = {}
    for kept in found:
        if seen.setdefault(kept.head.signing_key_id, kept.public_key) != kept.public_key:
            raise UsageError(f"{file} has two keys of the id {kept.head.signing_key_id}: somebody changed it")


def _write_head(kept: Kept) -> str:
    head = kept.head
    signed = {**asdict(head), "hash": head.hash.hex(), "signature": head.signature.hex(), "public_key": kept.public_key}
    return json.dumps(signed, default=_plain)


def _read_head(line: str, where: str) -> Kept:
    try:
        said = json.loads(line)
        public_key = said.pop("public_key")
        head = SignedHead(
            UUID(said["org_id"]), said["seq"], bytes.fromhex(said["hash"]), datetime.fromisoformat(said["signed_at"]),
            said["signing_key_id"], bytes.fromhex(said["signature"]),
        )  # fmt: skip
        signed = head_is_signed(head, {head.signing_key_id: public_key})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{where} is not a head; `tenuto audit export --heads FILE` writes them") from error
    if not signed:
        raise UsageError(f"{where} was changed: its signature does not hold")
    return Kept(head, public_key)


async def _public_keys(desk: CommandContext) -> dict[str, dict[str, Any]]:
    return {key.id: key.public_key for key in await desk.pool.call(keys.list_signing_keys)}


async def _heads(desk: CommandContext) -> AsyncIterator[SignedHead]:
    """The org's signed heads, newest first."""
    before = None
    while page := await desk.pool.call(audit.list_heads, org_id=desk.org_id, before=before, limit=PAGE):
        for head in page:
            yield head
        before = page[-1].seq


def _plain(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
