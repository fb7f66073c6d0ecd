"""Exports signed heads of audit chains to a file, and verifies a chain against such a file."""

import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

from tenuto.cli.exit_codes import UsageError, WorkFailed
from tenuto.cli.pepper import peppers_if_any
from tenuto.cli.session import CommandContext
from tenuto.db import audit, audit_signing, keys, maintenance
from tenuto.model.audit import AuditRecord, SignedHead
from tenuto.model.audit_chain import Finding, Verifier
from tenuto.model.json import JsonObject
from tenuto.model.signing import head_is_signed

PAGE = 200


@dataclass(frozen=True)
class Verified:
    """The result of verifying a chain."""

    org: str
    entries: int
    heads: int
    kept_heads: int
    held_to: int  # the last entry covered by a signed head
    findings: list[Finding]


@dataclass(frozen=True)
class Kept:
    """One line of an exported file: a signed head of an audit chain. Includes the public key, because the database
    could lose or replace its own copy."""

    head: SignedHead
    public_key: JsonObject


async def sign_now(context: CommandContext) -> bool:
    """Seal pending entries and sign the head of every chain; returns False if nothing can be signed, because there is
    no pepper."""
    peppers = peppers_if_any(context.settings)
    while await context.pool.call(audit.seal_audit):
        pass
    if peppers is None:
        return False
    while await context.pool.call(audit_signing.sign_heads, peppers, every=timedelta(0)):
        pass
    return True


async def export_heads(context: CommandContext, file: Path) -> int:
    """Append the heads that are missing in the file; returns how many. Never changes existing lines."""
    known = [kept.head.seq for kept in read_heads(file) if kept.head.org_id == context.org_id] if file.exists() else []
    proving, last = await _public_keys(context), max(known, default=0)
    lines: list[str] = []
    async for head in _heads(context):
        if head.seq <= last:
            break
        if not head_is_signed(head, proving):
            raise WorkFailed(f"the head at entry {head.seq} cannot be verified; `tenuto audit verify` shows details")
        lines.append(_write_head(Kept(head, proving[head.signing_key_id])) + "\n")
    with file.open("a") as out:
        out.writelines(reversed(lines))
    return len(lines)


async def verify(context: CommandContext, file: Path | None) -> Verified:
    """Verify the org's chain from its beginning, without trusting the database's own records about it."""
    kept = [line for line in read_heads(file) if line.head.org_id == context.org_id] if file else []
    proving = {**await _public_keys(context), **{line.head.signing_key_id: line.public_key for line in kept}}
    here = [head async for head in _heads(context)]
    findings = [
        Finding("rewritten", head.seq, f"the head at entry {head.seq} was not signed by key {head.signing_key_id}")
        for head in here
        if not head_is_signed(head, proving)
    ]
    trusted = [line.head for line in kept] + [head for head in here if head_is_signed(head, proving)]
    chain = await context.pool.call(audit.get_chain, org_id=context.org_id)
    verifier = Verifier(chain.anchor_seq, chain.anchor_hash, trusted, findings)
    entries = 0
    async for record in read_chain(context, chain.anchor_seq):
        verifier.add(record)
        entries += 1
    findings = verifier.finish(chain, await context.pool.call(maintenance.now))
    held_to = max((head.seq for head in trusted), default=0)
    return Verified(context.settings.org, entries, len(here), len(kept), held_to, findings)


async def read_chain(context: CommandContext, after: int | None) -> AsyncIterator[AuditRecord]:
    """Yields the org's sealed entries in order."""
    after_id = None
    while page := await context.pool.call(audit.read_audit, org_id=context.org_id, after=after, after_id=after_id):
        for record in page:
            yield record
        after, after_id = page[-1].seq, page[-1].id


def write_record(record: AuditRecord) -> str:
    """Returns an entry as a line of an export, with every field that was hashed."""
    return json.dumps({**asdict(record), "hash": record.hash.hex()}, default=_plain)


def read_heads(file: Path) -> list[Kept]:
    """Reads a file with signed heads of audit chains, one per line, and verifies each head with the public key in the
    same line."""
    try:
        lines = file.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    heads = [_read_head(line, f"line {no} of {file}") for no, line in enumerate(lines, 1) if line.strip()]
    _check_one_key_each(heads, file)
    return heads


def _check_one_key_each(heads: Iterable[Kept], file: Path) -> None:
    public_keys: dict[str, JsonObject] = {}
    for kept in heads:
        if public_keys.setdefault(kept.head.signing_key_id, kept.public_key) != kept.public_key:
            raise UsageError(f"{file} has two keys with the id {kept.head.signing_key_id}: the file was changed")


def _write_head(kept: Kept) -> str:
    head = kept.head
    signed = {**asdict(head), "hash": head.hash.hex(), "signature": head.signature.hex(), "public_key": kept.public_key}
    return json.dumps(signed, default=_plain)


def _read_head(line: str, where: str) -> Kept:
    try:
        fields = json.loads(line)
        public_key = fields.pop("public_key")
        head = SignedHead(
            UUID(fields["org_id"]),
            fields["seq"],
            bytes.fromhex(fields["hash"]),
            datetime.fromisoformat(fields["signed_at"]),
            fields["signing_key_id"],
            bytes.fromhex(fields["signature"]),
        )
        signed = head_is_signed(head, {head.signing_key_id: public_key})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{where} is not a signed head; `tenuto audit export --heads FILE` writes such files"
        ) from error
    if not signed:
        raise UsageError(f"{where} was changed: its signature is not valid")
    return Kept(head, public_key)


async def _public_keys(context: CommandContext) -> dict[str, JsonObject]:
    return {key.id: key.public_key for key in await context.pool.call(keys.list_signing_keys)}


async def _heads(context: CommandContext) -> AsyncIterator[SignedHead]:
    """Yields the org's signed heads, newest first."""
    before = None
    while page := await context.pool.call(audit.list_heads, org_id=context.org_id, before=before, limit=PAGE):
        for head in page:
            yield head
        before = page[-1].seq


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
