"""`tenuto keys`: creates, rotates, revokes and imports API keys."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.audited import AuditedTransaction, Org, change, look, new, split_commas
from tenuto.cli.commands.runs import Before, Limit
from tenuto.cli.output import AsJson, show, show_list
from tenuto.cli.session import read_id, read_optional_id

if TYPE_CHECKING:
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
    as_json: AsJson = False,
) -> None:
    """Create an API key and print it. It cannot be shown again."""
    from tenuto.db import keys
    from tenuto.model.keys import API
    from tenuto.model.permissions import check_permissions

    may = split_commas(permissions)
    check_permissions(may)
    key = new_key(API, env)

    async def work(transaction: AuditedTransaction) -> UUID:
        expires_at = await expiry(transaction, expires)
        id = await keys.create_api_key(
            transaction.conn,
            org_id=transaction.org_id,
            key_id=key.key_id,
            hash=key.hash,
            pepper_version=key.pepper_version,
            name=name,
            permissions=may,
            expires_at=expires_at,
            created_by=transaction.actor,
        )
        changes = new(name=name, permissions=may, expires_at=expires_at and expires_at.isoformat())
        await transaction.note("api_key", id, "create", changes)
        return id

    id = change(work, org=org)
    facts = {"id": id, "key": key.text, "name": name, "permissions": may}
    show(facts, f"{key.text}\nKey {name} of id {id}: {ONCE}.", as_json=as_json)


@app.command("list")
def list_(before: Before = None, limit: Limit = 50, org: Org = None, as_json: AsJson = False) -> None:
    """List API keys, newest first, without the keys themselves."""
    from tenuto.db import keys

    before_id = read_optional_id(before, "key")
    items = look(
        lambda context: context.pool.call(keys.list_api_keys, org_id=context.org_id, before=before_id, limit=limit),
        org=org,
    )
    show_list("keys", items, COLUMNS, as_json=as_json)


@app.command()
def rotate(key: KeyId, overlap: Overlap = "1d", env: Env = "live", org: Org = None, as_json: AsJson = False) -> None:
    """Create a key that replaces an old one. The old key stays valid for the overlap."""
    from tenuto.model.keys import API

    old, id, text = change(lambda transaction: replace_key(transaction, API, key, env=env, overlap=overlap), org=org)
    show({"id": id, "key": text, "replaces": old}, f"{text}\nKey of id {id}: {ONCE}.", as_json=as_json)


@app.command()
def revoke(key: KeyId, org: Org = None, as_json: AsJson = False) -> None:
    """Revoke an API key now. Requests with it are rejected."""
    from tenuto.model.keys import API

    id, done = change(lambda transaction: end_key(transaction, API, key), org=org)
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
    """Import keys from a system that stored bcrypt hashes. They work as before; the first use replaces the hash."""
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
            await transaction.note("api_key", id, "import", new(name=key.name, permissions=key.permissions))
            ids.append(id)
        return ids

    ids = change(work, org=org)
    for shared in imported.shared_prefixes():
        typer.echo(f"warning: {shared}; the first uses of such a key may get status 429 and must be repeated", err=True)
    skipped = f"; {len(imported.inactive)} are inactive and were not imported" if imported.inactive else ""
    show({"ids": ids, "inactive": imported.inactive}, f"imported {len(ids)} keys{skipped}", as_json=as_json)


@dataclass(frozen=True)
class NewKey:
    """A key to create: its text is shown once, the rest is stored."""

    text: str = field(repr=False)
    key_id: str
    hash: bytes
    pepper_version: int


def new_key(kind: str, env: str) -> NewKey:
    """Make an API key or a worker key, with the hash to store."""
    from tenuto.cli.database import read_settings
    from tenuto.cli.pepper import find_peppers
    from tenuto.model.keys import key_hash, make_key

    key, peppers = make_key(kind, env), find_peppers(read_settings())
    return NewKey(key.text, key.key_id, key_hash(peppers, key.text), peppers.version)


async def expiry(transaction: AuditedTransaction, expires: str | None) -> "datetime | None":
    """Return the time after which a new key is no longer valid, by the clock of the database."""
    from tenuto.db import maintenance

    if expires is None:
        return None
    return await maintenance.now(transaction.conn) + _span(expires, "--expires")


async def replace_key(
    transaction: AuditedTransaction, kind: str, key: str, *, env: str, overlap: str
) -> tuple[UUID, UUID, str]:
    """Create a key that replaces another one; returns the id of the old key, the id of the new one and its text."""
    from tenuto.db import keys
    from tenuto.model.keys import API

    old, made = await _find(transaction, kind, key), new_key(kind, env)
    rotate = keys.rotate_api_key if kind == API else keys.rotate_worker_key
    id = await rotate(
        transaction.conn,
        org_id=transaction.org_id,
        id=old,
        key_id=made.key_id,
        hash=made.hash,
        pepper_version=made.pepper_version,
        created_by=transaction.actor,
        overlap=_span(overlap, "--overlap"),
    )
    await transaction.note(_entity(kind), old, "rotate", new(replaced_by=str(id)))
    return old, id, made.text


async def end_key(transaction: AuditedTransaction, kind: str, key: str) -> tuple[UUID, bool]:
    """Revoke a key; returns its id and whether it was valid until now. If it was not, nothing is audited."""
    from tenuto.db import keys, workers
    from tenuto.model.keys import API, WORKER

    id = await _find(transaction, kind, key)
    revoke = keys.revoke_api_key if kind == API else keys.revoke_worker_key
    done = await revoke(transaction.conn, org_id=transaction.org_id, id=id)
    if kind == WORKER:
        await workers.end_key_sessions(transaction.conn, org_id=transaction.org_id, worker_key_id=id)
    if done:
        await transaction.note(_entity(kind), id, "revoke")
    return id, done


async def _find(transaction: AuditedTransaction, kind: str, key: str) -> UUID:
    """Return the id of a key, given its id or the public part of its text, which error messages name."""
    from tenuto.db import keys
    from tenuto.model.keys import API

    what = "key" if kind == API else "worker-key"
    if not PUBLIC.fullmatch(key):
        return read_id(key, what)
    get_key = keys.get_api_key if kind == API else keys.get_worker_key
    return (await get_key(transaction.conn, org_id=transaction.org_id, key_id=key)).id


def _entity(kind: str) -> str:
    from tenuto.model.keys import API

    return "api_key" if kind == API else "worker_key"


def _span(text: str, what: str) -> "timedelta":
    from datetime import timedelta

    from tenuto.model.durations import seconds

    return timedelta(seconds=seconds(text, what))
