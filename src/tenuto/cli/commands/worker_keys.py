"""`tenuto worker-keys`: keys of workers that connect over HTTP."""

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.audited import Org, split_commas
from tenuto.cli.commands.keys import ONCE, Env, Expires, KeyId, Name, Overlap
from tenuto.cli.key_changes import find_id, read_span, with_worker_keys
from tenuto.cli.list_options import Before, Limit
from tenuto.cli.output import AsJson, fields, show, show_list
from tenuto.cli.session import read_optional_id

if TYPE_CHECKING:
    from tenuto.model.identity import WorkerKeyInfo
    from tenuto.sdk.operations.keys import CreatedKey, KeyOperations

app = typer.Typer(
    help="Keys for workers that connect over HTTP: create, list, show, rotate, revoke.", no_args_is_help=True
)

COLUMNS = ("id", "key_id", "name", "queues", "created_by", "created_at", "expires_at", "revoked_at", "last_used_at")


@app.command()
def create(
    name: Name,
    queues: Annotated[str, typer.Option(help="Queues that the key allows: mail,reports, or * for all.")] = "*",
    expires: Expires = None,
    env: Env = None,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Create a worker key and print it. The key cannot be shown again."""
    names, valid_for = split_commas(queues), None if expires is None else read_span(expires, "--expires")
    created = with_worker_keys(lambda keys: keys.create_key(name, names, expires=valid_for), org=org, env=env)
    facts = {"id": created.id, "key": created.key, "name": name, "queues": names}
    show(facts, f"{created.key}\nWorker key {name} of id {created.id}: {ONCE}.", as_json=as_json)


@app.command("list")
def list_(before: Before = None, limit: Limit = 50, org: Org = None, as_json: AsJson = False) -> None:
    """List worker keys, newest first, without their secret texts."""
    before_id = read_optional_id(before, "worker-key")
    items = with_worker_keys(lambda keys: keys.list_keys(before=before_id, limit=limit), org=org)
    show_list("worker_keys", items, COLUMNS, as_json=as_json)


@app.command("show")
def show_(key: KeyId, org: Org = None, as_json: AsJson = False) -> None:
    """Show the name, queues and times of a worker key, without its secret text."""

    async def work(keys: "KeyOperations[WorkerKeyInfo]") -> "WorkerKeyInfo":
        return await keys.get_key(await find_id(keys, key, "worker-key"))

    row = with_worker_keys(work, org=org)
    show(row, fields(row, hide=("pepper_version",)), as_json=as_json)


@app.command()
def rotate(key: KeyId, overlap: Overlap = "1d", env: Env = None, org: Org = None, as_json: AsJson = False) -> None:
    """Create a key that replaces this key. The old key stays valid for the time of --overlap."""
    kept = read_span(overlap, "--overlap")

    async def work(keys: "KeyOperations[WorkerKeyInfo]") -> "tuple[UUID, CreatedKey]":
        old = await find_id(keys, key, "worker-key")
        return old, await keys.rotate_key(old, overlap=kept)

    old, created = with_worker_keys(work, org=org, env=env)
    facts = {"id": created.id, "key": created.key, "replaces": old}
    show(facts, f"{created.key}\nWorker key of id {created.id}: {ONCE}.", as_json=as_json)


@app.command()
def revoke(key: KeyId, org: Org = None, as_json: AsJson = False) -> None:
    """Revoke a worker key now. Workers with it are rejected."""

    async def work(keys: "KeyOperations[WorkerKeyInfo]") -> tuple[UUID, bool]:
        id = await find_id(keys, key, "worker-key")
        return id, await keys.revoke_key(id)

    id, done = with_worker_keys(work, org=org)
    text = f"revoked worker key {id}" if done else f"worker key {id} was already revoked"
    show({"id": id, "revoked": True}, text, as_json=as_json)
