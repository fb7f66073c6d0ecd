"""Creates a new database in the place of the old one, which is kept under another name."""

from dataclasses import dataclass, field

import typer

from tenuto.cli.database import Settings, open_database, refuse_server
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.output import say, show


@dataclass(frozen=True)
class KeptDatabase:
    """Where the old database is. `folder`: of the embedded database; `schemas`: the new names of old schemas."""

    folder: str | None = None
    schemas: dict[str, str] = field(default_factory=dict[str, str])


def reset(settings: Settings, *, yes: bool, as_json: bool) -> None:
    """Ask, keep the old database, and create a new one."""
    refuse_server(settings)
    if as_json and not yes:
        raise UsageError("--json asks nothing: add --yes")
    if settings.database_url is None:
        kept = _reset_home(settings, yes=yes)
        where = f"the old database is kept in {kept.folder}, with its data objects: TENUTO_HOME={kept.folder} uses it"
    else:
        kept = _reset_schemas(settings, settings.database_url, yes=yes)
        where = "the old schemas are kept: " + ", ".join(f"{old} as {new}" for old, new in kept.schemas.items())
    show(kept, f"created a new database; {where}", as_json=as_json)


def _reset_home(settings: Settings, *, yes: bool) -> KeptDatabase:
    from tenuto.db import embedded
    from tenuto.db.install import install

    name = settings.home.expanduser().resolve().name
    _ask(f"a new database in {settings.home}", "folder", name, yes=yes)
    folder = embedded.keep_aside(settings.home)
    with open_database(settings) as url:
        install.migrate(url, installation=settings.installation)
    return KeptDatabase(folder=str(folder))


def _reset_schemas(settings: Settings, url: str, *, yes: bool) -> KeptDatabase:
    from tenuto.db.install import install, reset

    with install.connection_to(url) as conn:
        name = conn.info.dbname
    _ask(f"new schemas in {name}", "database", name, yes=yes)
    return KeptDatabase(schemas=reset.reset(url, installation=settings.installation))


def _ask(creates: str, kind: str, name: str, *, yes: bool) -> None:
    if yes:
        return
    say(f"This creates {creates}, which is empty: its runs, keys and DAGs are kept under another name.")
    if typer.prompt(f"Type the name of the {kind} ({name}) to continue") != name:
        raise UsageError(f"that is not the name of the {kind}; nothing was changed")
