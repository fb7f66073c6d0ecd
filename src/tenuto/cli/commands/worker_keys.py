"""`tenuto worker-keys`: keys of workers that connect over HTTP."""

from typing import Annotated
from uuid import UUID

import typer

from tenuto.cli.audited import AuditedTransaction, Org, change, look, new, split_commas
from tenuto.cli.commands.keys import ONCE, Env, Expires, KeyId, Name, Overlap, end_key, expiry, new_key, replace_key
from tenuto.cli.commands.runs import Before, Limit
from tenuto.cli.output import AsJson, show, show_list
from tenuto.cli.session import read_optional_id

app = typer.Typer(help="Keys of workers over HTTP: create, list, rotate, revoke.", no_args_is_help=True)

COLUMNS = ("id", "key_id", "name", "queues", "created_by", "created_at", "expires_at", "revoked_at", "last_used_at")


@app.command()
def create(
    name: Name,
    queues: Annotated[str, typer.Option(help="Queues that the key allows: mail,reports, or * for all.")] = "*",
    expires: Expires = None,
    env: Env = "live",
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Create a worker key and print it. It cannot be shown again."""
    from tenuto.db import keys
    from tenuto.model.keys import WORKER

    names, key = split_commas(queues), new_key(WORKER, env)

    async def work(transaction: AuditedTransaction) -> UUID:
        expires_at = await expiry(transaction, expires)
        id = await keys.create_worker_key(
            transaction.conn,
            org_id=transaction.org_id,
            key_id=key.key_id,
            hash=key.hash,
            pepper_version=key.pepper_version,
            name=name,
            queues=names,
            expires_at=expires_at,
            created_by=transaction.actor,
        )
        changes = new(name=name, queues=names, expires_at=expires_at and expires_at.isoformat())
        await transaction.note("worker_key", id, "create", changes)
        return id

    id = change(work, org=org)
    facts = {"id": id, "key": key.text, "name": name, "queues": names}
    show(facts, f"{key.text}\nWorker key {name} of id {id}: {ONCE}.", as_json=as_json)


@app.command("list")
def list_(before: Before = None, limit: Limit = 50, org: Org = None, as_json: AsJson = False) -> None:
    """List worker keys, newest first, without the keys themselves."""
    from tenuto.db import keys

    before_id = read_optional_id(before, "worker-key")
    items = look(
        lambda context: context.pool.call(keys.list_worker_keys, org_id=context.org_id, before=before_id, limit=limit),
        org=org,
    )
    show_list("worker_keys", items, COLUMNS, as_json=as_json)


@app.command()
def rotate(key: KeyId, overlap: Overlap = "1d", env: Env = "live", org: Org = None, as_json: AsJson = False) -> None:
    """Create a key that replaces an old one. The old key stays valid for the overlap."""
    from tenuto.model.keys import WORKER

    old, id, text = change(lambda transaction: replace_key(transaction, WORKER, key, env=env, overlap=overlap), org=org)
    show({"id": id, "key": text, "replaces": old}, f"{text}\nWorker key of id {id}: {ONCE}.", as_json=as_json)


@app.command()
def revoke(key: KeyId, org: Org = None, as_json: AsJson = False) -> None:
    """Revoke a worker key now. Workers with it are rejected."""
    from tenuto.model.keys import WORKER

    id, done = change(lambda transaction: end_key(transaction, WORKER, key), org=org)
    text = f"revoked worker key {id}" if done else f"worker key {id} was already revoked"
    show({"id": id, "revoked": True}, text, as_json=as_json)
