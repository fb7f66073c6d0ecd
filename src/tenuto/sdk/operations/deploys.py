"""Plans, deploys and compares versions of DAGs. The caller opens the transaction. Documents are read in threads,
because a large document takes a second."""

import asyncio
from dataclasses import asdict, dataclass, replace
from functools import partial
from uuid import UUID

from tenuto.dag.definitions import Dag
from tenuto.dag.diff import Diff, diff_dags
from tenuto.dag.hashes import HASH_VERSION
from tenuto.dag.job_rows import job_rows
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
from tenuto.model.dags import CurrentVersion, DeployedVersion
from tenuto.model.errors import Forbidden
from tenuto.sdk.operations.column_flows import describe_flow

MAX_SUGGESTED = 200  # how many datasets are searched for a similar name


@dataclass(frozen=True)
class Deploy:
    """The result of a deploy; `moved` is the result of its cutover, if there was one."""

    version: DeployedVersion
    moved: CurrentVersion | None = None


async def plan_dag(conn: Conn, *, org_id: UUID, dag: Dag) -> Plan:
    """Returns how the document differs from the current version of its DAG. The plan also has warnings about readers,
    estimates, and the reasons for which a deploy would be refused."""
    plan, owners = await _compare(conn, org_id=org_id, dag=dag)
    unknown = unknown_inputs(dag, owners)
    known = await datasets.list_datasets(conn, org_id=org_id, limit=MAX_SUGGESTED) if unknown else []
    missing = [_describe_unknown(name, [item.name for item in known]) for name in unknown]
    old_names = {change.dataset: change.renamed_from for change in plan.datasets if change.renamed_from}
    loop = await datasets.find_loop(conn, org_id=org_id, dag=dag.name, edges=trigger_edges(dag, old_names))
    loops = [describe_loop(loop)] if loop else []
    return replace(plan, denied=[*missing, *taken_outputs(dag, owners), *loops, *plan.denied])


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


async def deploy_dag(conn: Conn, *, org_id: UUID, dag: Dag, actor: str, cutover: bool) -> Deploy:
    """Stores the document as a version of its DAG. With `cutover`, the version becomes current: now if it is ready,
    otherwise when dispatchers have computed it. If the same document is deployed again, no second version is stored.
    Raises Forbidden for a deploy that the org denies."""
    plan, _ = await _compare(conn, org_id=org_id, dag=dag)
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
    )
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
