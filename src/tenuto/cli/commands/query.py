"""`tenuto query`: runs a SELECT over datasets."""

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tenuto.cli.audited import ROLE, Org
from tenuto.cli.database import read_settings
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.output import AsJson, counted, plain_table, say, value_cell
from tenuto.cli.session import CommandContext, with_database, with_server
from tenuto.model.queries import QueryFormat, QueryResult, VersionRead
from tenuto.model.text import one_line

if TYPE_CHECKING:
    from tenuto.sdk.client.http_client import Http

Result = tuple[list[VersionRead], bytes]


def query(
    sql: Annotated[
        str, typer.Argument(metavar="SQL", help="One SELECT, whose tables are datasets.", show_default=False)
    ],
    as_of: Annotated[
        str | None,
        typer.Option(
            help="Read older data: a version of the DAG (2), DAG@VERSION (shop@2), the id of a dataset version, or a "
            "time with its zone. Default: the current versions.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[
        Literal["table", "json", "csv", "arrow"], typer.Option(help="How to print the result.")
    ] = "table",
    max_rows: Annotated[int, typer.Option(min=1, max=1_000_000, help="Maximum number of rows.")] = 10_000,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Run one SELECT over datasets, in a process that can read nothing else."""
    shown = "json" if as_json else format
    if shown == "arrow" and sys.stdout.isatty():
        raise UsageError("an Arrow stream is not for a terminal; redirect it: --format arrow > result.arrow")
    sent: QueryFormat = "json" if shown == "table" else shown
    _, content = _run(sql, as_of, sent, max_rows, org)
    if shown == "table":
        from tenuto.sdk.client.query_calls import read_result

        _show_table(read_result(content))
    elif shown == "arrow":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        typer.echo(content.decode(), nl=False)


def _run(sql: str, as_of: str | None, format: QueryFormat, max_rows: int, org: str | None) -> Result:
    async def on_database(context: CommandContext) -> Result:
        from tenuto.query.local import run_local
        from tenuto.storage import open_store

        settings = context.settings
        return await run_local(
            context.pool,
            context.org_id,
            open_store(settings.storage),
            sql=sql,
            as_of=as_of,
            format=format,
            max_rows=max_rows,
            weak=settings.weak_queries,
        )

    async def on_server(http: "Http") -> Result:
        from tenuto.sdk.client.query_calls import send_query

        return await send_query(http, sql=sql, as_of=as_of, format=format, max_rows=max_rows)

    if read_settings().server is None:
        return with_database(on_database, role=ROLE, org=org)
    return with_server(on_server, org=org)


def _show_table(result: QueryResult) -> None:
    names = [one_line(column.name) for column in result.columns]
    rows = [[value_cell(value) for value in row] for row in result.rows]
    say(plain_table(names, rows) if rows else "no rows")
    more = "; there are more, see --max-rows" if result.truncated else ""
    read = ", ".join(f"{version.dataset} of {version.dag}@{version.dag_version}" for version in result.versions)
    say(f"{counted(result.row_count, 'row')}{f' from {read}' if read else ''}{more}", err=True)
