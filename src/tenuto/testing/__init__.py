"""Testing of tasks: an isolated database, a clock that the test moves, and a worker inside the test."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tenuto.testing.clock import Clock
    from tenuto.testing.isolation import Isolated, isolated, postgres
    from tenuto.testing.sync import SyncClock, SyncIsolated, isolated_sync
    from tenuto.testing.unit_context import UnitContext, UnitSyncContext
    from tenuto.testing.waiting import NotEnded

__all__ = [
    "Clock",
    "Isolated",
    "NotEnded",
    "SyncClock",
    "SyncIsolated",
    "UnitContext",
    "UnitSyncContext",
    "isolated",
    "isolated_sync",
    "postgres",
]

# The module of each name, imported on first use: pytest imports this package with its plugin at every start.
_MODULES = {
    "Clock": "clock",
    "Isolated": "isolation",
    "NotEnded": "waiting",
    "SyncClock": "sync",
    "SyncIsolated": "sync",
    "UnitContext": "unit_context",
    "UnitSyncContext": "unit_context",
    "isolated": "isolation",
    "isolated_sync": "sync",
    "postgres": "isolation",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'tenuto.testing' has no attribute {name!r}")
    return getattr(import_module(f"tenuto.testing.{_MODULES[name]}"), name)
