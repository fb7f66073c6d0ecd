"""Plans, deploys and compares versions of DAGs. The caller opens the transaction. Documents are read in threads,
because a large document takes a second."""

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, replace
from functools import partial
from uuid import UUID

from tenuto.dag.definitions import Dag
from tenuto.dag.diff import Diff, diff_dags
from tenuto.dag.hashes import HASH_VERSION
from tenuto.dag.job_rows import job_rows
from tenuto.dag.operators import base_name
from tenuto.dag.parse import parse_dag
from tenuto.dag.plan import (
    Plan,
    affected_readers,
    describe_loop,
    estimate_rebuilds,
    taken_outputs,
    trigger_edges,
    unknown_inputs,
)
from tenuto.dag.problems import did_you_mean
from tenuto.dag.readers import named_datasets, wider_readers
from tenuto.db import dags, datasets
from tenuto.db.connection.call import Conn
from tenuto.model.dags import CurrentVersion, DagVersionText, DeployedVersion, UnservedFunction
from tenuto.model.errors import Forbidden
from tenuto.sdk.operations.column_flows import describe_flow

MAX_SUGGESTED = 200  # how many datasets are searched for a similar name
MAX_NAMED = 3  # how many jobs a warning names


@dataclass(frozen=True)
class Deploy:
    """The result of a deploy; `moved` is the result of its cutover, if there was one."""

    version: DeployedVersion
    moved: CurrentVersion | None = None


async def plan_dag(conn: Conn, *, org_id: UUID, dag: Dag, functions: Collection[str] = ()) -> Plan:
    """Returns how the document differs from the current version of its DAG. The plan also has warnings about readers
    and functions, estimates, and the reasons for which a deploy would be refused. `functions`: what the app of the
    caller declares."""
    plan, owners = await _compare(conn, org_id=org_id, dag=dag)
    unserved = await _list_unserved(conn, org_id=org_id, dag=dag, functions=functions)
    undeclared = [
        f"job {item.job} runs {item.function}, which no app declares; {item.hint}"
        for item in unserved
        if not item.declared
    ]
    unknown = unknown_inputs(dag, owners)
    known = await datasets.list_datasets(conn, org_id=org_id, limit=MAX_SUGGESTED) if unknown else []
    missing = [_describe_unknown(name, [item.name for item in known]) for name in unknown]
    old_names = {change.dataset: change.renamed_from for change in plan.datasets if change.renamed_from}
    loop = await datasets.find_loop(conn, org_id=org_id, dag=dag.name, edges=trigger_edges(dag, old_names))
    loops = [describe_loop(loop)] if loop else []
    return replace(
        plan,
        warnings=[*plan.warnings, *_describe_unserved(item for item in unserved if item.declared)],
        denied=[*missing, *taken_outputs(dag, owners), *undeclared, *loops, *plan.denied],
    )


async def _list_unserved(conn: Conn, *, org_id: UUID, dag: Dag, functions: Collection[str]) -> list[UnservedFunction]:
    """Returns the jobs of the document whose function no live worker can run. Only the first 20 are returned."""
    if not (used := dag.functions()):
        return []
    rows = [job for job in job_rows(dag) if base_name(str(job["operator"])) == "python"]
    return await dags.list_unserved_functions(conn, org_id=org_id, jobs=rows, functions=sorted(used & {*functions}))


def _describe_unserved(unserved: Iterable[UnservedFunction]) -> list[str]:
    """Returns a warning for each reason for which jobs would wait."""
    reasons: dict[str, list[str]] = {}
    for item in unserved:
        reasons.setdefault(item.reason, []).append(item.job)
    return [f"{_named_jobs(jobs)} would wait for a worker: {reason}" for reason, jobs in reasons.items()]


def _named_jobs(jobs: list[str]) -> str:
    more = f" and {len(jobs) - MAX_NAMED} more" if len(jobs) > MAX_NAMED else ""
    return f"job{'s' if len(jobs) > 1 else ''} {', '.join(jobs[:MAX_NAMED])}{more}"


async def get_dag(conn: Conn, *, org_id: UUID, name: str, version: int | None = None) -> DagVersionText:
    """Returns a version of a DAG with its YAML: by default the current version, or the newest if none is current. If it
    is the current version, also warns of jobs that no live worker can run."""
    text = await dags.get_dag_version(conn, org_id=org_id, name=name, version=version)
    if text.status != "current":
        return text
    unserved = await dags.list_unserved_functions(conn, org_id=org_id, dag=name)
    return replace(text, warnings=_describe_unserved(unserved))


def _describe_unknown(name: str, known: list[str]) -> str:
    hint = did_you_mean(name, known) or "deploy the DAG that publishes it first, or correct the name"
    return f"no other DAG publishes {name}; {hint}"


async def _compare(conn: Conn, *, org_id: UUID, dag: Dag) -> tuple[Plan, dict[str, str]]:
    """Returns the plan, and the DAG of each dataset that the document names. The plan does not contain the results of
    checks that the database makes in every deploy."""
    names = named_datasets(dag)
    facts = await datasets.get_deploy_facts(conn, org_id=org_id, name=dag.name, yaml_hash=dag.yaml_hash, datasets=names)
    current = (
        await asyncio.to_thread(parse_dag, facts.current_yaml, stored=True) if facts.current_yaml is not None else None
    )
    diff = diff_dags(current, dag)
    roles = {name: frozenset(dataset["read_roles"]) for name, dataset in facts.datasets.items()}
    counts = {name: count for name, dataset in facts.datasets.items() if (count := dataset["partitions"]) is not None}
    denies = facts.wider_readers == "deny"
    flow = partial(_describe_any_flow if denies else describe_flow, dag)
    wider = await asyncio.to_thread(wider_readers, current, dag, roles, flow)
    plan = Plan(
        jobs=diff.jobs,
        datasets=diff.datasets,
        unchanged_jobs=diff.unchanged_jobs,
        warnings=diff.warnings if denies else [*diff.warnings, *wider],
        dag=dag.name,
        yaml_hash=dag.yaml_hash,
        current_version=facts.current_version or 0,
        rebuilds=estimate_rebuilds(diff, current, dag, counts),
        denied=wider if denies else [],
        readers=affected_readers(diff, facts.readers),
    )
    return plan, {name: dataset["dag"] for name, dataset in facts.datasets.items()}


def _describe_any_flow(dag: Dag, dataset: str, source: str) -> str | None:
    """Return which columns of a source flow into a dataset. If no column does, return None, which counts as a flow. The
    reason: the database enforces what an org denies, and it does not see which columns a SELECT uses."""
    return describe_flow(dag, dataset, source) or None


async def deploy_dag(
    conn: Conn, *, org_id: UUID, dag: Dag, actor: str, cutover: bool, functions: Collection[str] = ()
) -> Deploy:
    """Stores the document as a version of its DAG. With `cutover`, the version becomes current: now if it is ready,
    otherwise when dispatchers have computed it. If the same document is deployed again, no second version is stored.
    `functions`: what the app of the caller declares; jobs can run these functions and those that workers have declared.
    Raises Forbidden for a deploy that the org denies."""
    plan, _ = await _compare(conn, org_id=org_id, dag=dag)
    unserved = await _list_unserved(conn, org_id=org_id, dag=dag, functions=functions)
    plan = replace(plan, warnings=[*plan.warnings, *_describe_unserved(unserved)])
    if plan.denied:
        raise Forbidden(
            f"the org denies this deploy: {'; '.join(plan.denied)}",
            "let these roles read the sources, or ask an admin to set wider_readers of the org to warn",
        )
    deployed = await datasets.deploy_dag(
        conn,
        org_id=org_id,
        name=dag.name,
        yaml=dag.yaml,
        yaml_hash=dag.yaml_hash,
        hash_version=HASH_VERSION,
        jobs=job_rows(dag),
        actor=actor,
        plan=asdict(plan),
        auto=cutover,
        functions=sorted(dag.functions() & {*functions}),
    )
    deployed = replace(deployed, warnings=plan.warnings)
    if not cutover or deployed.status in ("current", "building"):
        return Deploy(deployed)
    moved = await datasets.cutover_dag(
        conn, org_id=org_id, name=dag.name, expected=plan.current_version, actor=actor, version=deployed.version
    )
    return Deploy(replace(deployed, status=moved.status), moved)


async def current_version(conn: Conn, *, org_id: UUID, name: str) -> int:
    """Returns the current version of a DAG, 0 before the first cutover."""
    facts = await datasets.get_deploy_facts(conn, org_id=org_id, name=name, yaml_hash="", datasets=[])
    return facts.current_version or 0


async def compare_versions(conn: Conn, *, org_id: UUID, name: str, old: int, new: int) -> Diff:
    """Returns what differs between two versions of a DAG."""
    texts = [await dags.get_dag_version(conn, org_id=org_id, name=name, version=version) for version in (old, new)]
    before, after = [await asyncio.to_thread(parse_dag, text.yaml, stored=True) for text in texts]
    return diff_dags(before, after)
