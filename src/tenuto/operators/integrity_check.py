"""The operator `integrity_check`: compares the stored files of inputs with the files that were committed."""

from tenuto.dag.operator_configs import IntegrityCheckConfig
from tenuto.sdk.context.control import Fail
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.jobs.packages import data_packages

MAX_SHOWN = 20


def integrity_check(ctx: SyncContext, config: IntegrityCheckConfig) -> None:  # noqa: ARG001 - it has no options yet
    """Publish the list of missing and changed files. If there are such files and the job has no output, raise Fail."""
    with data_packages():
        import pyarrow as pa

        from tenuto.sdk.jobs.parquet_files import damage
    job = ctx.job
    found = [
        (item.name, location, file, problem)
        for item in job.inputs.values()
        if not item.is_table  # Postgres has checksums of its own
        for location in item.locations
        for file, problem in damage(job.files.store, location)
    ]
    if job.outputs:
        names = ("input", "location", "file", "problem")
        columns = {name: pa.array([row[no] for row in found], pa.string()) for no, name in enumerate(names)}
        ctx.write(pa.table(columns))
    elif found:
        lines = "\n".join(f"  {location}{file}: {problem}" for _, location, file, problem in found[:MAX_SHOWN])
        more = f"\n  and {len(found) - MAX_SHOWN:,} more" if len(found) > MAX_SHOWN else ""
        raise Fail(f"{len(found):,} files are damaged:\n{lines}{more}")
