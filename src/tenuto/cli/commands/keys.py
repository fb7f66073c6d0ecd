"""`tenuto keys`: creates, shows, changes, rotates, revokes and imports API keys."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.audited import AuditedTransaction, Org, change, split_commas
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.key_changes import find_id, read_span, with_api_keys
from tenuto.cli.list_options import Before, Limit
from tenuto.cli.output import AsJson, fields, show, show_list
from tenuto.cli.session import read_optional_id

if TYPE_CHECKING:
    from tenuto.model.identity import ApiKeyInfo
    from tenuto.sdk.operations.keys import ApiKeyOperations, CreatedKey

app = typer.Typer(help="API keys: create, list, show, update, rotate, revoke, import.", no_args_is_help=True)

COLUMNS = (
    "id",
    "key_id",
    "name",
    "permissions",
    "created_by",
    "created_at",
    "expires_at",
    "revoked_at",
    "last_used_at",
    "disabled_at",
)
ONCE = "it is shown only now"

KeyId = Annotated[
    str,
    typer.Argument(
        metavar="KEY",
        help="The name or id of the key, or the public part of its text, as `list` shows them.",
        show_default=False,
    ),
]
Name = Annotated[str, typer.Option(help="Name of the key, such as its purpose.", show_default=False)]
Expires = Annotated[str | None, typer.Option(help="How long the key is valid: 30d, 12h. Default: until it is revoked.")]
Overlap = Annotated[str, typer.Option(help="How long the old key stays valid: 1d, 0s.")]
Env = Annotated[
    str | None,
    typer.Option(
        help="Environment named in the key: live, test. Over HTTP, the server determines it.",
        show_default="live",
    ),
]


@app.command()
def create(
    name: Name,
    permissions: Annotated[
        str, typer.Option(help="Permissions of the key: runs:write,tasks:read or *.", show_default=False)
    ],
    expires: Expires = None,
    env: Env = None,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Create an API key and print it. The key cannot be shown again."""
    from tenuto.model.permissions import check_permissions

    granted, valid_for = split_commas(permissions), None if expires is None else read_span(expires, "--expires")
    check_permissions(granted)
    created = with_api_keys(lambda keys: keys.create_key(name, granted, expires=valid_for), org=org, env=env)
    facts = {"id": created.id, "key": created.key, "name": name, "permissions": granted}
    show(facts, f"{created.key}\nKey {name} of id {created.id}: {ONCE}.", as_json=as_json)


@app.command("list")
def list_(before: Before = None, limit: Limit = 50, org: Org = None, as_json: AsJson = False) -> None:
    """List API keys, newest first, without their secret texts."""
    before_id = read_optional_id(before, "key")
    items = with_api_keys(lambda keys: keys.list_keys(before=before_id, limit=limit), org=org)
    show_list("keys", items, COLUMNS, as_json=as_json)


@app.command("show")
def show_(key: KeyId, org: Org = None, as_json: AsJson = False) -> None:
    """Show the name, permissions and times of an API key, without its secret text."""

    async def work(keys: "ApiKeyOperations") -> "ApiKeyInfo":
        return await keys.get_key(await find_id(keys, key, "key"))

    row = with_api_keys(work, org=org)
    show(row, fields(row, hide=("pepper_version",)), as_json=as_json)


@app.command()
def update(
    key: KeyId,
    name: Annotated[str | None, typer.Option(help="New name.", show_default=False)] = None,
    active: Annotated[
        bool | None,
        typer.Option("--active/--inactive", help="Whether requests with the key are accepted.", show_default=False),
    ] = None,
    expires: Annotated[
        str | None, typer.Option(help="How long the key is valid from now: 30d, 12h; or never.", show_default=False)
    ] = None,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Change the name or the expiry of an API key, or set it inactive or active again."""
    from tenuto.sdk.operations.keys import KeyUpdate

    if name is None and active is None and expires is None:
        raise UsageError("nothing to change; write --name, --active, --inactive or --expires")
    valid_for = None if expires is None or expires == "never" else read_span(expires, "--expires")
    changes = KeyUpdate(name, active, valid_for, never_expires=expires == "never")

    async def work(keys: "ApiKeyOperations") -> "ApiKeyInfo":
        return await keys.update_key(await find_id(keys, key, "key"), changes)

    id = with_api_keys(work, org=org).id
    show({"id": id, "updated": True}, f"updated key {id}", as_json=as_json)


@app.command()
def rotate(key: KeyId, overlap: Overlap = "1d", env: Env = None, org: Org = None, as_json: AsJson = False) -> None:
    """Create a key that replaces this key. The old key stays valid for the time of --overlap."""
    kept = read_span(overlap, "--overlap")

    async def work(keys: "ApiKeyOperations") -> "tuple[UUID, CreatedKey]":
        old = await find_id(keys, key, "key")
        return old, await keys.rotate_key(old, overlap=kept)

    old, created = with_api_keys(work, org=org, env=env)
    facts = {"id": created.id, "key": created.key, "replaces": old}
    show(facts, f"{created.key}\nKey of id {created.id}: {ONCE}.", as_json=as_json)


@app.command()
def revoke(key: KeyId, org: Org = None, as_json: AsJson = False) -> None:
    """Revoke an API key now. Requests with it are rejected."""

    async def work(keys: "ApiKeyOperations") -> tuple[UUID, bool]:
        id = await find_id(keys, key, "key")
        return id, await keys.revoke_key(id)

    id, done = with_api_keys(work, org=org)
    show({"id": id, "revoked": True}, f"revoked key {id}" if done else f"key {id} was already revoked", as_json=as_json)


@app.command("import")
def import_(
    file: Annotated[
        Path,
        typer.Argument(help="A JSON object per line: key_prefix, key_hash, name, permissions, expires_at, is_active."),
    ],
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Import keys with their bcrypt hashes. At the first use of a key, an HMAC replaces its hash, as for other keys."""
    from tenuto.cli.key_import import read_keys
    from tenuto.db import keys

    imported = read_keys(file)

    async def work(transaction: AuditedTransaction) -> list[UUID]:
        ids: list[UUID] = []
        for key in imported.keys:
            id = await keys.import_api_key(
                transaction.conn,
                org_id=transaction.org_id,
                prefix=key.prefix,
                bcrypt=key.bcrypt,
                name=key.name,
                permissions=key.permissions,
                expires_at=key.expires_at,
                created_by=transaction.actor,
            )
            ids.append(id)
        return ids

    ids = change(work, org=org)
    for shared in imported.shared_prefixes():
        typer.echo(f"warning: {shared}; the first uses of such a key may get status 429 and must be repeated", err=True)
    skipped = f"; {len(imported.inactive)} are inactive and were not imported" if imported.inactive else ""
    show({"ids": ids, "inactive": imported.inactive}, f"imported {len(ids)} keys{skipped}", as_json=as_json)
