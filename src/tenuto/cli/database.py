"""The database a command works on: the one that is named, else our own, started if need be."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from tenuto.cli.settings import Settings


@contextmanager
def open_database(settings: Settings, *, keep: bool = True) -> Iterator[str]:
    """Its URL. Our own server goes on running afterwards, so that the URL stays usable, unless told not to keep it."""
    if settings.database_url is not None:
        yield settings.database_url
        return
    if settings.server_url is not None:
        typer.echo(
            f"tenuto: this command asks a database, not the server of TENUTO_URL ({settings.server_url}); "
            f"without TENUTO_DATABASE_URL it is the one in {settings.home}",
            err=True,
        )
    from tenuto.db import embedded

    with embedded.server(settings.home, pg_bin=settings.pg_bin, keep=keep) as url:
        yield url


@contextmanager
def ready_database(settings: Settings, *, keep: bool = True) -> Iterator[str]:
    """The URL of a database that this version can work with: our own is brought up to date, others must be."""
    from tenuto.db.connection.errors import DatabaseProblem, OtherFunctions
    from tenuto.db.install import install

    with open_database(settings, keep=keep) as url:
        if settings.database_url is None:
            install.migrate(url)
        else:
            found = install.status(url)
            if found.pending:
                missing = "nothing of Tenuto" if found.schema_version == 0 else f"schema version {found.schema_version}"
                raise DatabaseProblem(
                    f"{found.url} holds {missing}, and {found.pending[-1]} is needed; run `tenuto db migrate`"
                )
            if not found.fits:
                raise OtherFunctions(
                    f"the functions in {found.url} are not those that this Tenuto calls; "
                    "run `tenuto db migrate` with the Tenuto that all processes are to run"
                )
        yield url
