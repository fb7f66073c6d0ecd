"""Secrets of jobs: read where the code runs, by the names that the job lists, and in no error, log line or row."""

import asyncio
import inspect
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tenuto import Context, Forbidden, InvalidInput, SyncContext, Task
from tenuto.cli.commands.worker import check_secrets
from tenuto.model import text
from tenuto.runtimes.base import Attempt
from tenuto.runtimes.child_logging import TaskJsonFormatter, TaskTextFormatter
from tenuto.runtimes.invoke import invoke_async, invoke_sync
from tenuto.runtimes.outcomes import Completed, Failed, Outcome
from tenuto.sdk.context.secrets import read_secrets
from tenuto.sdk.options import TaskOptions
from tenuto.sdk.secret_providers import (
    EnvironmentSecrets,
    FileSecrets,
    RefusedSecrets,
    current_provider,
    open_provider,
    use_provider,
)
from tenuto.testing import UnitContext

VALUE = "s3cret/+value 42"


@pytest.fixture(autouse=True)
def own_provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test reads the setting again, and leaves no value behind."""
    monkeypatch.setattr(text, "_hidden", [])
    use_provider(None)
    yield
    use_provider(None)


class Calls:
    """The calls of an attempt, as the worker would send them."""

    org = "default"

    def __init__(self) -> None:
        self.sent: list[Any] = []

    async def call(self, verb: str, **arguments: Any) -> Any:
        self.sent.append((verb, arguments))

    def send(self, verb: str, **arguments: Any) -> None:
        self.sent.append((verb, arguments))


def run(function: Callable[..., Any], job: Any, *, name: str = "tenuto.python") -> tuple[Outcome, Calls]:
    """Run the task of a job, as every runtime does; answers how it ended and what it sent."""
    task: Any = Task(name, function, TaskOptions())
    row = (None, str(uuid4()), 1, str(uuid4()), 1, json.dumps({"job": job}), None, None, None, None)
    calls = Calls()

    async def steps() -> Outcome:
        attempt = Attempt(row, task, 0.0)
        if inspect.iscoroutinefunction(function):
            return await invoke_async(attempt, lambda _: calls)
        return await asyncio.to_thread(invoke_sync, attempt, lambda _: calls, asyncio.get_running_loop())

    return asyncio.run(steps()), calls


async def length(ctx: Context, job: Any) -> int:
    return len(ctx.secrets[job["secrets"][0]])


def length_in_thread(ctx: SyncContext, job: Any) -> int:
    return len(ctx.secrets[job["secrets"][0]])


async def take(ctx: Context, job: Any) -> str:
    return ctx.secrets[job["takes"]]


async def tell(ctx: Context, job: Any) -> None:
    secret = ctx.secrets["crm-token"]
    ctx.progress(0.5, f"half with {secret}")
    with suppress(ValueError):
        await ctx.step("call", fails, secret)
    await ctx.step("go on", str)
    raise OSError(f"https://crm.test/?token={secret}", {"token": secret})


def fails(secret: str) -> None:
    raise ValueError(secret, [secret])


@pytest.mark.parametrize("function", [length, length_in_thread])
def test_code_gets_the_secrets_that_its_job_lists(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TENUTO_SECRET_CRM_TOKEN", VALUE)

    assert run(function, {"secrets": ["crm-token"]})[0] == Completed(str(len(VALUE)))


def test_nothing_that_is_stored_holds_the_value(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TENUTO_SECRET_CRM_TOKEN", VALUE)
    outcome, calls = run(tell, {"secrets": ["crm-token"]})

    assert isinstance(outcome, Failed)
    assert "https://crm.test/?token=***" in outcome.error["message"]
    assert "OSError" in outcome.error["traceback"]
    assert "s3cret" not in f"{outcome.error}{calls.sent}"
    assert ("progress", {"progress": 0.5, "message": "half with ***"}) in calls.sent
    assert [sent["error"]["args"] for verb, sent in calls.sent if verb == "fail_step"] == [["***", ["***"]]]


@pytest.mark.parametrize(
    ("job", "name", "message"),
    [
        ({"secrets": ["crm-token"]}, "tenuto.python", "secret crm-token is not set"),
        ({"secrets": [], "takes": "x"}, "tenuto.python", "secret 'x' is not listed: the task has no job with secrets"),
        ({"secrets": ["crm-token"], "takes": "x"}, "shop.report", "secret 'x' is not listed"),
        ({"secrets": ["../etc/passwd"]}, "tenuto.python", "'../etc/passwd' is not the name of a secret"),
    ],
)
def test_a_secret_that_is_missing_or_not_listed_is_an_error(job: Any, name: str, message: str):
    outcome, _ = run(take, job, name=name)

    assert isinstance(outcome, Failed)
    assert outcome.error["message"].startswith(message)
    if "not set" in message:
        assert "the environment variable TENUTO_SECRET_CRM_TOKEN of the worker" in outcome.error["message"]


def test_a_sandbox_gets_none():
    use_provider(RefusedSecrets())

    with pytest.raises(Forbidden, match="secret crm-token cannot be read: untrusted code gets no secrets"):
        read_secrets(["crm-token"])


def test_files_are_secrets_too(tmp_path: Path):
    (tmp_path / "crm-token").write_text(f"{VALUE}\n")
    (tmp_path / "large").write_bytes(b"x" * 65_537)
    (tmp_path / "picture").write_bytes(b"\xff\xfe")
    provider = open_provider(f"file://{tmp_path}", {})
    use_provider(provider)

    assert (provider.get("crm-token"), provider.get("other")) == (VALUE, None)
    assert provider.where("other") == f"the file {tmp_path / 'other'} on the machine of the worker"
    secrets = read_secrets(["crm-token"])
    assert (secrets["crm-token"], "crm-token" in secrets, str(secrets)) == (VALUE, True, "<secrets crm-token>")
    for name, message in (("large", "more than 65,536 bytes"), ("picture", "UnicodeDecodeError")):
        with pytest.raises(InvalidInput, match=f"secret {name} cannot be read: .*{message}"):
            read_secrets([name])


def test_the_setting_names_the_provider(monkeypatch: pytest.MonkeyPatch):
    class Vault:
        def __init__(self, rest: str) -> None:
            self.rest = rest

        def get(self, name: str) -> str | None:
            raise ConnectionError(f"token {VALUE} was refused for {name}")

        def where(self, name: str) -> str:
            return f"{self.rest}/{name} in the vault"

    class Point:
        name = "vault"

        def load(self) -> Any:
            return Vault

    monkeypatch.setattr(metadata, "entry_points", lambda group: [Point()] if group == "tenuto.secrets" else [])
    assert isinstance(current_provider({}), EnvironmentSecrets)
    assert isinstance(open_provider("file:/run/secrets", {}), FileSecrets)
    use_provider(open_provider("vault:kv/shop", {}))
    with pytest.raises(InvalidInput) as problem:
        read_secrets(["crm-token"])
    assert VALUE not in str(problem.value)  # the error of a provider may hold a value
    assert "secret crm-token cannot be read: ConnectionError" in str(problem.value)
    assert problem.value.hint == "look at kv/shop/crm-token in the vault"
    with pytest.raises(InvalidInput, match="no provider 'valut' is installed") as unknown:
        open_provider("valut:kv", {})
    assert unknown.value.hint == "write one of env, file, vault"
    with pytest.raises(InvalidInput, match="TENUTO_SECRETS is 'file:secrets'"):
        open_provider("file:secrets", {})


@pytest.mark.parametrize("formatter", [TaskTextFormatter(), TaskJsonFormatter()])
def test_a_log_line_of_a_worker_has_no_form_of_the_value(formatter: logging.Formatter):
    key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhk\nG9w0BAQEFAASCBKcw\n-----END KEY-----\n"
    for value in (VALUE, key, "ab"):
        text.hide(value)
    record = logging.makeLogRecord({"name": "httpx", "msg": f"{VALUE} {VALUE!r} s3cret%2F%2Bvalue%2042 {key} {key!r}"})

    line = formatter.format(record)

    assert not any(part in line for part in ("s3cret", "MIIEv", "G9w0B", "BEGIN"))
    assert "***" in line
    assert text.redact("about") == "about"  # values that are too short are left alone


def test_a_unit_test_passes_secrets():
    ctx = UnitContext(secrets={"crm-token": "test"})

    assert ctx.secrets["crm-token"] == "test"
    with pytest.raises(InvalidInput, match="secret 'other' is not listed: the job lists crm-token"):
        _ = ctx.secrets["other"]


def test_a_worker_does_not_start_with_a_provider_that_does_not_exist(monkeypatch: pytest.MonkeyPatch):
    check_secrets()
    monkeypatch.setenv("TENUTO_SECRETS", "valut")

    with pytest.raises(InvalidInput, match="no provider 'valut' is installed"):
        check_secrets()
