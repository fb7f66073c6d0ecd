"""Reads the settings of a command, and opens its database: the database of TENUTO_DATABASE_URL, or else the embedded
database, which is started first."""

import os
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from tenuto.cli.exit_codes import UsageError
from tenuto.model.environment import Environment, read_address

if TYPE_CHECKING:
    from tenuto.runtimes.background import BackgroundTaskDied

Settings = Environment
SERVER_URL: ContextVar[str | None] = ContextVar("SERVER_URL", default=None)  # `tenuto --url …`


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the environment and the project of the current folder. The environment takes precedence over the project,
    and `--url` over both."""
    from tenuto.sdk.project import with_project

    settings = read_address(environment)
    if (url := SERVER_URL.get()) is not None:
        settings = replace(settings, server_url=url, database_url=None)
    return with_project(settings)


def place_of(settings: Settings) -> str:
    """Returns which database is used, for the first lines of a log."""
    if settings.database_url is not None:
        return "set by TENUTO_DATABASE_URL"
    return f"embedded, of {settings.project_folder}" if settings.project_folder else f"embedded, in {settings.home}"


def refuse_server(settings: Settings) -> None:
    """Raises UsageError if the settings name a server instead of a database."""
    if settings.database_url is None and settings.server_url is not None:
        raise UsageError(
            f"this command needs the database, and {settings.server_url} is a server; set TENUTO_DATABASE_URL, "
            f"or for the embedded database in {settings.home} leave out TENUTO_URL and --url"
        )


@contextmanager
def open_database(settings: Settings, *, keep: bool = True) -> Generator[str]:
    """Yields the URL of the database. The embedded server keeps running afterwards, so that the URL stays valid, unless
    `keep` is False."""
    refuse_server(settings)
    if settings.database_url is not None:
        yield settings.database_url
        return
    from tenuto.db import embedded

    with embedded.server(settings.home, project=settings.project_folder, pg_bin=settings.pg_bin, keep=keep) as url:
        yield url


@contextmanager
def ready_database(settings: Settings, *, keep: bool = True) -> Generator[str]:
    """Yields the URL of a database that fits this version: migrates the embedded one, checks any other. Without `keep`,
    the embedded server is started again whenever it dies."""
    from tenuto.db.install import install

    with open_database(settings, keep=keep) as url:
        if settings.database_url is not None:
            install.require_fitting(url)
            yield url
            return
        install.migrate(url, installation=settings.installation)
        if keep:
            yield url
            return
        with _watched(settings):
            yield url


@contextmanager
def _watched(settings: Settings) -> Generator[None]:
    """Start the embedded server again whenever it dies. The process ends if the server cannot run again."""
    from tenuto.db.embedded.watch import Watch
    from tenuto.runtimes.background import BackgroundTasks

    watch, ended = Watch(settings.home, settings.pg_bin), threading.Event()
    BackgroundTasks(_end_with_children).thread("embedded server", lambda: watch.run(ended)).start()
    try:
        yield
    finally:
        ended.set()


def _end_with_children(died: "BackgroundTaskDied") -> NoReturn:
    """End this process, and processes of a server, which would not notice it."""
    import psutil

    from tenuto.runtimes.background import end_process

    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):
            child.terminate()
    end_process(died)
