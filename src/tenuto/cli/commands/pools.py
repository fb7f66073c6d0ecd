"""`tenuto pools`: groups of workers that dispatchers grow and shrink: list, set, spawn, explain, delete."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from tenuto.cli.exit_codes import UsageError
from tenuto.cli.list_options import Limit
from tenuto.cli.output import AsJson, cell, counted, fields, show, show_list, table
from tenuto.cli.session import with_tenuto
from tenuto.model.pool_fields import read_pairs, read_policy

if TYPE_CHECKING:
    from tenuto.model.json import JsonObject
    from tenuto.model.pools import PoolMachine, PoolStatus, ScalingDecision
    from tenuto.sdk.operations.base import Operations

app = typer.Typer(help="Pools of workers: list, set, spawn, explain, delete.", no_args_is_help=True)

COLUMNS = (
    "name", "provider", "min_workers", "max_workers", "wanted", "starting", "active", "busy", "draining", "error",
    "ready", "problem",
)  # fmt: skip
MACHINES = ("id", "status", "running", "idle_seconds", "provider_id", "error")
DECISIONS = ("decided_at", "workers", "wanted", "reason")
SHOWN_DECISIONS = 10

Name = Annotated[str, typer.Argument(metavar="POOL", help="The pool's name.", show_default=False)]


@app.command("list")
def list_(
    after: Annotated[str | None, typer.Option(help="Continue after this pool, the last of the previous page.")] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List the pools with their machines by status, how many are wanted, and what went wrong."""
    pools = with_tenuto(lambda tenuto: tenuto.list_pools(after=after, limit=limit))
    show_list("pools", pools, COLUMNS, as_json=as_json)


@app.command("set")
def set_(
    pool: Annotated[str | None, typer.Argument(metavar="POOL", help="The pool's name.", show_default=False)] = None,
    values: Annotated[
        list[str] | None,
        typer.Argument(metavar="FIELD=VALUE", help="provider=local min=0 max=4 idle_timeout=5m …", show_default=False),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(help="Set all pools of this YAML file instead.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a pool, or change some of its fields. A dispatcher controls the pool if it was started
    with the pool's provider: with the option --providers, or by `tenuto up --pool`."""
    if (pool is None) == (file is None):
        raise UsageError("write tenuto pools set POOL FIELD=VALUE …, or tenuto pools set --file pools.yaml")
    policies = read_file(file) if file else {pool or "": read_pairs(values or [])}

    async def work(tenuto: "Operations") -> None:
        for name, policy in policies.items():
            await tenuto.set_pool(name, policy)

    with_tenuto(work)
    show({"pools": list(policies)}, f"set {', '.join(policies)}", as_json=as_json)


@app.command()
def explain(pool: Name, limit: Limit = SHOWN_DECISIONS, as_json: AsJson = False) -> None:
    """Show a pool, its machines, and the latest decisions about its size with their reasons."""

    async def fetch(tenuto: "Operations") -> "tuple[PoolStatus, list[PoolMachine], list[ScalingDecision]]":
        return (
            await tenuto.get_pool(pool),
            await tenuto.list_pool_machines(pool),
            await tenuto.list_scaling_decisions(pool, limit=limit),
        )

    row, machines, decisions = with_tenuto(fetch)
    parts = [fields(row)]
    if not row.controlled:
        parts.append(f"No dispatcher controls it: no live dispatcher has the provider {row.provider!r}.")
    if machines:
        parts.append(table(MACHINES, [[cell(getattr(machine, name)) for name in MACHINES] for machine in machines]))
    if decisions:
        parts.append(table(DECISIONS, [[cell(getattr(entry, name)) for name in DECISIONS] for entry in decisions]))
    show({**vars(row), "machines": machines, "decisions": decisions}, "\n\n".join(parts), as_json=as_json)


@app.command()
def spawn(
    pool: Name,
    count: Annotated[int, typer.Option(help="How many machines.", min=1, max=1000)] = 1,
    as_json: AsJson = False,
) -> None:
    """Request machines by hand, in addition to those of the policy. Like all machines, they end when they are idle."""
    requested = with_tenuto(lambda tenuto: tenuto.request_machines(pool, count))
    show(
        {"pool": pool, "requested": requested}, f"requested {counted(requested, 'machine')} of {pool}", as_json=as_json
    )


@app.command()
def delete(
    pool: Name,
    force: Annotated[
        bool, typer.Option("--force", help="Delete the pool even if it has machines, which continue to run.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a pool. Set max=0 first, and wait until its machines have ended."""
    with_tenuto(lambda tenuto: tenuto.delete_pool(pool, force=force))
    show({"pool": pool, "deleted": True}, f"deleted {pool}", as_json=as_json)


def read_file(file: Path) -> "dict[str, JsonObject]":
    """Return the policies of a YAML file. Below `pools`, the file has the fields of each pool under its name."""
    import yaml

    try:
        document = yaml.safe_load(file.read_text())
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise UsageError(f"{file} is not YAML: {error}") from error
    pools = cast("dict[str, object]", document).get("pools") if isinstance(document, dict) else None
    if not isinstance(pools, dict):
        raise UsageError(f"{file} has no pools; write pools:, and below it the fields of each pool by its name")
    policies: dict[str, JsonObject] = {}
    for name, policy in cast("dict[str, object]", pools).items():
        if not isinstance(policy, dict):
            raise UsageError(f"pool {name} in {file} has no fields; write for example {name}: {{max: 4}}")
        policies[str(name)] = read_policy(cast("dict[str, object]", policy))
    return policies
