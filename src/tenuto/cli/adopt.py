"""Makes a copy of a database an installation of its own: shows what begins, cancels it if asked to, and adopts it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from tenuto.cli.exit_codes import UsageError
from tenuto.cli.health_checks import OK, WRONG, Check
from tenuto.cli.output import say, show
from tenuto.cli.session import CommandContext, with_database

if TYPE_CHECKING:
    from tenuto.db.connection.pool import ConnectionPool
    from tenuto.model.installation import Installation, OpenWork

ROLE = "tenuto_owner"
REASON = "cancelled when this copy of the database was adopted"
DECIDED = ("tasks", "effects", "backfills")  # what --keep and --cancel decide about
OPEN_RUNS = ("pending", "running", "retrying")
PAGE = 100

Moved = Annotated[
    bool,
    typer.Option(
        "--moved", help="The original is gone, and this database replaces it: keep its pools, machines and tasks."
    ),
]
Keep = Annotated[bool, typer.Option("--keep", help="Open tasks continue here, and pending effects are delivered.")]
Cancel = Annotated[
    bool, typer.Option("--cancel", help="Cancel open runs and backfills; pending effects become dead letters.")
]
OwnStore = Annotated[
    bool,
    typer.Option("--own-store", help="The object store is not that of the original, although it has the same address."),
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@dataclass(frozen=True)
class AdoptionOptions:
    """The options of the command."""

    moved: bool = False
    keep: bool = False
    cancel: bool = False
    own_store: bool = False

    def check(self, work: "list[OpenWork]") -> None:
        """Raises UsageError unless the options say what becomes of the open work."""
        if self.moved + self.keep + self.cancel > 1:
            raise UsageError("write only one of --moved, --keep and --cancel")
        if self.moved and self.own_store:
            raise UsageError("--own-store is for a copy; with --moved, the store of the original is used")
        held = [line for line in work if line.kind in DECIDED]
        if held and not (self.moved or self.keep or self.cancel):
            raise UsageError(
                f"the copy has open work of the original ({'; '.join(map(_line_of, held))}): write --cancel to end it "
                "here, --keep to do it here, too, or --moved if the original is gone"
            )


@dataclass(frozen=True)
class CopyFacts:
    """The facts that the command shows before it adopts a copy."""

    copy_problem: str
    begins: "list[OpenWork]"
    cancelled: "list[OpenWork]"
    store: str
    stores_of_the_original: list[str]
    dry_run: bool
    discarded_effects: int = 0


def adopt(options: AdoptionOptions, *, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Show what begins, ask, and adopt the database."""
    facts = with_database(lambda context: _look(context, options, dry_run=dry_run), role=ROLE)
    lines = [*_lines_of(facts, options), *(["nothing was changed"] if dry_run else [])]
    if dry_run:
        show(facts, "\n".join(lines), as_json=as_json)
        if not (options.moved or options.keep or options.cancel):
            return
    options.check([*facts.begins, *facts.cancelled])
    with_database(lambda context: _try(context, options), role=ROLE)
    if dry_run:
        return
    if as_json and not yes:
        raise UsageError("--json asks nothing: add --yes, or look first with --dry-run")
    if not yes:
        say("\n".join(lines))
        typer.confirm("Adopt this database?", abort=True)
    discarded = with_database(lambda context: _adopt(context, options), role=ROLE)
    done = replace(facts, discarded_effects=discarded)
    show(done, "\n".join([*(lines if yes else []), "the database is adopted; its processes begin"]), as_json=as_json)


def check_installation(facts: "Installation") -> Check:
    """Checks that the database is not a copy of another installation."""
    if facts.copy_problem is not None:
        return Check(
            "installation",
            WRONG,
            f"{facts.copy_problem}: no loops, schedules, pools, deliveries or workers run here; `tenuto db adopt "
            "--dry-run` shows what begins when you adopt it",
        )
    name = f"{facts.name}, " if facts.name else ""
    return Check("installation", OK, f"{name}this database is not a copy; recorded {facts.recorded_at:%Y-%m-%d}")


def read_copy_problem(url: str, name: str | None) -> str | None:
    """Return why the processes with these settings must not act on the database; None if they may, or if the login may
    not call the function."""
    from tenuto.db import installation
    from tenuto.db.connection.errors import MissingRight
    from tenuto.db.connection.pool import open_pool

    async def read() -> str | None:
        async with open_pool(url, size=1) as pool:
            return (await pool.call(installation.get_installation, installation=name)).copy_problem

    try:
        return asyncio.run(read())
    except MissingRight:
        return None


async def _look(context: CommandContext, options: AdoptionOptions, *, dry_run: bool) -> CopyFacts:
    from tenuto.db import installation
    from tenuto.storage import open_store

    found = await context.pool.call(installation.get_installation, installation=context.settings.installation)
    if found.copy_problem is None:
        raise UsageError("this database is no copy: it is an installation of its own, and works already")
    work = await context.pool.call(installation.list_open_work)
    return CopyFacts(
        found.copy_problem,
        [line for line in work if not (options.cancel and line.kind in DECIDED)],
        [line for line in work if options.cancel and line.kind in DECIDED],
        open_store(context.settings.storage).root,
        sorted({*found.stores, *found.foreign_stores}),
        dry_run,
    )


def _lines_of(facts: CopyFacts, options: AdoptionOptions) -> list[str]:
    begins = [f"  begins: {_line_of(line)}" for line in facts.begins]
    ends = [f"  is cancelled here: {_line_of(line)}" for line in facts.cancelled]
    whose = "" if facts.store in facts.stores_of_the_original else ", which the original does not use"
    return [
        f"{facts.copy_problem}.",
        "When it is adopted:" if begins or ends else "Nothing waits to begin.",
        *begins,
        *ends,
        "Pools, machines and sessions stay as they are."
        if options.moved
        else "Pools get new ids: the machines of the original stay with it.",
        f"Objects are stored and deleted in {facts.store}{whose}.",
    ]


def _line_of(line: "OpenWork") -> str:
    names = ", ".join(line.names or [])
    more = ", …" if line.names and line.number > len(line.names) and line.kind in ("pools", "schedules") else ""
    at = f", the first at {line.next_at:%Y-%m-%d %H:%M:%S %Z}" if line.next_at else ""
    return f"{line.number:,} {line.kind} of org {line.org}{f' ({names}{more})' if names else ''}{at}"


async def _try(context: CommandContext, options: AdoptionOptions) -> None:
    """Raise the error with which the database would refuse the adoption."""
    await _call(context, options)(dry_run=True)


async def _adopt(context: CommandContext, options: AdoptionOptions) -> int:
    if options.cancel:
        await _cancel_open_work(context.pool)
    return await _call(context, options)()


def _call(context: CommandContext, options: AdoptionOptions) -> Callable[..., Awaitable[int]]:
    from tenuto.db import installation
    from tenuto.storage import open_store

    return partial(
        context.pool.call,
        installation.adopt_database,
        installation=context.settings.installation,
        moved=options.moved,
        discard_effects=options.cancel,
        store=open_store(context.settings.storage).root,
        own_store=options.own_store,
    )


async def _cancel_open_work(pool: "ConnectionPool") -> None:
    """Cancel all open backfills and runs while the copy is still passive, so that none of their tasks can be
    claimed."""
    from tenuto.db import backfills, bulk_runs, maintenance, orgs

    after: str | None = None
    while page := await pool.call(orgs.list_orgs, after=after, limit=PAGE):
        for org in page:
            while found := await pool.call(backfills.list_backfills, org_id=org.id, status="running", limit=PAGE):
                for backfill in found:
                    await pool.call(backfills.cancel_backfill, org_id=org.id, id=backfill.id)
            for status in OPEN_RUNS:
                before, more = None, True
                while more:
                    piece = await pool.call(
                        bulk_runs.cancel_runs, org_id=org.id, status=status, reason=REASON, before=before
                    )
                    before = piece.next_before
                    more = before is not None
        after = page[-1].slug
    while await pool.call(maintenance.advance_requests, limit=PAGE):
        pass
