"""Schedules managed by a client: `await tn.schedules.put("nightly", send, "a@b.c", cron="0 3 * * *")`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tenuto.model.cron import check_cron
from tenuto.model.durations import Duration, seconds
from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json
from tenuto.model.schedules import Schedule, ScheduleUpdate
from tenuto.model.statuses import CatchUp
from tenuto.model.tasks import Started
from tenuto.sdk.client.start_request import StartRequest, build_task_start
from tenuto.sdk.client.sync_run import SyncRun
from tenuto.sdk.options import read_times
from tenuto.sdk.task import AnyTask
from tenuto.sdk.task_reference import named_task
from tenuto.sdk.values.codecs import as_value

if TYPE_CHECKING:
    from tenuto.sdk.client.client import Client
    from tenuto.sdk.client.run import Run
    from tenuto.sdk.client.sync import SyncClient


class Schedules:
    """Creates and changes schedules. Tasks declared with `cron=` or `every=` get a schedule with their name when a
    worker starts."""

    def __init__(self, client: "Client") -> None:
        self._client = client

    async def list(self) -> list[Schedule]:
        """Return all schedules, by name."""
        schedules: list[Schedule] = []
        while page := await self._client.transport.list_schedules(schedules[-1].name if schedules else None):
            schedules += page
        return schedules

    async def put(
        self,
        name: str,
        task: AnyTask | str,
        /,
        *args: object,
        cron: str | None = None,
        every: Duration | None = None,
        timezone: str | None = None,
        catch_up: CatchUp | None = None,
        jitter: Duration | None = None,
        **kwargs: object,
    ) -> Schedule:
        """Create or change a schedule of a task. Pass the task itself or its name. The start times come from a cron
        expression or from an interval (`every="10m"`). The next start time stays the same unless the cron expression,
        the interval or `timezone` changes."""
        times = read_times(f"schedule {name}", cron, every)
        request = build_task_start(named_task(self._client.app, task) if isinstance(task, str) else task, args, kwargs)
        return await self.put_request(name, request, cron=times, timezone=timezone, catch_up=catch_up, jitter=jitter)

    async def put_request(
        self,
        name: str,
        request: StartRequest,
        *,
        cron: str,
        timezone: str | None,
        catch_up: CatchUp | None,
        jitter: Duration | None,
    ) -> Schedule:
        """Create or change the schedule of a start request."""
        zone = timezone or "UTC"
        check_cron(cron, zone)
        options = {*request.run, *(key for detail in request.details or () for key in detail)}
        if extra := options - {"task", "limits", "metadata"}:
            raise InvalidInput(f"schedule {name}: {sorted(extra)[0]} is an option of a single run", "leave it out")
        late = seconds(jitter or 0, "jitter")
        return await self._client.transport.put_schedule(
            name, request, cron=cron, timezone=zone, catch_up=catch_up or "one", jitter_seconds=late
        )

    async def get(self, name: str) -> Schedule:
        """Return a schedule, with its next start time."""
        return await self._client.operations.get_schedule(name)

    async def update(
        self,
        name: str,
        *,
        cron: str | None = None,
        every: Duration | None = None,
        timezone: str | None = None,
        catch_up: CatchUp | None = None,
        jitter: Duration | None = None,
        input: object = None,
        metadata: Mapping[str, Json] | None = None,
    ) -> Schedule:
        """Change the times, the input or the metadata of a schedule and return it; other values stay the same. Its next
        start time changes only with the cron expression, the interval or `timezone`. `input`: the arguments as a list,
        or by name as a dict."""
        changes = ScheduleUpdate(
            cron=None if cron is None and every is None else read_times(f"schedule {name}", cron, every),
            timezone=timezone,
            catch_up=catch_up,
            jitter_seconds=None if jitter is None else seconds(jitter, "jitter"),
            input=None if input is None else as_value(f"input of schedule {name}", input),
            metadata=None if metadata is None else dict(metadata),
        )
        if changes == ScheduleUpdate():
            raise InvalidInput(f"schedule {name}: nothing to change", "pass cron, every, timezone, catch_up, jitter, …")
        return await self._client.operations.update_schedule(name, changes)

    async def pause(self, name: str) -> None:
        """Pause the schedule: it starts nothing until it is resumed."""
        await self._client.transport.pause_schedule(name)

    async def resume(self, name: str) -> None:
        """Resume the schedule. Start times missed during the pause are skipped."""
        await self._client.transport.resume_schedule(name)

    async def run(self, name: str) -> "Run[Any]":
        """Start a run of the schedule now, even if it is paused. Its next start time stays the same."""
        run_id = await self._client.transport.fire_schedule(name)
        return self._client.run_of(Started(run_id, created=True), known=True)

    async def delete(self, name: str) -> None:
        """Delete the schedule. The runs that it started are kept."""
        await self._client.transport.delete_schedule(name)


class SyncSchedules:
    """Creates and changes schedules, for synchronous code."""

    def __init__(self, client: "SyncClient") -> None:
        self._client, self._schedules, self._wait = client, client.client.schedules, client.wait_for

    def list(self) -> list[Schedule]:
        """Return all schedules, by name."""
        return self._wait(self._schedules.list())

    def put(
        self,
        name: str,
        task: AnyTask | str,
        /,
        *args: object,
        cron: str | None = None,
        every: Duration | None = None,
        timezone: str | None = None,
        catch_up: CatchUp | None = None,
        jitter: Duration | None = None,
        **kwargs: object,
    ) -> Schedule:
        """Create or change a schedule of a task. Pass the task itself or its name. The start times come from a cron
        expression or from an interval (`every="10m"`). The next start time stays the same unless the cron expression,
        the interval or `timezone` changes."""
        times = read_times(f"schedule {name}", cron, every)
        request = build_task_start(
            named_task(self._client.client.app, task) if isinstance(task, str) else task, args, kwargs
        )
        putting = self._schedules.put_request(
            name, request, cron=times, timezone=timezone, catch_up=catch_up, jitter=jitter
        )
        return self._wait(putting)

    def get(self, name: str) -> Schedule:
        """Return a schedule, with its next start time."""
        return self._wait(self._schedules.get(name))

    def update(
        self,
        name: str,
        *,
        cron: str | None = None,
        every: Duration | None = None,
        timezone: str | None = None,
        catch_up: CatchUp | None = None,
        jitter: Duration | None = None,
        input: object = None,
        metadata: Mapping[str, Json] | None = None,
    ) -> Schedule:
        """Change the times, the input or the metadata of a schedule and return it; other values stay the same. Its next
        start time changes only with the cron expression, the interval or `timezone`. `input`: the arguments as a list,
        or by name as a dict."""
        return self._wait(
            self._schedules.update(
                name,
                cron=cron,
                every=every,
                timezone=timezone,
                catch_up=catch_up,
                jitter=jitter,
                input=input,
                metadata=metadata,
            )
        )

    def pause(self, name: str) -> None:
        """Pause the schedule: it starts nothing until it is resumed."""
        self._wait(self._schedules.pause(name))

    def resume(self, name: str) -> None:
        """Resume the schedule. Start times missed during the pause are skipped."""
        self._wait(self._schedules.resume(name))

    def run(self, name: str) -> "SyncRun[Any]":
        """Start a run of the schedule now, even if it is paused. Its next start time stays the same."""
        return SyncRun(self._client, self._wait(self._schedules.run(name)))

    def delete(self, name: str) -> None:
        """Delete the schedule. The runs that it started are kept."""
        self._wait(self._schedules.delete(name))
