"""Request and response bodies about groups, schedules and the status of the org."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from tenuto.server.schemas.base import WHOLE, RequestModel, ResponseModel


class SetGroupRequest(RequestModel):
    """The weight of a resource group, and how many tasks it can have running."""

    weight: Annotated[int, Field(ge=1, le=1000), WHOLE] | None = None
    quota: Annotated[int, Field(ge=0, le=2_147_483_647), WHOLE] | None = None


class NextRunResponse(ResponseModel):
    """The next time of a schedule."""

    next_at: datetime


class StatusResponse(ResponseModel):
    """Numbers of tasks, workers and effects of the org."""

    ready: int
    delayed: int
    waiting: int
    pending: int
    running: int
    oldest_ready_seconds: float | None
    workers: dict[str, int]
    dispatchers: int
    failed_last_minute: int
    lost_last_minute: int
    outbox_pending: int
    outbox_dead: int
    parked: int
