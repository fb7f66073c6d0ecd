"""`tenuto worker-keys`: keys of workers that connect over HTTP."""

from typing import Annotated

import typer

from tenuto.cli.audited import Org, change, look, split_commas
from tenuto.cli.commands.keys import ONCE, Env, Expires, KeyId, Name, Overlap, end_key, make, replace
from tenuto.cli.commands.runs import Before, Limit
from tenuto.cli.output import Json, show, show_list
from tenuto.cli.session import read_id

app = typer.Typer(help="Keys of workers over HTTP: create, list, rotate, revoke.", no_args_is_help=True)

COLUMNS = ("id", "key_id", "name", "queues", "created_by", "created_at", "expires_at", "revoked_at", "last_used_at")


@app.command()
def create(
    name: Name,
    queues: Annotated[str, typer.Option(help="Queues that the key allows: mail,reports, or * for all.")] = "*",
    expires: Expires = None,
    env: Env = "live",
    org: Org = None,
    as_json: Json = False,
) -> None:
    """Create a worker key and print it. It cannot be shown again."""
    from tenuto.db import keys
    from tenuto.model.keys import WORKER

    options = {"name": name, "queues": split_commas(queues)}
    id, key = change(
        lambda transaction: make(transaction, keys.create_worker_key, (WORKER, env), expires, **options), org=org
    )
    show({"id": id, "key": key, **options}, f"{key}\nWorker key {name} of id {id}: {ONCE}.", as_json=as_json)


@app.command("list")
def list_(before: Before = None, limit: Limit = 50, org: Org = None, as_json: Json = False) -> None:
    """List worker keys, newest first, without the keys themselves."""
    from tenuto.db import keys

    page = {"before": before and read_id(before, "worker-key"), "limit": limit}
    items = look(lambda context: context.pool.call(keys.list_worker_keys, org_id=context.org_id, **page), org=org)
    show_list("worker_keys", items, COLUMNS, as_json=as_json)


@app.command()
def rotate(key: KeyId, overlap: Overlap = "1d", env: Env = "live", org: Org = None, as_json: Json = False) -> None:
    """Create a key that replaces an old one. The old key stays valid for the overlap."""
    from tenuto.db import keys
    from tenuto.model.keys import WORKER

    old, id, text = change(
        lambda transaction: replace(transaction, keys.rotate_worker_key, (WORKER, env), key, overlap), org=org
    )
    show({"id": id, "key": text, "replaces": old}, f"{text}\nWorker key of id {id}: {ONCE}.", as_json=as_json)


@app.command()
def revoke(key: KeyId, org: Org = None, as_json: Json = False) -> None:
    """Revoke a worker key now. Workers with it are rejected."""
    id, done = change(lambda transaction: end_key(transaction, "worker-key", key), org=org)
    text = f"revoked worker key {id}" if done else f"worker key {id} was already revoked"
    show({"id": id, "revoked": True}, text, as_json=as_json)
