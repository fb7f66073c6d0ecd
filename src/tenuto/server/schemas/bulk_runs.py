"""Request bodies of bulk operations on runs: a filter, and which piece to do."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from tenuto.server.schemas.base import WHOLE, Moment, Name, RequestModel

Reason = Annotated[str, Field(min_length=1, max_length=1024)]


class PieceRequest(RequestModel):
    """Which piece to do: `before` is the `next_before` of the previous response. `dry_run`: change nothing."""

    before: Annotated[UUID, Field(strict=False)] | None = None
    limit: Annotated[int, Field(ge=1, le=200), WHOLE] = 100
    dry_run: bool = False


class RunsRequest(PieceRequest):
    """Selects runs by at least one of these fields. `since`: created at that time or later."""

    type: Name | None = None
    name: Name | None = None
    since: Moment | None = None


class RetryRunsRequest(RunsRequest):
    """Without a status: failed runs that the other fields select. `reuse`: completed tasks keep their outputs. Runs
    that another run retries already are left out."""

    status: Literal["completed", "failed", "cancelled"] | None = None
    reuse: bool = True


class CancelRunsRequest(RunsRequest):
    """Without a status: all runs that have not ended and that the other fields select."""

    status: Literal["pending", "running", "retrying"] | None = None
    reason: Reason | None = None


class DeleteRunsRequest(RunsRequest):
    """Without a status: all ended runs that the other fields select."""

    status: Literal["completed", "failed", "cancelled"] | None = None


class PurgeRequest(PieceRequest):
    reason: Reason | None = None
