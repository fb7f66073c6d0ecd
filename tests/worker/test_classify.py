"""How the end of an attempt is classified."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tenuto.model.errors import StaleLease
from tenuto.runtimes.invoke import classify
from tenuto.runtimes.outcomes import (
    Dropped,
    Failed,
    Interrupted,
    Outcome,
    Snoozed,
    Waiting,
    describe,
    from_json,
    to_json,
)
from tenuto.sdk.app import App
from tenuto.sdk.context.control import Fail, Retry, Snooze, Suspend
from tenuto.sdk.values.wire_format import WrongValue

app = App("judged")


@app.task
async def work() -> None: ...


def attempt(stop: Outcome | None = None) -> Any:
    return SimpleNamespace(failures=0, task=work, stop=stop)


def raised(error: BaseException) -> BaseException:
    try:
        raise error
    except BaseException as caught:
        return caught


def test_an_error_is_kept_with_its_type_message_and_trace():
    outcome = classify(attempt(), raised(ValueError("no such user")))
    assert isinstance(outcome, Failed)
    assert (outcome.error["type"], outcome.error["message"]) == ("ValueError", "no such user")
    assert "test_classify.py" in outcome.error["traceback"]
    assert outcome.retry is None


def test_a_value_that_user_code_got_wrong_is_kept_with_its_trace():
    outcome = classify(attempt(), raised(WrongValue("no number")))
    assert isinstance(outcome, Failed)
    assert "test_classify.py" in outcome.error["traceback"]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Retry(after="30s"), 30.0),
        (Retry(), None),
        (Fail("never again"), -1.0),
    ],
)
def test_user_code_says_whether_and_when_to_retry(error: Exception, expected: float | None):
    outcome = classify(attempt(), error)
    assert isinstance(outcome, Failed)
    assert outcome.retry == expected


def test_waiting_and_snoozing_are_no_failures():
    assert classify(attempt(), Suspend({"for": "time", "seconds": 1})) == Waiting({"for": "time", "seconds": 1})
    assert classify(attempt(), Snooze(600)) == Snoozed(600)


def test_whatever_a_stopped_attempt_raises_it_counts_as_what_it_was_stopped_for():
    assert classify(attempt(Interrupted()), asyncio.CancelledError()) == Interrupted()
    assert classify(attempt(Interrupted()), ValueError("while cleaning up")) == Interrupted()


def test_an_attempt_that_waits_while_it_is_stopped_still_waits():
    assert classify(attempt(Interrupted()), Suspend({"for": "time", "seconds": 1})) == Waiting(
        {"for": "time", "seconds": 1}
    )


def test_a_lost_attempt_is_reported_to_nobody():
    assert classify(attempt(), StaleLease("gone")) == Dropped()


def test_what_jsonb_cannot_hold_is_made_readable():
    outcome = classify(attempt(), raised(ValueError("nul \x00 and \udc80")))
    assert isinstance(outcome, Failed)
    assert outcome.error["message"] == "nul \\0 and ?"


@pytest.mark.parametrize(
    "outcome", [Waiting({"for": "time"}), Interrupted(), Snoozed(3.0), Failed({"message": "x"}, 2.0)]
)
def test_an_outcome_survives_the_way_between_processes(outcome: Outcome):
    assert from_json(to_json(outcome)) == outcome


class Unprintable(Exception):
    def __init__(self, mistake: type[BaseException]) -> None:
        super().__init__()
        self.mistake = mistake

    def __str__(self) -> str:
        raise self.mistake("no words")

    __repr__ = __str__


def divide(error: BaseException, failures: int) -> float:
    if isinstance(error, asyncio.QueueEmpty):
        raise asyncio.CancelledError("no policy")
    return failures / 0


@app.task(retry=divide)
async def badly_retried() -> None: ...


@pytest.mark.parametrize("mistake", [RuntimeError, asyncio.CancelledError, SystemExit, KeyboardInterrupt])
def test_an_error_that_cannot_be_shown_is_a_failure_like_others(mistake: type[BaseException]):
    outcome = classify(attempt(), raised(Unprintable(mistake)))
    assert isinstance(outcome, Failed)
    assert outcome.error["message"] == "a Unprintable whose message cannot be read"


@app.task(retry=lambda *_: "soon")  # type: ignore[arg-type]
async def retried_soon() -> None: ...


FIRST = "first (its retry policy failed, so the default backoff applies: "
SOON = 'InvalidInput: the return value of the retry policy is \'soon\', not a duration; write "500ms", "30s"'


@pytest.mark.parametrize(
    ("task", "error", "message", "of_policy"),
    [
        (badly_retried, ValueError, "ZeroDivisionError: division by zero)", "in divide"),
        (badly_retried, asyncio.QueueEmpty, "CancelledError: no policy)", "in divide"),
        (retried_soon, ValueError, SOON, "InvalidInput: the return value"),
    ],
)
def test_the_error_is_kept_beside_that_of_its_retry_policy(
    task: Any, error: type[Exception], message: str, of_policy: str
):
    outcome = classify(cast("Any", SimpleNamespace(failures=0, task=task, stop=None)), raised(error("first")))

    assert isinstance(outcome, Failed)
    assert (outcome.error["type"], outcome.retry) == (error.__name__, None)
    assert outcome.error["message"].startswith(FIRST + message)
    own, policy = outcome.error["traceback"].split("The retry policy then failed:\n")
    assert "in raised" in own
    assert own.endswith("first\n")
    assert of_policy in policy


def test_a_wait_inside_a_task_group_is_a_wait():
    group = BaseExceptionGroup("several", [BaseExceptionGroup("inner", [Suspend({"for": "time", "seconds": 1})])])
    assert classify(attempt(), group) == Waiting({"for": "time", "seconds": 1})


def test_an_error_that_is_too_long_to_send_is_cut_and_says_so():
    error = describe(ValueError("x" * 1_000_000), traceback="y" * 1_000_000)

    assert [len(error[key]) < 201_000 for key in ("message", "traceback")] == [True, True]
    assert error["message"].endswith("(800000 more characters were cut)")
