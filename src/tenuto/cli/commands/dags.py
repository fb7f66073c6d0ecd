"""`tenuto plan`, `deploy`, `versions`, `diff`, `cutover` and `rollback`: versions of DAGs."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenuto.cli.audited import Org
from tenuto.cli.commands.validate import Apps, File, read_document, read_functions
from tenuto.cli.dag_changes import with_dags
from tenuto.cli.exit_codes import FAILED, UsageError, WorkFailed
from tenuto.cli.list_options import Limit
from tenuto.cli.output import AsJson, counted, say, show, show_list
from tenuto.cli.waiting import still_running
from tenuto.model.durations import seconds

if TYPE_CHECKING:
    from tenuto.dag.definitions import Dag
    from tenuto.dag.diff import Diff, JobChange
    from tenuto.dag.plan import AffectedReader, Plan, Rebuild
    from tenuto.model.dags import CurrentVersion, DagVersion, DeployedVersion
    from tenuto.sdk.operations.dags import DagOperations

POLL_SECONDS = 0.5
OPEN = ("staged", "building")
CHANGED = {"data": "computed again", "metadata": "keeps its data"}  # what a change of a job means for its data
COLUMNS = ("version", "status", "yaml_hash", "jobs", "created_by", "created_at", "error")

DagName = Annotated[str, typer.Argument(metavar="DAG", help="Name of the DAG.", show_default=False)]
OldVersion = Annotated[int, typer.Argument(metavar="V1", help="First version.", show_default=False)]
NewVersion = Annotated[int, typer.Argument(metavar="V2", help="Version to compare with the first.", show_default=False)]
Expected = Annotated[
    int | None,
    typer.Option(help="Fail unless this version is current; 0: fail if any version is current. Default: do not check."),
]


def plan(
    file: File,
    app: Apps = None,
    org: Org = None,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 if there are changes.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what a deploy of this document would change, compared with the current version. Changes nothing."""
    dag, functions = _read(file), read_functions(app)
    planned = with_dags(lambda dags: dags.plan_dag(dag, functions=functions), org=org)
    denied = [f"denied: {text}" for text in planned.denied]
    readers = [_describe_reader(reader) for reader in planned.readers]
    lines = [_describe(dag.name, planned, planned.rebuilds), *readers, *denied]
    show(planned, "\n".join(lines), as_json=as_json)
    if planned.denied:
        raise typer.Exit(FAILED)
    if exit_code and not planned.is_empty:
        raise typer.Exit(FAILED)


def deploy(
    file: File,
    auto: Annotated[bool, typer.Option("--auto", help="Make the version current as soon as it is ready.")] = False,
    wait: Annotated[
        bool,
        typer.Option(
            "--wait", help="Wait until the version is ready; with --auto, until it is current. Exit code 1 if it fails."
        ),
    ] = False,
    wait_timeout: Annotated[
        str | None, typer.Option(help="Wait at most this long: 10m. Exit code 4 if the version is not ready then.")
    ] = None,
    app: Apps = None,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Store a document as a version of its DAG. Dispatchers and workers compute its new datasets beside the current
    ones; then the version is ready. Deploying the same document again returns the same version, and computes again what
    failed.
    """
    dag, functions = _read(file), read_functions(app)
    wait = wait or wait_timeout is not None
    wait_seconds = None if wait_timeout is None else seconds(wait_timeout, "--wait-timeout")

    async def work(dags: "DagOperations") -> "tuple[DeployedVersion, str]":
        planned = await dags.plan_dag(dag, functions=functions)
        deployed = await dags.deploy_dag(dag, cutover=auto, functions=functions)
        text = _describe_deployed(deployed, planned, auto=auto)
        if wait:
            if deployed.status in OPEN:
                say(text, err=True)
            deployed = await _wait_for_version(dags, deployed, auto=auto, wait_seconds=wait_seconds)
            text = _describe_deployed(deployed, planned, auto=auto)
        return deployed, text

    deployed, text = with_dags(work, org=org)
    if wait and deployed.status in OPEN:
        what = f"version {deployed.version} of {deployed.dag} is not ready after {wait_seconds:.15g} s"
        follow = f"`tenuto versions {deployed.dag}` shows its progress"
        raise still_running(what, "its computation continues", follow, org=org)
    show(deployed, text, as_json=as_json)


def _describe_deployed(deployed: "DeployedVersion", planned: "Plan", *, auto: bool) -> str:
    text = f"{deployed.dag}: version {deployed.version} is {deployed.status}"
    if deployed.status == "building":
        jobs = ", ".join(rebuild.job for rebuild in planned.rebuilds)
        text += f"; it computes {jobs} ({_estimate(planned.rebuilds)})"
        text += "\nit becomes current when it is ready" if auto else ""
    elif deployed.status == "ready" and not auto:
        text += f"; `tenuto cutover {deployed.dag} {deployed.version}` makes it current"
    return "\n".join([text, *(f"warning: {warning}" for warning in deployed.warnings)])


async def _wait_for_version(
    dags: "DagOperations", deployed: "DeployedVersion", *, auto: bool, wait_seconds: float | None
) -> "DeployedVersion":
    """Print the progress of a version until it is ready or current, and return it. If the time runs out, return the
    version with the status that it had after the deploy."""
    try:
        async with asyncio.timeout(wait_seconds):
            version = await _follow_version(dags, deployed)
    except TimeoutError:
        return deployed
    if auto and version.status == "ready":
        raise WorkFailed(
            f"version {version.version} of {version.dag} is ready, but another version became current meanwhile: "
            f"`tenuto cutover {version.dag} {version.version}` makes it current"
        )
    return replace(deployed, status=version.status)


async def _follow_version(dags: "DagOperations", deployed: "DeployedVersion") -> "DagVersion":
    last = None
    while True:
        [version] = await dags.list_dag_versions(deployed.dag, before=deployed.version + 1, limit=1)
        if version.status in ("current", "ready"):
            return version
        if version.status in ("failed", "superseded"):
            raise WorkFailed(
                f"version {version.version} of {version.dag} is {version.status}"
                + (f": {version.error}" if version.error else "")
            )
        if (progress := _progress(version)) != last:
            say(f"{version.dag}: version {version.version} is {progress}", err=True)
        last = progress
        await asyncio.sleep(POLL_SECONDS)


def versions(name: DagName, limit: Limit = 50, org: Org = None, as_json: AsJson = False) -> None:
    """List the versions of a DAG, newest first."""
    items = with_dags(lambda dags: dags.list_dag_versions(name, limit=limit), org=org)
    shown = items if as_json else [replace(item, status=_progress(item)) for item in items]
    show_list("versions", shown, COLUMNS, as_json=as_json)


def _progress(version: "DagVersion") -> str:
    """Describes the status of a version. For a version that is being computed or has failed, adds how many of its tasks
    have completed."""
    if version.status not in ("building", "failed") or version.planned is None:
        return version.status
    return f"{version.status} {version.completed}/{version.planned}"


def diff(name: DagName, old: OldVersion, new: NewVersion, org: Org = None, as_json: AsJson = False) -> None:
    """Show what differs between two versions of a DAG, and which jobs are computed again."""
    compared = with_dags(lambda dags: dags.compare_versions(name, old, new), org=org)
    facts = {"dag": name, "old_version": old, "new_version": new, **asdict(compared)}
    show(facts, _describe(name, compared), as_json=as_json)


def cutover(
    name: DagName,
    version: Annotated[
        int | None, typer.Argument(help="The version. Default: the newest that is ready.", show_default=False)
    ] = None,
    expected: Expected = None,
    force: Annotated[
        bool, typer.Option("--force", help="Allow a version that is not ready (admins only). Needs VERSION.")
    ] = False,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Make a version of a DAG the current one, with all of its datasets, in one transaction."""
    if force and version is None:
        raise UsageError("--force needs the version; write `tenuto cutover DAG VERSION --force`")
    moved = with_dags(lambda dags: dags.cutover_dag(name, version=version, expected=expected, force=force), org=org)
    _show_current(moved, as_json=as_json)


def rollback(
    name: DagName,
    to: Annotated[
        int | None,
        typer.Option(help="The version. Default: the one that the current version replaced.", show_default=False),
    ] = None,
    expected: Expected = None,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Make an earlier version of a DAG the current one again, with the datasets that it had, in one transaction."""
    moved = with_dags(lambda dags: dags.rollback_dag(name, version=to, expected=expected), org=org)
    _show_current(moved, as_json=as_json)


def _read(file: Path) -> "Dag":
    from tenuto.dag.parse import parse_dag

    return parse_dag(read_document(file))


def _describe(name: str, diff: "Diff", rebuilds: "Sequence[Rebuild]" = ()) -> str:
    warnings = [f"warning: {text}" for text in diff.warnings]
    if diff.is_empty:
        return "\n".join([f"{name}: no changes", *warnings])
    estimates = {rebuild.job: f"; {_estimate([rebuild])}" for rebuild in rebuilds}
    jobs = [f"job {change.job}: {_describe_change(change)}{estimates.get(change.job, '')}" for change in diff.jobs]
    datasets = [f"dataset {item.dataset}: {item.kind}" for item in diff.datasets if item.kind != "reused"]
    lines = [*jobs, *datasets, *warnings, _count_jobs(diff)]
    return "\n".join([*lines, f"estimate: {_estimate(rebuilds)}"] if rebuilds else lines)


def _describe_change(change: "JobChange") -> str:
    if change.kind not in CHANGED:
        words = [change.kind]
    else:
        words = [f"changed ({', '.join(change.fields)})"] if change.fields else []
        words.append(CHANGED[change.kind])
    if change.because_of:
        words.append(f"because of {', '.join(change.because_of)}")
    if change.renamed_from:
        words.append(f"was {change.renamed_from}")
    return ", ".join(words)


def _count_jobs(diff: "Diff") -> str:
    """Describes how many jobs are computed. A number is left out if it is 0."""
    added = sum(change.kind == "added" for change in diff.jobs)
    numbers = [
        (added, "added and computed"),
        (len(diff.rebuilt) - added, "computed again"),
        (diff.unchanged_jobs, "unchanged"),
    ]
    parts = [f"{counted(number, 'job')} {'is' if number == 1 else 'are'} {what}" for number, what in numbers if number]
    return ", ".join(parts) or "no job is computed"


def _describe_reader(reader: "AffectedReader") -> str:
    what = f"job {reader.job} of {reader.dag} reads {reader.dataset}"
    if reader.effect == "removed":
        return f"warning: {what}, which is not published any more: it gets no new data"
    return f"{what}: after the cutover, it gets an update for each partition that differs"


def _estimate(rebuilds: "Sequence[Rebuild]") -> str:
    """Describes how much is computed again; jobs whose numbers are not known are left out of the sum."""
    partitions = _sum("partition", [rebuild.partitions for rebuild in rebuilds])
    return f"{partitions}, {_sum('task', [rebuild.tasks for rebuild in rebuilds])}"


def _sum(what: str, numbers: Sequence[int | None]) -> str:
    known = [number for number in numbers if number is not None]
    if not known:
        return f"{what}s not known"
    missing = len(numbers) - len(known)
    return counted(sum(known), what) + (f" (not known for {counted(missing, 'job')})" if missing else "")


def _show_current(moved: "CurrentVersion", *, as_json: bool) -> None:
    before = f", was {moved.from_version}" if moved.from_version is not None else ""
    show(moved, f"{moved.dag}: version {moved.version} is current{before}", as_json=as_json)
