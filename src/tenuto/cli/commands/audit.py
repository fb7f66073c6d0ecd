"""`tenuto audit`: shows, verifies and exports the audit log."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenuto.cli.audited import ROLE, Org, read
from tenuto.cli.exit_codes import UsageError, WorkFailed
from tenuto.cli.list_options import Before, Limit
from tenuto.cli.output import AsJson, show, show_list, table
from tenuto.cli.session import CommandContext, read_optional_id, with_tenuto
from tenuto.model.filters import AuditListFilter
from tenuto.model.os_user import os_user

if TYPE_CHECKING:
    from tenuto.cli.audit_verify import Verified

app = typer.Typer(help="The audit log: list, verify, export, prune.", no_args_is_help=True)

COLUMNS = ("created_at", "actor_kind", "actor_name", "actor_id", "action", "entity", "entity_id", "changes")

Heads = Annotated[
    Path | None, typer.Option(help="File of signed heads, stored outside of the database.", show_default=False)
]


@app.command("list")
def list_(
    entity: Annotated[
        str | None, typer.Option(help="Only entries about this kind of entity: run, task, api_key.")
    ] = None,
    entity_id: Annotated[str | None, typer.Option(help="Only entries about the entity with this id.")] = None,
    action: Annotated[str | None, typer.Option(help="Only entries with this action: create, cancel, revoke.")] = None,
    actor: Annotated[str | None, typer.Option(help="Only actions of this key, user or database login.")] = None,
    ip: Annotated[str | None, typer.Option(help="Only entries of clients with this address.")] = None,
    since: Annotated[str | None, typer.Option(help="Only entries written within this time before now: 1h.")] = None,
    until: Annotated[str | None, typer.Option(help="Only entries written more than this time ago: 1h.")] = None,
    before: Before = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List the actions of users, keys and database logins, newest first."""
    before_id = read_optional_id(before, "audit entry")
    chosen = AuditListFilter(
        entity, entity_id, action, actor, ip, since=_ago(since, "--since"), until=_ago(until, "--until")
    )
    entries = with_tenuto(lambda tenuto: tenuto.list_audit(chosen, before=before_id, limit=limit), role=ROLE, org=org)
    show_list("entries", entries, COLUMNS, as_json=as_json)


def _ago(text: str | None, what: str) -> datetime | None:
    """Returns the time that is this long before now."""
    from tenuto.model.durations import seconds

    return None if text is None else datetime.now(UTC) - timedelta(seconds=seconds(text, what))


@app.command()
def verify(heads: Heads = None, org: Org = None, as_json: AsJson = False) -> None:
    """Check the chain of entries. Reports entries that were edited, deleted, inserted, moved or cut off.

    With --heads, changes to the entries covered by these heads are found even if the whole chain was rewritten.
    """
    from tenuto.cli.audit_verify import verify as follow

    result = read(lambda context: follow(context, heads), org=org)
    show(_facts(result), _as_text(result), as_json=as_json)
    if result.findings:
        raise WorkFailed(f"the audit log of {result.org} was changed: {len(result.findings)} findings")


def _facts(result: "Verified") -> dict[str, object]:
    return {**vars(result), "findings": [vars(finding) for finding in result.findings]}


def _as_text(result: "Verified") -> str:
    if result.findings:
        return table(
            ("kind", "entry", "what"), [(finding.kind, str(finding.seq), finding.what) for finding in result.findings]
        )
    held = (
        f"proven up to entry {result.held_to} by {result.heads} signed heads, {result.kept_heads} of them from the file"
    )
    return f"{result.entries} entries are unchanged; {held}"


@app.command()
def export(
    to: Annotated[Path | None, typer.Option(help="New file for the entries, one JSON object per line.")] = None,
    heads: Heads = None,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Write the entries to a file, or append signed heads of the chain to a file. Store both outside of the database.

    Heads are signed every minute, so export them every minute, as a user who is not a database administrator.
    """
    if (to is None) == (heads is None):
        raise UsageError("pass either --to FILE for the entries, or --heads FILE for signed heads of the chain")
    if to is not None:
        count = read(lambda context: _export_entries(context, to), org=org)
        show({"entries": count, "file": str(to)}, f"wrote {count} entries to {to}", as_json=as_json)
        return
    count, signed = read(lambda context: _export_heads(context, heads or Path()), org=org)
    text = f"added {count} heads to {heads}"
    text += "" if signed else "; no new head was signed, because TENUTO_PEPPER is not set"
    show({"heads": count, "file": str(heads), "signed": signed}, text, as_json=as_json)


async def _export_entries(context: CommandContext, to: Path) -> int:
    from tenuto.cli.audit_verify import read_chain, sign_now, write_record
    from tenuto.db import audit

    await sign_now(context)
    chain = await context.pool.call(audit.get_chain, org_id=context.org_id)
    count = 0
    try:
        file = os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise UsageError(f"{to} cannot be created: {error.strerror}; name a file that does not exist yet") from error
    with os.fdopen(file, "w") as out:
        async for record in read_chain(context, chain.anchor_seq):
            out.write(write_record(record) + "\n")
            count += 1
    return count


async def _export_heads(context: CommandContext, file: Path) -> tuple[int, bool]:
    from tenuto.cli.audit_verify import export_heads, sign_now

    signed = await sign_now(context)
    try:
        return await export_heads(context, file), signed
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from error


@app.command()
def prune(
    keep: Annotated[
        str,
        typer.Option(help="How long to keep entries: 365d, 104w. Only whole months are deleted.", show_default=False),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be deleted, and change nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete old months of the audit logs of all orgs. Each chain records the deletion and continues."""
    from datetime import timedelta

    from tenuto.db import audit
    from tenuto.model.durations import seconds

    span = timedelta(seconds=seconds(keep, "--keep"))
    gone = read(lambda context: context.pool.call(audit.prune_audit, keep=span, actor_id=os_user(), dry_run=dry_run))
    word = "would be deleted" if dry_run else "deleted"
    text = "\n".join(f"{month.entries} entries of {month.partition} {word}" for month in gone)
    show({"months": gone, "dry_run": dry_run}, text or "no entries are that old", as_json=as_json)
