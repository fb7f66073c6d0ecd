"""The packages of the extra `data`, which only jobs need: nothing else imports them."""

from collections.abc import Generator
from contextlib import contextmanager

from tenuto.sdk.context.control import Fail

PACKAGES = frozenset({"pyarrow", "duckdb"})


class MissingExtra(Fail):
    """A package of the extra `data` is not installed where a job runs."""


@contextmanager
def data_packages() -> Generator[None]:
    """Wraps imports of modules that need the extra. Raises MissingExtra, which says what to install, if a package is
    missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in PACKAGES:
            raise
        raise MissingExtra(
            f"jobs need the package {error.name}, which is not installed here; run pip install 'tenuto[data]'"
        ) from error
