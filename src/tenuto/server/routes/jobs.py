"""Jobs of DAGs: list, get, trigger, pause, resume."""

from typing import Annotated

from pydantic import Field
from starlette.responses import Response

from tenuto.db import dags
from tenuto.model.dags import JobSummary, SourceState, TriggeredTask, WholeJob
from tenuto.server.http.pagination import Filter, PathName
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import Items, Page, ReasonRequest
from tenuto.server.schemas.dags import TriggerJobRequest

ROUTES = RouteTable("jobs")


class JobFilter(Filter):
    """Selects jobs in the order of DAG and name. `dag`: only jobs of this DAG. `after`: the last job of the previous
    page as `dag/job`."""

    dag: str | None = None
    after: Annotated[str, Field(pattern="/", max_length=600)] | None = None

    def params(self) -> dict[str, object]:
        """Return the parameters of the SQL function."""
        dag, _, name = (self.after or "").partition("/")
        return {"dag": self.dag, "after_dag": dag, "after": name, "limit": self.limit}


@ROUTES.add("GET", "/v1/jobs", permission="jobs:read", response=Page[JobSummary])
async def list_jobs(request: ApiRequest, query: JobFilter) -> object:
    """List the jobs of the current versions of all DAGs, in the order of DAG and name."""
    items = await request.call_with(query, dags.list_jobs)
    last = f"{items[-1].dag}/{items[-1].name}" if len(items) == query.limit else None
    return {"items": items, "next": last}


@ROUTES.add("GET", "/v1/jobs/{dag}/{name}", permission="jobs:read", response=WholeJob)
async def get_job(request: ApiRequest, dag: PathName, name: PathName) -> object:
    """Get a job with its definition in the current version of its DAG, or else in the newest version that has the
    job."""
    return await request.call(dags.get_job, dag=dag, name=name)


@ROUTES.add("GET", "/v1/jobs/{dag}/{name}/source", permission="jobs:read", response=SourceState)
async def get_source(request: ApiRequest, dag: PathName, name: PathName) -> object:
    """Get the state of a source job. A continuous source is `pending`, `running`, `draining`, `dead` or `stopped`; any
    other source is `active` or `stopped`."""
    return await request.call(dags.get_source, dag=dag, name=name)


@ROUTES.add("POST", "/v1/jobs/{dag}/{name}/pause", permission="jobs:write", response=None, status=204)
async def pause_job(request: ApiRequest, dag: PathName, name: PathName, body: ReasonRequest | None = None) -> Response:
    """Pause a job: it starts no tasks until it is resumed, even in later versions of its DAG."""
    reason, id = body.reason if body else None, f"{dag}/{name}"
    return await request.audited_call("job", id, "pause", dags.pause_job, dag=dag, name=name, reason=reason)


@ROUTES.add("POST", "/v1/jobs/{dag}/{name}/resume", permission="jobs:write", response=None, status=204)
async def resume_job(request: ApiRequest, dag: PathName, name: PathName) -> Response:
    """Resume a paused job."""
    return await request.audited_call("job", f"{dag}/{name}", "resume", dags.resume_job, dag=dag, name=name)


@ROUTES.add("POST", "/v1/jobs/{dag}/{name}/trigger", permission="jobs:write", response=Items[TriggeredTask], status=201)
async def trigger_job(
    request: ApiRequest, dag: PathName, name: PathName, body: TriggerJobRequest | None = None
) -> Response:
    """Start a task of a job, as the current version of its DAG defines it, or one task for each of several partitions.
    The data that the tasks read is chosen now, and not when they start. 409 if the job is paused, unless `force` is
    set."""
    wanted = body or TriggerJobRequest()

    async def work(change: Transaction) -> dict[str, list[TriggeredTask]]:
        tasks = await dags.trigger_job(
            change.conn,
            org_id=change.org_id,
            dag=dag,
            name=name,
            partitions=wanted.partitions,
            force=wanted.force,
            dedupe_key=wanted.dedupe_key,
        )
        if new := [task for task in tasks if task.created]:
            changes: dict[str, object] = {"tasks": len(new), "first_ids": [str(task.task_id) for task in new[:10]]}
            if wanted.partitions:
                changes["partitions"] = [task.partition for task in new[:10]]
            await change.audit("job", f"{dag}/{name}", "trigger", {key: {"new": new} for key, new in changes.items()})
        return {"items": tasks}

    return await request.change(work, status=201)
