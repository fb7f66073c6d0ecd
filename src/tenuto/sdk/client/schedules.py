"""Schedules managed by a client: `await tn.schedules.put("nightly", send, "a@b.c", cron="0 3 * * *")`."""

from typing import Literal

from tenuto.model.cron import check_cron
from tenuto.model.durations import Duration, seconds
from tenuto.model.errors import InvalidInput
from tenuto.model.schedules import Schedule
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.client.start_request import StartRequest, plan_task
from tenuto.sdk.client.transport import Transport
from tenuto.sdk.task import AnyTask

CatchUp = Literal["skip", "one", "all"]


class Schedules:
    """Creates and changes schedules. Tasks declared with `cron=` get a schedule with their name when a worker
    starts."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def list(self) -> list[Schedule]:
        """Return all schedules, by name."""
        schedules: list[Schedule] = []
        while page := await self._transport.list_schedules(schedules[-1].name if schedules else None):
            schedules += page
        return schedules

    async def put(
        self,
        name: str,
        task: AnyTask,
        /,
        *args: object,
        cron: str,
        timezone: str = "UTC",
        catch_up: CatchUp = "one",
        jitter: Duration = 0,
        **kwargs: object,
    ) -> Schedule:
        """Create or change a schedule. Its next start time stays the same unless `cron` or `timezone` change."""
        plan = plan_task(task, args, kwargs)
        return await self.put_plan(name, plan, cron=cron, timezone=timezone, catch_up=catch_up, jitter=jitter)

    async def put_plan(
        self, name: str, plan: StartRequest, *, cron: str, timezone: str, catch_up: CatchUp, jitter: Duration
    ) -> Schedule:
        """Create or change the schedule of a start request."""
        check_cron(cron, timezone)
        options = {*plan.run, *(key for detail in plan.details or () for key in detail)}
        if extra := options - {"task", "limits", "metadata"}:
            raise InvalidInput(f"schedule {name}: {sorted(extra)[0]} is an option of a single run", "leave it out")
        return await self._transport.put_schedule(
            name, plan, cron=cron, timezone=timezone, catch_up=catch_up, jitter_seconds=seconds(jitter, "jitter")
        )

    async def pause(self, name: str) -> None:
        """Pause the schedule: it starts nothing until it is resumed."""
        await self._transport.pause_schedule(name)

    async def resume(self, name: str) -> None:
        """Resume the schedule. Start times missed during the pause are skipped."""
        await self._transport.resume_schedule(name)

    async def delete(self, name: str) -> None:
        """Delete the schedule. Runs it started are kept."""
        await self._transport.delete_schedule(name)


class SyncSchedules:
    """Creates and changes schedules, for synchronous code."""

    def __init__(self, schedules: Schedules, wait: Wait) -> None:
        self._schedules, self._wait = schedules, wait

    def list(self) -> list[Schedule]:
        """Return all schedules, by name."""
        return self._wait(self._schedules.list())

    def put(
        self,
        name: str,
        task: AnyTask,
        /,
        *args: object,
        cron: str,
        timezone: str = "UTC",
        catch_up: CatchUp = "one",
        jitter: Duration = 0,
        **kwargs: object,
    ) -> Schedule:
        """Create or change a schedule. Its next start time stays the same unless `cron` or `timezone` change."""
        plan = plan_task(task, args, kwargs)
        putting = self._schedules.put_plan(name, plan, cron=cron, timezone=timezone, catch_up=catch_up, jitter=jitter)
        return self._wait(putting)

    def pause(self, name: str) -> None:
        """Pause the schedule: it starts nothing until it is resumed."""
        self._wait(self._schedules.pause(name))

    def resume(self, name: str) -> None:
        """Resume the schedule. Start times missed during the pause are skipped."""
        self._wait(self._schedules.resume(name))

    def delete(self, name: str) -> None:
        """Delete the schedule. Runs it started are kept."""
        self._wait(self._schedules.delete(name))
