"""Opens the providers of the pools that a process controls. A YAML file or `tenuto up --pool` describes them."""

import asyncio
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast
from uuid import UUID

import typer

from tenuto.cli.exit_codes import UsageError
from tenuto.model.pool_fields import read_pairs, split_fields
from tenuto.model.text import hide
from tenuto.providers.base import MAX_MACHINES

if TYPE_CHECKING:
    from tenuto.cli.processes.serve import ProcessContext
    from tenuto.model.json import JsonObject
    from tenuto.providers.base import Provider
    from tenuto.worker.settings import WorkerSettings

ProvidersFile = Annotated[
    Path | None,
    typer.Option(
        help="YAML file with the providers of pools that this process controls.",
        envvar="TENUTO_PROVIDERS",
        show_default=False,
    ),
]
SECRET_NAMES = re.compile("KEY|TOKEN|SECRET|PASSW|CREDENTIAL")
MIN_SECRET_CHARS = 8  # shorter values may be words, such as `true` or `none`
URL_PASSWORD = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#]*?:([^/?#]+)@")
KINDS = ("local", "exec", "ecs", "runpod")
# Runs the `tenuto` command of this Python environment, even if another one is on the PATH.
RUN = (sys.executable, "-c", "from tenuto.cli.main import main; main()")


def read_providers(file: Path | None) -> "dict[str, Provider]":
    """Return the providers of a YAML file. Below `providers`, the file has the `kind` and the options of each provider
    under its name."""
    if file is None:
        return {}
    import yaml

    try:
        document = yaml.safe_load(file.read_text())
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise UsageError(f"{file} is not YAML: {error}") from error
    entries = cast("dict[str, object]", document).get("providers") if isinstance(document, dict) else None
    if not isinstance(entries, dict):
        raise UsageError(f"{file} has no providers; write providers:, and below it each provider by its name")
    return {str(name): open_provider(str(name), entry) for name, entry in cast("dict[str, object]", entries).items()}


def open_provider(name: str, entry: object, environment: Mapping[str, str] = os.environ) -> "Provider":
    """Return the provider that an entry of the file describes."""
    options = dict(cast("dict[str, object]", entry)) if isinstance(entry, dict) else {}
    hide_secrets(environment)
    match options.pop("kind", None):
        case "local":
            return _open_local(name, options, environment)
        case "exec":
            return _open_exec(name, options, environment)
        case "ecs":
            return _open_ecs(name, options)
        case "runpod":
            return _open_runpod(name, options, environment)
        case kind:
            raise UsageError(f"provider {name} has kind {kind!r}; write one of {', '.join(KINDS)}")


def _open_local(name: str, options: dict[str, object], environment: Mapping[str, str]) -> "Provider":
    from tenuto.providers.local import LocalProvider

    max_machines, command = _max_machines(name, options), _command(name, options, "command")
    _no_more(name, options)
    command = [*RUN, *command[1:]] if command[0] == "tenuto" else command
    return LocalProvider(command, environment=environment, max_machines=max_machines)


def _open_exec(name: str, options: dict[str, object], environment: Mapping[str, str]) -> "Provider":
    from tenuto.providers.exec import ExecProvider

    max_machines = _max_machines(name, options)
    spawn, listing = _command(name, options, "spawn"), _command(name, options, "list")
    terminate = _command(name, options, "terminate")
    describe = _command(name, options, "describe") if "describe" in options else []
    _no_more(name, options)
    return ExecProvider(
        spawn=spawn, list=listing, terminate=terminate, describe=describe, environment=environment,
        max_machines=max_machines,
    )  # fmt: skip


def _open_ecs(name: str, options: dict[str, object]) -> "Provider":
    from tenuto.providers.base import ProviderError
    from tenuto.providers.ecs import EcsProvider

    max_machines, task = _max_machines(name, options), _object(name, options, "task")
    container = _text(name, options, "container")
    region, url = _optional(options, "region"), _optional(options, "url")
    _no_more(name, options)
    try:
        return EcsProvider(task=task, container=container, region=region, url=url, max_machines=max_machines)
    except ProviderError as error:
        raise UsageError(f"provider {name}: {error}") from error


def _open_runpod(name: str, options: dict[str, object], environment: Mapping[str, str]) -> "Provider":
    from tenuto.providers.runpod import URL, RunPodProvider

    max_machines, pod = _max_machines(name, options), _object(name, options, "pod")
    variable, url = _optional(options, "api_key_variable") or "RUNPOD_API_KEY", _optional(options, "url") or URL
    _no_more(name, options)
    if not environment.get(variable):
        raise UsageError(f"provider {name} needs an API key of RunPod; set {variable}")
    return RunPodProvider(api_key=environment[variable], pod=pod, url=url, max_machines=max_machines)


def hide_secrets(environment: Mapping[str, str]) -> None:
    """Hide the secrets of this process in stored errors, because messages of commands and cloud services may contain
    them."""
    for name, value in environment.items():
        secrets = [value] if SECRET_NAMES.search(name.upper()) else []
        secrets += URL_PASSWORD.findall(value)
        for secret in secrets:
            if len(secret) >= MIN_SECRET_CHARS:
                hide(secret)


def _max_machines(name: str, options: dict[str, object]) -> int:
    value = options.pop("max_machines", MAX_MACHINES)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise UsageError(f"provider {name} has max_machines {value!r}; write how many machines it may run")
    return value


def _command(name: str, options: dict[str, object], key: str) -> list[str]:
    value = options.pop(key, None)
    if not isinstance(value, list) or not value:
        raise UsageError(f"provider {name} needs {key}; write a list such as {key}: [./{key}.sh]")
    return [str(word) for word in cast("list[object]", value)]


def _object(name: str, options: dict[str, object], key: str) -> "JsonObject":
    value = options.pop(key, None)
    if not isinstance(value, dict):
        raise UsageError(f"provider {name} needs {key}; write the fields of the request below {key}:")
    return cast("JsonObject", value)


def _text(name: str, options: dict[str, object], key: str) -> str:
    if (value := _optional(options, key)) is None:
        raise UsageError(f"provider {name} needs {key}; write {key}: NAME")
    return value


def _optional(options: dict[str, object], key: str) -> str | None:
    value = options.pop(key, None)
    return None if value is None else str(value)


def _no_more(name: str, options: Mapping[str, object]) -> None:
    if options:
        raise UsageError(f"provider {name} has unknown options: {', '.join(sorted(options))}")


def read_pools(texts: Sequence[str], *, runs: bool, reload: bool) -> "dict[str, JsonObject]":
    """Return the policies that `--pool local:min=0,max=4` sets, by name. `runs`: whether the command has an app to
    run."""
    policies = dict(_read_pool(text) for text in texts)
    if policies and (reload or not runs):
        raise UsageError("--pool needs an app and does not work with --reload: write tenuto up --pool local module:app")
    return policies


def _read_pool(text: str) -> "tuple[str, JsonObject]":
    name, _, fields = text.partition(":")
    if not name:
        raise UsageError(f"--pool {text!r} has no name; write for example --pool local:min=0,max=4")
    policy = read_pairs(split_fields(fields)) if fields else {}
    if policy.setdefault("provider", "local") != "local":
        raise UsageError("--pool of `tenuto up` starts processes on this machine: its provider is local")
    return name, {"max_workers": 4, **policy}


def with_pools(
    context: "ProcessContext",
    policies: "Mapping[str, JsonObject]",
    worker: "WorkerSettings",
    environment: Mapping[str, str] = os.environ,
) -> "ProcessContext":
    """Create or change the pools of `tenuto up`. Return a context with a provider that starts workers of the same apps
    for these pools."""
    if not policies:
        return context
    from tenuto.providers.local import LocalProvider

    hide_secrets(environment)
    asyncio.run(_set_pools(context, policies))
    command = [*RUN, "worker", *worker.targets, "--log-format", worker.log.format, "--log-level", worker.log.level]
    command += ["--bundles"] if worker.bundles else []
    command += ["--weak-sandbox"] if worker.weak_sandbox else []
    command += ["--queues", ",".join(worker.queues)] if worker.queues else []
    asked = sum(int(str(policy["max_workers"])) for policy in policies.values())
    local = LocalProvider(command, environment=environment, max_machines=max(asked, MAX_MACHINES))
    return replace(context, providers={"local": local})


async def _set_pools(context: "ProcessContext", policies: "Mapping[str, JsonObject]") -> None:
    from tenuto.db import pools
    from tenuto.db.connection.pool import open_pool

    async with open_pool(context.url, role=context.dispatcher_role, size=1) as pool:
        for name, policy in policies.items():
            await pool.call(pools.set_pool, org_id=UUID(context.org_id), name=name, policy=policy)
