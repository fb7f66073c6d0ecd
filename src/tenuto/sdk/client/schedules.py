"""Schedules from outside an app: `await tn.schedules.put("nightly", send, "a@b.c", cron="0 3 * * *")`."""

from collections.abc import Callable, Coroutine
from typing import Any, Literal

from tenuto.model.cron import check_cron
from tenuto.model.durations import Duration, seconds
from tenuto.model.errors import InvalidInput
from tenuto.model.schedules import Schedule
from tenuto.sdk.client.start_request import plan_task
from tenuto.sdk.client.transport import Transport
from tenuto.sdk.task import Task


class Schedules:
    """What starts by itself. Tasks declared with `cron=` have schedules of their name, put when a worker starts."""

    def __init__(self, link: Transport) -> None:
        self._link = link

    async def list(self) -> list[Schedule]:
        """All of them, by name."""
        found: list[Schedule] = []
        while page := await self._link.list_schedules(found[-1].name if found else None):
            found += page
        return found

    async def put(
        self,
        name: str,
        task: Task[..., Any],
        /,
        *args: Any,
        cron: str,
        timezone: str = "UTC",
        catch_up: Literal["skip", "one", "all"] = "one",
        jitter: Duration = 0,
        **kwargs: Any,
    ) -> Schedule:
        """Make a schedule, or change it; its next time stays unless cron or timezone change."""
        check_cron(cron, timezone)
        plan = plan_task(task, args, kwargs)
        said = {*plan.run, *(key for one in plan.details or () for key in one)}
        if extra := said - {"task", "limits", "metadata"}:
            raise InvalidInput(f"schedule {name}: {sorted(extra)[0]} belongs to one run", "leave it out")
        times = {"cron": cron, "timezone": timezone, "catch_up": catch_up, "jitter_seconds": seconds(jitter, "jitter")}
        return await self._link.put_schedule(name, plan, **times)

    async def pause(self, name: str) -> None:
        """Let it start nothing until it is resumed."""
        await self._link.pause_schedule(name)

    async def resume(self, name: str) -> None:
        """Let it go on; what came due in the pause is not made up for."""
        await self._link.resume_schedule(name)

    async def delete(self, name: str) -> None:
        """Remove it; what it started stays."""
        await self._link.delete_schedule(name)


class SyncSchedules:
    """The same without await."""

    def __init__(self, schedules: Schedules, wait: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self._schedules, self._wait = schedules, wait

    def list(self) -> list[Schedule]:
        return self._wait(self._schedules.list())

    def put(self, name: str, task: Task[..., Any], /, *args: Any, cron: str, **kwargs: Any) -> Schedule:
        return self._wait(self._schedules.put(name, task, *args, cron=cron, **kwargs))

    def pause(self, name: str) -> None:
        self._wait(self._schedules.pause(name))

    def resume(self, name: str) -> None:
        self._wait(self._schedules.resume(name))

    def delete(self, name: str) -> None:
        self._wait(self._schedules.delete(name))
