"""Request and response bodies about groups, schedules and the status of the org."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import ConfigDict, Field, model_validator

from tenuto.model.json import Json, JsonObject
from tenuto.model.statuses import CatchUp
from tenuto.server.schemas.base import WHOLE, RequestModel, ResponseModel, Seconds


class SetGroupRequest(RequestModel):
    """The weight of a resource group, and how many of its tasks can run at a time (`quota`)."""

    weight: Annotated[int, Field(ge=1, le=1000), WHOLE] | None = None
    quota: Annotated[int, Field(ge=0, le=2_147_483_647), WHOLE] | None = None


class SetLimitRequest(RequestModel):
    """How many tasks may hold a slot of a limit at the same time."""

    size: Annotated[int, Field(ge=1, le=1_000_000), WHOLE]


class UpdateScheduleRequest(RequestModel):
    """The changes of a schedule; at least one is required."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    cron: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    timezone: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    catch_up: CatchUp | None = None
    jitter: Seconds | None = None
    input: JsonObject | list[Json] | None = None
    metadata: JsonObject | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> "UpdateScheduleRequest":
        if not self.model_fields_set:
            raise ValueError("is empty; write cron, timezone, catch_up, jitter, input or metadata")
        return self


class NextRunResponse(ResponseModel):
    """The next time of a schedule."""

    next_at: datetime


class FiredScheduleResponse(ResponseModel):
    """The run that a schedule started."""

    run_id: UUID
