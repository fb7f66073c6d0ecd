"""Request bodies of bulk operations on runs: a filter, and which of the selected runs to handle with this request."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from tenuto.model.statuses import EndName
from tenuto.server.schemas.base import WHOLE, Moment, Name, RequestModel

Reason = Annotated[str, Field(min_length=1, max_length=1024)]


class PieceRequest(RequestModel):
    """`before`: `next_before` of the previous response, to continue there. `limit`: the maximum number of runs or tasks
    to handle with this request. `dry_run`: change nothing."""

    before: Annotated[UUID, Field(strict=False)] | None = None
    limit: Annotated[int, Field(ge=1, le=200), WHOLE] = 100
    dry_run: bool = False


class RunsRequest(PieceRequest):
    """Selects runs by at least one of these fields. `since`: only runs created at that time or later."""

    type: Name | None = None
    name: Name | None = None
    since: Moment | None = None


class RetryRunsRequest(RunsRequest):
    """Selects the runs to retry; without a `status`, failed runs. `reuse`: completed tasks keep their outputs. Runs
    that were retried before are skipped."""

    status: EndName | None = None
    reuse: bool = True


class CancelRunsRequest(RunsRequest):
    """Selects the runs to cancel; without a `status`, all runs that have not ended."""

    status: Literal["pending", "running", "retrying"] | None = None
    reason: Reason | None = None


class DeleteRunsRequest(RunsRequest):
    """Selects the runs to delete; without a `status`, all ended runs."""

    status: EndName | None = None


class PurgeRequest(PieceRequest):
    reason: Reason | None = None
