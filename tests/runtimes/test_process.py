"""Task processes of a runtime that shares its slots: as many as it may have; other attempts wait without a timeout."""

import asyncio
import gc
import json
import os
import signal
import warnings
from pathlib import Path
from typing import Any, cast

import pytest
import uvloop

from tenuto.runtimes import process
from tenuto.runtimes.base import Attempt, RuntimeHost
from tenuto.runtimes.outcomes import CANCELLED, Completed, Lost, Outcome
from tenuto.runtimes.process import ProcessRuntime
from tenuto.runtimes.process_settings import ProcessSettings
from tenuto.sdk.hooks import Hooks
from tests.journeys.apps.plain import hold_process


class Api:
    org = "default"


class Host:
    """Notes what the runtime reports."""

    def __init__(self) -> None:
        self.began: list[str] = []
        self.prepared: list[str] = []
        self.ended: dict[str, Outcome] = {}

    def host(self) -> RuntimeHost:
        async def preparing(attempt: Attempt) -> None:
            self.prepared.append(attempt.task_id)

        def ended(attempt: Attempt, outcome: Outcome) -> None:
            self.ended[attempt.task_id] = outcome

        return RuntimeHost(
            loop=asyncio.get_running_loop(),
            process=ProcessSettings(["tests.journeys.apps.plain:app"]),
            hooks=Hooks(),
            open_api=lambda _: cast("Any", Api()),
            logs=cast("Any", None),
            began=lambda attempt: self.began.append(attempt.task_id),
            ended=ended,
            preparing=preparing,
            next_attempt=lambda *_: None,
        )


def an_attempt(name: str) -> Attempt:
    return Attempt((None, name, 1, "run", 1, json.dumps({"gate": name}), None, None, None, None), hold_process, 0.0)


async def until(condition: Any) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


def test_attempts_wait_for_a_process_and_one_that_is_cancelled_meanwhile_gets_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOURNEY_FOLDER", str(tmp_path))
    monkeypatch.setattr(process, "PREPARING_EVERY_SECONDS", 0.01)
    seen = Host()

    async def story() -> None:
        runtime = ProcessRuntime(seen.host(), most=1)
        attempts = [an_attempt(name) for name in ("first", "second", "third")]
        for attempt in attempts:
            runtime.submit(attempt)
        await until(lambda: (tmp_path / "effects").exists() and seen.prepared.count("third") > 2)
        assert (seen.began, seen.ended) == (["first"], {})
        attempts[1].stop = CANCELLED
        (tmp_path / "first.gate").touch()
        await until(lambda: seen.began == ["first", "third"])
        (tmp_path / "third.gate").touch()
        await until(lambda: len(seen.ended) == 3)
        await runtime.close()

    asyncio.run(story())

    assert seen.ended == {"first": Completed('"first"'), "second": CANCELLED, "third": Completed('"third"')}
    assert (tmp_path / "effects").read_text().split() == ["begun", "first", "begun", "third"]


def test_the_connection_to_a_process_that_was_killed_is_closed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOURNEY_FOLDER", str(tmp_path))
    seen = Host()

    async def story() -> None:
        runtime = ProcessRuntime(seen.host())
        handle = runtime.submit(an_attempt("first"))
        await until(lambda: (tmp_path / "effects").exists())
        assert handle.process
        os.kill(handle.process.process.pid, signal.SIGKILL)
        await until(lambda: seen.ended)

    with warnings.catch_warnings(record=True) as caught, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        warnings.simplefilter("always")
        runner.run(story())
        gc.collect()

    assert isinstance(seen.ended["first"], Lost)
    assert [str(warning.message) for warning in caught if "unclosed" in str(warning.message)] == []
