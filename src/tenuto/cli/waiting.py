"""Builds the error of a command that stops waiting for work. The error says whether a worker and a dispatcher are
alive."""

from typing import TYPE_CHECKING

from tenuto.cli.exit_codes import StillRunning
from tenuto.cli.session import with_tenuto
from tenuto.model.errors import Forbidden

if TYPE_CHECKING:
    from tenuto.sdk.operations.base import Operations

NO_WORKER = "no worker is alive, start one with `tenuto worker`"
NO_DISPATCHER = "no dispatcher is alive, start one with `tenuto dispatcher`"


def still_running(what: str, continues: str, follow: str, *, org: str | None) -> StillRunning:
    """Return the error for work that has not ended. It says that the work continues, or which process is missing, and
    how to follow it."""
    missing = with_tenuto(_missing_processes, org=org)
    return StillRunning(f"{what}; {'; '.join(missing) or continues}: {follow}")


async def _missing_processes(tenuto: "Operations") -> list[str]:
    try:
        status = await tenuto.get_status()
    except Forbidden:  # the key may deploy, but not read the status
        return []
    return [*([] if status.workers_alive else [NO_WORKER]), *([] if status.dispatchers else [NO_DISPATCHER])]
