"""The cron schedules of an app, which a worker declares when it starts."""

from collections.abc import Collection
from typing import Any

from tenuto.sdk.app import App


def schedules_of(app: App, types: Collection[str]) -> list[dict[str, Any]]:
    """Return the schedules of the types that have `cron=`, as the parameters of `put_schedule`."""
    return [
        {
            "name": task.name,
            "kind": task.kind,
            "cron": task.declared.cron or "",
            "timezone": task.declared.timezone,
            "catch_up": task.declared.catch_up,
            "jitter_seconds": task.declared.jitter,
            **({"details": {"limits": limits}} if (limits := task.limits_of((), {})) else {}),
        }
        for task in app.schedules()
        if task.name in types
    ]
