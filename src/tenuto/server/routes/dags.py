"""DAGs: list versions, plan, deploy, compare versions, cutover, rollback, delete, history."""

from typing import Annotated
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from tenuto.dag.definitions import Dag
from tenuto.dag.parse import parse_dag
from tenuto.dag.plan import Plan
from tenuto.db import dags, datasets
from tenuto.model.dags import (
    CurrentVersion,
    DagSummary,
    DagVersion,
    DagVersionText,
    DeletedDag,
    DeployedVersion,
    DeployEntry,
)
from tenuto.model.errors import Forbidden, InvalidInput
from tenuto.sdk.operations import deploys
from tenuto.server.http.pagination import Filter, NameFilter, PathName, Query, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas import dags as schemas
from tenuto.server.schemas.base import Page

ROUTES = RouteTable("dags")

Version = Annotated[int, Field(ge=1, le=2_147_483_647)]


class DagVersionFilter(Filter):
    """Selects versions of a DAG, newest first. `before`: the last version of the previous page."""

    before: Version | None = None


class DeployFilter(Filter):
    """Selects entries of the history, newest first. `before`: the last id of the previous page."""

    before: UUID | None = None


class Deletion(Query):
    """`force`: cancel the tasks that prevent the deletion. `dry_run`: only return what would be deleted."""

    force: bool = False
    dry_run: bool = False


class TwoVersions(Query):
    """The versions to compare."""

    old: Version
    new: Version


@ROUTES.add("GET", "/v1/dags", permission="dags:read", response=Page[DagSummary])
async def list_dags(request: ApiRequest, query: NameFilter) -> object:
    """List the DAGs by name, each with its current and its newest version."""
    return page(await request.call_with(query, dags.list_dags), query, "name")


@ROUTES.add("POST", "/v1/dags/{name}/plan", permission="dags:read", response=Plan, repeatable=False)
async def plan_dag(request: ApiRequest, name: PathName, body: schemas.PlanDagRequest) -> object:
    """Get what a deploy of this document would change, compared with the current version. Changes nothing. An invalid
    document is refused (422). The response lists all of its problems with path, line and column."""
    dag = await _read(request, name, body.yaml)
    return await request.read(deploys.plan_dag, dag=dag, functions=body.functions or ())


@ROUTES.add(
    "POST", "/v1/dags/{name}/graph", permission="dags:read", response=schemas.DagGraphResponse, repeatable=False
)
async def get_dag_graph(request: ApiRequest, name: PathName, body: schemas.DagDocumentRequest) -> object:
    """Get the jobs of this document and what they read from each other, to draw the graph. Changes nothing and reads no
    data. An invalid document is refused (422), as in a plan."""
    await request.check()
    return _graph(await _read(request, name, body.yaml))


def _graph(dag: Dag) -> schemas.DagGraphResponse:
    published = {(job.name, number): name for name, (job, number) in dag.datasets().items()}
    jobs = [
        schemas.JobNode(
            name=job.name,
            activation=job.activation,
            operator=job.operator,
            runtime=job.runtime,
            description=job.description,
            reads=[
                schemas.JobRead(
                    job=item.job,
                    dataset=item.dataset if item.job is None else published.get((item.job, item.output or 0)),
                    triggers=item.trigger is not None,
                )
                for item in job.inputs
            ],
            datasets=[output.dataset for output in job.outputs if output.dataset is not None],
        )
        for job in dag.jobs
    ]
    return schemas.DagGraphResponse(dag=dag.name, description=dag.description, jobs=jobs)


async def _read(request: ApiRequest, name: str, yaml: str) -> Dag:
    dag = await request.http.server.org_threads.run(request.principal.org_id, lambda: parse_dag(yaml))
    if dag.name != name:
        raise InvalidInput(f"the document is of the DAG {dag.name}, not {name:.100}", f"use /v1/dags/{dag.name}")
    return dag


@ROUTES.add("POST", "/v1/dags/{name}/versions", permission="dags:write", response=DeployedVersion, status=201)
async def deploy_dag(request: ApiRequest, name: PathName, body: schemas.DeployDagRequest) -> Response:
    """Store a document as a version of its DAG. The new datasets of the version are computed while the current ones
    stay in use: the version is `building`, then `ready` or `failed`. With `cutover` it becomes current as soon as it is
    ready, unless another version has become current by then. If the same document is deployed again, the response is
    the same version, and datasets that failed are computed again. An invalid document is refused (422). The response
    lists all of its problems."""
    dag, actor = await _read(request, name, body.yaml), str(request.principal.id)

    async def work(change: Transaction) -> DeployedVersion:
        done = await deploys.deploy_dag(
            change.conn,
            org_id=change.org_id,
            dag=dag,
            actor=actor,
            cutover=body.cutover,
            functions=body.functions or (),
        )
        if done.version.created:
            await change.audit("dag", name, "deploy", {"version": {"new": done.version.version}})
        if done.moved is not None:
            await _note_move(change, "cutover", done.moved)
        return done.version

    return await request.change(work, status=201)


@ROUTES.add("GET", "/v1/dags/{name}/versions", permission="dags:read", response=Page[DagVersion])
async def list_dag_versions(request: ApiRequest, name: PathName, query: DagVersionFilter) -> object:
    """List the versions of a DAG, newest first. If a version is `building`, `ready` or `failed` and had data to
    compute, `completed` is how many of its `planned` tasks have completed."""
    return page(await request.call_with(query, dags.list_dag_versions, name=name), query, "version")


@ROUTES.add("GET", "/v1/dags/{name}", permission="dags:read", response=DagVersionText)
async def get_dag(request: ApiRequest, name: PathName) -> object:
    """Get the current version of a DAG with its YAML. Before the first cutover, this is the newest version."""
    return await request.read(deploys.get_dag, name=name)


@ROUTES.add("GET", "/v1/dags/{name}/versions/{version}", permission="dags:read", response=DagVersionText)
async def get_dag_version(request: ApiRequest, name: PathName, version: Version) -> object:
    """Get a version of a DAG with its YAML."""
    return await request.read(deploys.get_dag, name=name, version=version)


@ROUTES.add("GET", "/v1/dags/{name}/diff", permission="dags:read", response=schemas.DiffResponse)
async def diff_dag(request: ApiRequest, name: PathName, query: TwoVersions) -> object:
    """Get the differences between two versions of a DAG, and the jobs whose data the new version computes again."""
    compared = await request.read(deploys.compare_versions, name=name, old=query.old, new=query.new)
    return {"dag": name, "old_version": query.old, "new_version": query.new, **vars(compared)}


@ROUTES.add("POST", "/v1/dags/{name}/cutover", permission="dags:write", response=CurrentVersion)
async def cutover_dag(request: ApiRequest, name: PathName, body: schemas.CutoverDagRequest | None = None) -> Response:
    """Make a version of a DAG the current one, with all of its datasets, in one transaction. The default is the newest
    version that is ready. 409 if another version than `expected` is current. `force` allows a version that is not
    ready, and also needs the permission `datasets:write`."""
    to, actor = body or schemas.CutoverDagRequest(), str(request.principal.id)
    if to.force and "datasets:write" not in request.principal.permissions:
        raise Forbidden("a forced cutover shows unfinished datasets, and this needs the permission datasets:write")

    async def work(change: Transaction) -> CurrentVersion:
        old = await _expected(change, name, to)
        moved = await datasets.cutover_dag(
            change.conn, org_id=change.org_id, name=name, expected=old, actor=actor, version=to.version, force=to.force
        )
        if moved.from_version is not None or old == 0:  # the version was not current before
            await _note_move(change, "cutover", moved, forced=to.force)
        return moved

    return await request.change(work)


@ROUTES.add("POST", "/v1/dags/{name}/rollback", permission="dags:write", response=CurrentVersion)
async def rollback_dag(request: ApiRequest, name: PathName, body: schemas.MoveDagRequest | None = None) -> Response:
    """Make an earlier version of a DAG the current one again, with the datasets that it had, in one transaction. The
    default is the version that was current before. 409 if another version than `expected` is current."""
    to, actor = body or schemas.MoveDagRequest(), str(request.principal.id)

    async def work(change: Transaction) -> CurrentVersion:
        old = await _expected(change, name, to)
        moved = await datasets.rollback_dag(
            change.conn, org_id=change.org_id, name=name, expected=old, actor=actor, version=to.version
        )
        await _note_move(change, "rollback", moved)
        return moved

    return await request.change(work)


@ROUTES.add("DELETE", "/v1/dags/{name}", permission="datasets:write", response=DeletedDag)
async def delete_dag(request: ApiRequest, name: PathName, query: Deletion) -> Response:
    """Delete a DAG with its datasets and their data. 409 while a job of another DAG reads one of the datasets. Also 409
    while a version is being computed or a task of the DAG has not ended; with `force`, these tasks are cancelled
    instead. `dry_run` changes nothing. The history of its deploys stays."""
    actor = str(request.principal.id)

    async def work(change: Transaction) -> DeletedDag:
        deleted = await datasets.delete_dag(
            change.conn, org_id=change.org_id, name=name, actor=actor, force=query.force, dry_run=query.dry_run
        )
        if not query.dry_run:
            facts = {"datasets": {"new": deleted.datasets[:100]}, "versions_purged": {"new": deleted.dataset_versions}}
            await change.audit("dag", name, "delete", {**facts, **({"forced": {"new": True}} if query.force else {})})
        return deleted

    return await request.change(work)


async def _expected(change: Transaction, name: str, to: schemas.MoveDagRequest) -> int:
    if to.expected is not None:
        return to.expected
    return await deploys.current_version(change.conn, org_id=change.org_id, name=name)


async def _note_move(change: Transaction, action: str, moved: CurrentVersion, *, forced: bool = False) -> None:
    versions = (
        {"new": moved.version} if moved.from_version is None else {"old": moved.from_version, "new": moved.version}
    )
    await change.audit("dag", moved.dag, action, {"version": versions, **({"forced": {"new": True}} if forced else {})})


@ROUTES.add("GET", "/v1/dags/{name}/history", permission="dags:read", response=Page[DeployEntry])
async def list_deploys(request: ApiRequest, name: PathName, query: DeployFilter) -> object:
    """List the deploys, cutovers, rollbacks and deletions of a DAG, newest first. A deleted DAG still has its
    history."""
    return page(await request.call_with(query, dags.list_deploys, name=name), query, "id")
