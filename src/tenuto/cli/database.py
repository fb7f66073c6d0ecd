"""The database a command works on: the one that is named, else our own, started if need be."""

from collections.abc import Iterator
from contextlib import contextmanager

from tenuto.cli.settings import Settings


@contextmanager
def open_database(settings: Settings) -> Iterator[str]:
    """Its URL. Our own server goes on running afterwards, so that the URL stays usable."""
    if settings.database_url is not None:
        yield settings.database_url
        return
    from tenuto.db import embedded

    with embedded.server(settings.home, pg_bin=settings.pg_bin, keep=True) as url:
        yield url
