"""Opens the database of a command: that of TENUTO_DATABASE_URL, else the embedded one, whose server is started."""

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager

import typer

from tenuto.model.environment import Environment, read_address

Settings = Environment


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    return read_address(environment)


@contextmanager
def open_database(settings: Settings, *, keep: bool = True) -> Generator[str]:
    """Yields the URL of the database. The embedded server keeps running afterwards, so that the URL stays valid, unless
    `keep` is False."""
    if settings.database_url is not None:
        yield settings.database_url
        return
    if settings.server_url is not None:
        typer.echo(
            f"tenuto: this command uses a database, not the server at TENUTO_URL ({settings.server_url}); "
            f"without TENUTO_DATABASE_URL it is the one in {settings.home}",
            err=True,
        )
    from tenuto.db import embedded

    with embedded.server(settings.home, pg_bin=settings.pg_bin, keep=keep) as url:
        yield url


@contextmanager
def ready_database(settings: Settings, *, keep: bool = True) -> Generator[str]:
    """Yields the URL of a database that fits this version: migrates the embedded one, checks any other."""
    from tenuto.db.connection.errors import DatabaseProblem, OtherFunctions
    from tenuto.db.install import install

    with open_database(settings, keep=keep) as url:
        if settings.database_url is None:
            install.migrate(url)
        else:
            status = install.status(url)
            if status.pending:
                missing = (
                    "no Tenuto schema" if status.schema_version == 0 else f"schema version {status.schema_version}"
                )
                raise DatabaseProblem(
                    f"{status.url} holds {missing}, and {status.pending[-1]} is needed; run `tenuto db migrate`"
                )
            if not status.fits:
                raise OtherFunctions(
                    f"the functions in {status.url} do not match this Tenuto; "
                    "run `tenuto db migrate` with the Tenuto that all processes run"
                )
        yield url
