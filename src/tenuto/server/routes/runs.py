"""Runs: started, looked at, stopped, tried again, deleted, sent signals."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query, Response
from pydantic import Field

from tenuto.db import monitoring, runs
from tenuto.server import answers
from tenuto.server.answers import Page
from tenuto.server.bodies import Reason, Retry, Signal, Start, Stop
from tenuto.server.desk import AtDesk, Change
from tenuto.server.paging import Filter, page
from tenuto.server.routing import Routes
from tenuto.server.starts import plan_start, start_all
from tenuto.server.waiting import Wait, until_ended

ROUTES = Routes("runs")
MOST_STARTS = 10_000


class RunFilter(Filter):
    """Newest first, before an id."""

    status: Literal["pending", "running", "retrying", "completed", "failed", "cancelled"] | None = None
    name: str | None = None
    type: str | None = None
    before: UUID | None = None


Starts = Annotated[list[Start], Field(min_length=1, max_length=MOST_STARTS)]


@ROUTES.add("POST", "/v1/runs", permission="runs:write", answer=answers.Started | answers.StartedMany, status=201)
async def start_runs(desk: AtDesk, body: Start | Starts) -> Response:
    """Start a task, or several, all or none. A type that no worker knows yet waits for one that does."""
    return await _start(desk, body)


@ROUTES.add("POST", "/v1/runs/bulk", permission="runs:write", answer=answers.StartedMany, status=201, bulk=True)
async def start_runs_in_bulk(desk: AtDesk, body: Starts) -> Response:
    """Start up to 10,000 tasks, all or none; the body may have 64 MB."""
    return await _start(desk, body)


async def _start(desk: AtDesk, body: Start | list[Start]) -> Response:
    starts = body if isinstance(body, list) else [body]
    plans = [plan_start(one) for one in starts]

    async def work(change: Change) -> answers.Started | answers.StartedMany:
        found = await change.do(start_all, plans=plans)
        made = [answers.Started.model_validate(one) for one in found]
        types = sorted({one.type for one in starts})[:20]
        what = made[0].run_id if len(made) == 1 else f"{made[0].run_id} and {len(made) - 1} more"
        await change.note("run", what, "start", {"type": {"new": ", ".join(types)}, "runs": {"new": len(made)}})
        return answers.StartedMany(items=made) if isinstance(body, list) else made[0]

    seconds = desk.settings.bulk_seconds if len(plans) > 1 else None
    return await desk.change(work, status=201, seconds=seconds)


@ROUTES.add("GET", "/v1/runs", permission="runs:read", answer=Page[answers.RunLine])
async def list_runs(desk: AtDesk, asked: Annotated[RunFilter, Query()]) -> Any:
    """The org's runs, newest first."""
    return page(await desk.ask(monitoring.list_runs, **asked.model_dump()), asked, "id")


@ROUTES.add("GET", "/v1/runs/{run_id}", permission="runs:read", answer=answers.Run)
async def get_run(desk: AtDesk, run_id: UUID, wait: Wait = 0) -> Any:
    """A run as it is now, or with `wait` as soon as it has ended."""
    return await until_ended(lambda: desk.ask(monitoring.get_run, run_id=run_id), wait)


@ROUTES.add("PATCH", "/v1/runs/{run_id}", permission="runs:write", answer=None, status=204)
async def update_run(desk: AtDesk, run_id: UUID, body: Stop) -> Response:
    """Stop a run: the only state that may be asked for. What has ended is not opened again."""
    return await _cancel(desk, run_id, body.reason)


@ROUTES.add("POST", "/v1/runs/{run_id}/cancel", permission="runs:write", answer=None, status=204)
async def cancel_run(desk: AtDesk, run_id: UUID, body: Reason | None = None) -> Response:
    """Stop a run and everything below it."""
    return await _cancel(desk, run_id, body.reason if body else None)


async def _cancel(desk: AtDesk, run_id: UUID, reason: str | None) -> Response:
    async def work(change: Change) -> None:
        await change.do(runs.cancel_run, run_id=run_id, reason=reason)
        await change.note("run", run_id, "cancel", {"reason": {"new": reason}} if reason else None)

    return await desk.change(work, status=204)


@ROUTES.add("POST", "/v1/runs/{run_id}/retry", permission="runs:write", answer=answers.RunId, status=201)
async def retry_run(desk: AtDesk, run_id: UUID, body: Retry | None = None) -> Response:
    """A new run of the same graph; completed tasks keep their outputs unless `reuse` is false."""

    async def work(change: Change) -> answers.RunId:
        new = await change.do(runs.retry_run, run_id=run_id, reuse=body.reuse if body else True)
        await change.note("run", run_id, "retry", {"retried_as": {"new": str(new)}})
        return answers.RunId(run_id=new)

    return await desk.change(work, status=201)


@ROUTES.add("DELETE", "/v1/runs/{run_id}", permission="runs:write", answer=None, status=204)
async def delete_run(desk: AtDesk, run_id: UUID) -> Response:
    """Delete a run that has ended, with everything it has."""

    async def work(change: Change) -> None:
        await change.do(runs.delete_run, run_id=run_id)
        await change.note("run", run_id, "delete")

    return await desk.change(work, status=204)


@ROUTES.add("POST", "/v1/runs/{run_id}/signals", permission="runs:write", answer=answers.SignalId, status=201)
async def send_signal(desk: AtDesk, run_id: UUID, body: Signal) -> Response:
    """Send a message that a task of the run waits for, or will wait for."""

    async def work(change: Change) -> answers.SignalId:
        sent = await change.do(runs.send_signal, run_id=run_id, name=body.name, value=body.value)
        await change.note("run", run_id, "signal", {"name": {"new": body.name}})
        return answers.SignalId(signal_id=sent)

    return await desk.change(work, status=201)
