"""`tenuto keys`: creates, rotates, revokes and imports API keys."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from tenuto.cli.audited import AuditedTransaction, Org, change, look, new, split_commas
from tenuto.cli.commands.runs import Before, Limit
from tenuto.cli.output import Json, show, show_list
from tenuto.cli.session import read_id

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime, timedelta

app = typer.Typer(help="API keys: create, list, rotate, revoke, import.", no_args_is_help=True)

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
)
ONCE = "it is shown only now"
PUBLIC = re.compile("[0-9A-Za-z]{12}")

KeyId = Annotated[
    str, typer.Argument(metavar="KEY", help="The key's id or key id, as the list shows them.", show_default=False)
]
Name = Annotated[str, typer.Option(help="Name of the key, such as its purpose.", show_default=False)]
Expires = Annotated[str | None, typer.Option(help="How long the key is valid: 30d, 12h. Default: until it is revoked.")]
Overlap = Annotated[str, typer.Option(help="How long the old key stays valid: 1d, 0s.")]
Env = Annotated[str, typer.Option(help="Environment, written into the key: live, test.")]


@app.command()
def create(
    name: Name,
    permissions: Annotated[
        str, typer.Option(help="Permissions of the key: runs:write,tasks:read or *.", show_default=False)
    ],
    expires: Expires = None,
    env: Env = "live",
    org: Org = None,
    as_json: Json = False,
) -> None:
    """Create an API key and print it. It cannot be shown again."""
    from tenuto.db import keys
    from tenuto.model.keys import API
    from tenuto.model.permissions import check_permissions

    may = split_commas(permissions)
    check_permissions(may)
    options = {"name": name, "permissions": may}
    id, key = change(
        lambda transaction: make(transaction, keys.create_api_key, (API, env), expires, **options), org=org
    )
    show({"id": id, "key": key, **options}, f"{key}\nKey {name} of id {id}: {ONCE}.", as_json=as_json)


@app.command("list")
def list_(before: Before = None, limit: Limit = 50, org: Org = None, as_json: Json = False) -> None:
    """List API keys, newest first, without the keys themselves."""
    from tenuto.db import keys

    page = {"before": before and read_id(before, "key"), "limit": limit}
    items = look(lambda context: context.pool.call(keys.list_api_keys, org_id=context.org_id, **page), org=org)
    show_list("keys", items, COLUMNS, as_json=as_json)


@app.command()
def rotate(key: KeyId, overlap: Overlap = "1d", env: Env = "live", org: Org = None, as_json: Json = False) -> None:
    """Create a key that replaces an old one. The old key stays valid for the overlap."""
    from tenuto.db import keys
    from tenuto.model.keys import API

    old, id, text = change(
        lambda transaction: replace(transaction, keys.rotate_api_key, (API, env), key, overlap), org=org
    )
    show({"id": id, "key": text, "replaces": old}, f"{text}\nKey of id {id}: {ONCE}.", as_json=as_json)


@app.command()
def revoke(key: KeyId, org: Org = None, as_json: Json = False) -> None:
    """Revoke an API key now. Requests with it are rejected."""
    id, done = change(lambda transaction: end_key(transaction, "key", key), org=org)
    show({"id": id, "revoked": True}, f"revoked key {id}" if done else f"key {id} was already revoked", as_json=as_json)


@app.command("import")
def import_(
    file: Annotated[
        Path,
        typer.Argument(help="A JSON object per line: key_prefix, key_hash, name, permissions, expires_at, is_active."),
    ],
    org: Org = None,
    as_json: Json = False,
) -> None:
    """Import keys from a system that stored bcrypt hashes. They work as before; the first use replaces the hash."""
    from tenuto.cli.key_import import read_keys
    from tenuto.db import keys

    imported = read_keys(file)

    async def work(transaction: AuditedTransaction) -> list[UUID]:
        ids = []
        for key in imported.keys:
            ids.append(await transaction.do(keys.import_api_key, **key, created_by=transaction.actor))
            await transaction.note("api_key", ids[-1], "import", new(name=key["name"], permissions=key["permissions"]))
        return ids

    ids = change(work, org=org)
    for shared in imported.shared_prefixes():
        typer.echo(f"warning: {shared}; the first uses of such a key may get status 429 and must be repeated", err=True)
    skipped = f"; {len(imported.inactive)} are inactive and were not imported" if imported.inactive else ""
    show({"ids": ids, "inactive": imported.inactive}, f"imported {len(ids)} keys{skipped}", as_json=as_json)


async def make(
    transaction: AuditedTransaction,
    function: "Callable[..., Awaitable[UUID]]",
    kind: tuple[str, str],
    expires: str | None,
    **options: Any,
) -> tuple[UUID, str]:
    """Create a key, write its audit entry, and return its id and its text."""
    from tenuto.db import maintenance

    text, params = _new_key(*kind)
    expires_at = await maintenance.now(transaction.conn) + _span(expires, "--expires") if expires else None
    id = await transaction.do(function, **params, **options, expires_at=expires_at, created_by=transaction.actor)
    await transaction.note(_entity(kind[0]), id, "create", new(**options, expires_at=_text(expires_at)))
    return id, text


async def replace(
    transaction: AuditedTransaction,
    function: "Callable[..., Awaitable[UUID]]",
    kind: tuple[str, str],
    key: str,
    overlap: str,
) -> tuple[UUID, UUID, str]:
    """Create a key that replaces another one; returns the id of the old key, the id of the new one and its text."""
    old = await _find(transaction, "key" if _entity(kind[0]) == "api_key" else "worker-key", key)
    text, params = _new_key(*kind)
    id = await transaction.do(
        function, id=old, **params, created_by=transaction.actor, overlap=_span(overlap, "--overlap")
    )
    await transaction.note(_entity(kind[0]), old, "rotate", new(replaced_by=str(id)))
    return old, id, text


async def end_key(transaction: AuditedTransaction, what: str, key: str) -> tuple[UUID, bool]:
    """Revoke a key; returns its id and whether it was valid until now. If it was not, nothing is audited."""
    from tenuto.db import keys, workers

    entity, revoke = ("api_key", keys.revoke_api_key) if what == "key" else ("worker_key", keys.revoke_worker_key)
    id = await _find(transaction, what, key)
    done = await transaction.do(revoke, id=id)
    if what != "key":
        await transaction.do(workers.end_key_sessions, worker_key_id=id)
    if done:
        await transaction.note(entity, id, "revoke")
    return id, done


async def _find(transaction: AuditedTransaction, what: str, key: str) -> UUID:
    """Return the id of a key, given its id or the public part of its text, which error messages name."""
    from tenuto.db import keys

    if not PUBLIC.fullmatch(key):
        return read_id(key, what)
    return (await transaction.do(keys.get_api_key if what == "key" else keys.get_worker_key, key_id=key)).id


def _new_key(kind: str, env: str) -> tuple[str, dict[str, Any]]:
    from tenuto.cli.database import read_settings
    from tenuto.cli.pepper import find_peppers
    from tenuto.model.keys import key_hash, make_key

    key, peppers = make_key(kind, env), find_peppers(read_settings())
    params = {"key_id": key.key_id, "hash": key_hash(peppers, key.text), "pepper_version": peppers.version}
    return key.text, params


def _entity(kind: str) -> str:
    from tenuto.model.keys import API

    return "api_key" if kind == API else "worker_key"


def _span(text: str, what: str) -> "timedelta":
    from datetime import timedelta

    from tenuto.model.durations import seconds

    return timedelta(seconds=seconds(text, what))


def _text(moment: "datetime | None") -> str | None:
    return moment.isoformat() if moment else None
