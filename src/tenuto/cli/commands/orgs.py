"""`tenuto orgs`: orgs (tenants), their names and settings."""

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.arguments import read_arguments
from tenuto.cli.audited import read
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.list_options import Limit
from tenuto.cli.output import AsJson, fields, show, show_list
from tenuto.cli.people_changes import with_orgs
from tenuto.model.json import JsonObject

if TYPE_CHECKING:
    from tenuto.cli.session import CommandContext
    from tenuto.sdk.operations.people import PeopleOperations

app = typer.Typer(help="Orgs: create, list, show, set.", no_args_is_help=True)

COLUMNS = ("slug", "name", "settings", "created_at", "id")

Slug = Annotated[
    str, typer.Argument(metavar="ORG", help="Slug (short name) of the org, as in TENUTO_ORG.", show_default=False)
]
FullName = Annotated[str | None, typer.Option("--name", help="Display name of the org.", show_default=False)]
Retention = Annotated[
    int | None, typer.Option(min=1, max=3650, help="Number of days that ended runs are kept.", show_default=False)
]
EffectHours = Annotated[
    int | None,
    typer.Option(
        "--effect-retention-hours",
        min=1,
        max=87_600,
        help="Number of hours that side effects are kept after they were done.",
        show_default=False,
    ),
]
ObjectHours = Annotated[
    int | None,
    typer.Option(
        "--object-retention-hours",
        min=1,
        max=87_600,
        help="Number of hours that unreferenced data objects are kept.",
        show_default=False,
    ),
]
MaxSchedules = Annotated[
    int | None,
    typer.Option("--max-schedules", min=0, max=10_000, help="Maximum number of schedules.", show_default=False),
]
MaxObject = Annotated[
    int | None, typer.Option("--max-object-bytes", min=0, help="Maximum size of a data object.", show_default=False)
]

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--setting",
        metavar="NAME=VALUE",
        help="Another setting, with a JSON value: stuck_task_seconds=900. Repeatable.",
        show_default=False,
    ),
]


@app.command("list")
def list_(
    after: Annotated[
        str | None, typer.Option(help="Continue after this org, the last one of the previous page.")
    ] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List all orgs by slug; over HTTP, only the org of the API key."""
    orgs = with_orgs(lambda people: people.list_orgs(after=after, limit=limit))
    show_list("orgs", orgs, COLUMNS, as_json=as_json)


@app.command()
def create(
    org: Slug,
    name: FullName = None,
    retention_days: Retention = None,
    effect_retention_hours: EffectHours = None,
    object_retention_hours: ObjectHours = None,
    max_object_bytes: MaxObject = None,
    max_schedules: MaxSchedules = None,
    setting: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Create an org, with its own users, keys and runs."""
    from tenuto.db import orgs

    given = _given(
        retention_days=retention_days,
        effect_retention_hours=effect_retention_hours,
        object_retention_hours=object_retention_hours,
        max_object_bytes=max_object_bytes,
        max_schedules=max_schedules,
    ) | _parsed(setting)
    settings = given or None

    async def work(context: "CommandContext") -> UUID:
        async with context.pool.connection() as conn:
            return await orgs.create_org(conn, slug=org, name=name, settings=settings)

    id = read(work, org="default")
    show({"id": id, "slug": org}, f"created org {org} with id {id}", as_json=as_json)


@app.command("show")
def show_(org: Slug, as_json: AsJson = False) -> None:
    """Show one org."""
    row = with_orgs(lambda people: people.get_org(org))
    show(row, fields(row), as_json=as_json)


@app.command("set")
def set_(
    org: Slug,
    name: FullName = None,
    retention_days: Retention = None,
    effect_retention_hours: EffectHours = None,
    object_retention_hours: ObjectHours = None,
    max_object_bytes: MaxObject = None,
    max_schedules: MaxSchedules = None,
    setting: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Change the name or settings of an org. Options you leave out keep their values."""
    given = _given(
        retention_days=retention_days,
        effect_retention_hours=effect_retention_hours,
        object_retention_hours=object_retention_hours,
        max_object_bytes=max_object_bytes,
        max_schedules=max_schedules,
    ) | _parsed(setting)
    if name is None and not given:
        raise UsageError("nothing to change; write --name or one of the settings, such as --retention-days")

    async def work(people: "PeopleOperations") -> None:
        settings = {**(await people.get_org(org)).settings, **given}
        kept: JsonObject = {key: value for key, value in settings.items() if value is not None}
        await people.update_org(org, name=name, settings=kept if given else None)

    with_orgs(work)
    show({"slug": org, "name": name, "retention_days": None, **given}, f"set org {org}", as_json=as_json)


def _given(**settings: int | None) -> JsonObject:
    """Return the settings that were passed."""
    return {name: value for name, value in settings.items() if value is not None}


def _parsed(settings: list[str] | None) -> JsonObject:
    """Return the settings that were passed as name=value; null resets a setting to its default."""
    positional, named = read_arguments(settings or [])
    if positional:
        raise UsageError(f"--setting {positional[0]!r:.60} has no value; write --setting stuck_task_seconds=900")
    return named
