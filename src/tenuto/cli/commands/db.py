"""`tenuto db`: installs, checks, replaces, adopts, stops and opens the database, and prints the SQL for its logins."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenuto.cli.adopt import AdoptionOptions, Cancel, Keep, Moved, OwnStore, Yes, read_copy_problem
from tenuto.cli.adopt import adopt as adopt_copy
from tenuto.cli.database import open_database, read_settings
from tenuto.cli.exit_codes import FAILED, UsageError
from tenuto.cli.health_checks import embedded_server
from tenuto.cli.output import AsJson, say, show, table
from tenuto.cli.session import with_database

if TYPE_CHECKING:
    from tenuto.db.embedded import ServerFailure
    from tenuto.db.install.install import SchemaStatus

COMMANDS = "migrate, reset, roles, status, homes, adopt, stop, psql, prune"
app = typer.Typer(help=f"The database: {COMMANDS}.", no_args_is_help=True)


@app.command()
def migrate(
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Show what would be done, and change nothing. Exit code 1 if there is anything to do."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Update the database to this version of Tenuto. It is safe to run at any time."""
    from tenuto.db.install import install

    settings = read_settings()
    with open_database(settings) as url:
        if check:
            _check(install.status(url), as_json=as_json)
            return
        before = install.status(url)
        report = install.migrate(url, installation=settings.installation)
    lines = [f"applied {name}" for name in report.applied]
    if before.newer:
        done = "a newer Tenuto migrated it and this one works with it: nothing to do"
    else:
        done = "updated" if report.objects_applied else "nothing to do"
    lines += [f"schema version {report.schema_version}, {done}", *_restarts(before)]
    for default in before.other_defaults:
        say(f"warning: {default}", err=True)
    show(report, "\n".join(lines), as_json=as_json)


@app.command()
def reset(yes: Yes = False, as_json: AsJson = False) -> None:
    """Create a new, empty database, and keep the old one under another name: the folder of the embedded database, or
    the schemas of TENUTO_DATABASE_URL."""
    from tenuto.cli.reset import reset as reset_database

    reset_database(read_settings(), yes=yes, as_json=as_json)


def _check(status: "SchemaStatus", *, as_json: bool) -> None:
    from tenuto.db.install.install import other_tables_in

    lines = [f"would apply {name}" for name in status.pending]
    if status.other_tables:
        lines.append(other_tables_in(status.url))
    elif status.newer:
        works = f"does not work with it ({status.missing[0]})" if status.missing else "works with it"
        lines.append(f"schema version {status.schema_version}, of a newer Tenuto; this one {works}")
    elif status.current:
        lines.append(f"schema version {status.schema_version}, nothing to do")
    else:
        lines += [f"would update the functions of schema version {status.schema_version}", *_restarts(status)]
    for default in status.other_defaults:
        say(f"warning: {default}", err=True)
    show(status, "\n".join(lines), as_json=as_json)
    if not (status.current or status.newer) or status.missing:
        raise typer.Exit(FAILED)


def _restarts(status: "SchemaStatus") -> list[str]:
    """Returns a line that says whether processes of the installed version keep working."""
    if status.current or status.newer or not status.schema_version:
        return []
    if not status.restarts:
        return ["processes of the installed version keep working"]
    return [f"processes of the installed version stop and have to be upgraded: {', '.join(status.restarts[:5])}"]


@app.command()
def roles(
    logins: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LOGIN]…",
            help="Only these logins: owner, worker, web, server, readonly, backup. Default: all.",
            show_default=False,
        ),
    ] = None,
    prefix: Annotated[str, typer.Option(help="Prefix of the login names.")] = "app",
    as_json: AsJson = False,
) -> None:
    """Print the SQL that creates a login for each purpose, with the rights that it needs and no others."""
    from tenuto.db.install.login_script import LOGINS, login_script

    known = [login.purpose for login in LOGINS]
    for login in logins or ():
        if login not in known:
            raise UsageError(f"{login!r} is not a login of Tenuto; write some of: {', '.join(known)}")
    script = login_script(prefix, logins or known)
    show({"sql": script}, script, as_json=as_json)


@app.command()
def status(as_json: AsJson = False) -> None:
    """Show which database is used and whether it is up to date. Starts the embedded server if it is not running.

    With --json, the URL of the embedded server contains its password, for programs that connect to it.
    """
    from tenuto.db.install import install

    settings = read_settings()
    with open_database(settings) as url:
        status = install.status(url)
        copy_problem = read_copy_problem(url, settings.installation) if status.current else None
    own: dict[str, Path | None] = {}
    if settings.database_url is None:
        own = {"home": settings.home, "project": settings.project_folder}
    text = [
        f"url             {status.url}",
        f"server version  {status.server_version}",
        f"schema version  {status.schema_version}",
        f"pending         {', '.join(status.pending) or 'nothing'}",
        *(f"{name.ljust(14)}  {path}" for name, path in own.items() if path is not None),
    ]
    if status.other_tables:
        text.append("Another commit created its tables: run `tenuto db reset` to keep them and create new ones.")
    elif not status.current:
        text.append("Run `tenuto db migrate` to update it.")
    if copy_problem is not None:
        text.append(f"copy            {copy_problem}: nothing runs here until `tenuto db adopt`")
    failures: list[ServerFailure] = []
    if settings.database_url is None:
        from tenuto.db import embedded

        failures = embedded.status(settings.home).failures
        if failures:
            text.append(f"server          {embedded_server(failures).says}")
        # The URL of the embedded server is shown with its password: a user who can read the home folder may use the
        # server. A password from TENUTO_DATABASE_URL is never printed.
        status = dataclasses.replace(status, url=url)
    shown = {**own, **vars(status), "copy_problem": copy_problem, "failures": failures}
    show(shown, "\n".join(text), as_json=as_json)


@app.command()
def homes(as_json: AsJson = False) -> None:
    """List the homes of this account, and show which one is used here. A home has the embedded database and the files
    of a project. Starts nothing.

    To delete a home, stop its server with `TENUTO_HOME=HOME tenuto db stop`, then delete the folder.
    """
    from tenuto.db.embedded.homes import list_homes, size_of

    settings = read_settings()
    listed = [{**vars(home), "bytes": size_of(home.home)} for home in list_homes(settings.data_folder)]
    rows = [
        [
            str(home["home"]),
            str(home["project"] or "-"),
            ("running" if home["running"] else "stopped") + (", project folder is gone" if home["gone"] else ""),
            f"{home['bytes'] / 1e6:.0f} MB",
        ]
        for home in listed
    ]
    text = f"here: {settings.home}\n\n" + (table(("home", "project", "state", "size"), rows) if rows else "no homes")
    show({"here": settings.home, "homes": listed}, text, as_json=as_json)


@app.command()
def stop(as_json: AsJson = False) -> None:
    """Stop the embedded server, even if processes use it. They do not start it again; the next command does."""
    from tenuto.db import embedded

    settings = read_settings()
    if settings.database_url is not None:
        raise typer.BadParameter("TENUTO_DATABASE_URL is set: Tenuto stops only the embedded server it started")
    stopped = embedded.stop(settings.home)
    show({"stopped": stopped}, "stopped" if stopped else "was not running", as_json=as_json)


@app.command()
def adopt(
    moved: Moved = False,
    keep: Keep = False,
    cancel: Cancel = False,
    own_store: OwnStore = False,
    yes: Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would begin, and change nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a copy of a database an installation of its own. Until then, nothing runs on the copy."""
    adopt_copy(AdoptionOptions(moved, keep, cancel, own_store), yes=yes, dry_run=dry_run, as_json=as_json)


@app.command()
def prune(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be deleted, and change nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete at once all runs that are older than their retention. Dispatchers also do this, later."""
    from tenuto.cli.prune import prune as prune_now

    gone = with_database(lambda context: prune_now(context.pool, dry_run=dry_run), role="tenuto_dispatcher")
    word = "would be deleted" if dry_run else "deleted"
    show(gone, "\n".join(f"{number} {what} {word}" for what, number in gone.items()), as_json=as_json)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def psql(context: typer.Context) -> None:
    """Open psql on the database. Further arguments are passed to psql."""
    from tenuto.db.install import install
    from tenuto.db.install import psql as client

    settings = read_settings()
    with open_database(settings) as url:
        # Connect once, so that a connection error is reported as by every other command.
        install.open_connection(url).close()
        code = client.run(url, context.args, pg_bin=settings.pg_bin)
    raise typer.Exit(code)
