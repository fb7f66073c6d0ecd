"""Lets commands work with DAGs, jobs, datasets and repairs: over HTTP if TENUTO_URL or --url names a server, else with
SQL."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from tenuto.cli.audited import ROLE
from tenuto.cli.database import read_settings
from tenuto.cli.session import with_database, with_server
from tenuto.model.os_user import os_user

if TYPE_CHECKING:
    from tenuto.sdk.operations.dags import DagOperations
    from tenuto.sdk.operations.repairs import RepairOperations

T = TypeVar("T")


def with_dags(work: "Callable[[DagOperations], Awaitable[T]]", *, org: str | None) -> T:
    """Run `work` with the DAGs, jobs and datasets of the org."""
    if read_settings().server is None:
        from tenuto.sdk.operations.sql_dags import SqlDags

        return with_database(
            lambda context: work(SqlDags(context.pool, context.org_id, actor=os_user())), role=ROLE, org=org
        )
    from tenuto.sdk.operations.dags import HttpDags

    return with_server(lambda http: work(HttpDags(http)), org=org)


def with_repairs(work: "Callable[[RepairOperations], Awaitable[T]]", *, org: str | None) -> T:
    """Run `work` with the operations that repair the data of the org."""
    if read_settings().server is None:
        from tenuto.sdk.operations.sql_repairs import SqlRepairs

        return with_database(
            lambda context: work(SqlRepairs(context.pool, context.org_id, actor=os_user())), role=ROLE, org=org
        )
    from tenuto.sdk.operations.repairs import HttpRepairs

    return with_server(lambda http: work(HttpRepairs(http)), org=org)
