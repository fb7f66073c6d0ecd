"""An orchestrator that is just Postgres: the names a user imports, and only those."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tenuto.sdk.app import App
    from tenuto.sdk.children import Child, ChildFailed
    from tenuto.sdk.context import Context
    from tenuto.sdk.control import Fail, Retry
    from tenuto.sdk.limits import Limit, Rate
    from tenuto.sdk.retries import Exponential, Fixed
    from tenuto.sdk.sync_context import SyncContext
    from tenuto.sdk.task import Task

__all__ = [
    "App",
    "Child",
    "ChildFailed",
    "Context",
    "Exponential",
    "Fail",
    "Fixed",
    "Limit",
    "Rate",
    "Retry",
    "SyncContext",
    "Task",
]

# Where each name lives: imported when first asked for, so that the command line's help stays quick.
_HOMES = {
    "App": "app",
    "Child": "children",
    "ChildFailed": "children",
    "Context": "context",
    "Exponential": "retries",
    "Fail": "control",
    "Fixed": "retries",
    "Limit": "limits",
    "Rate": "limits",
    "Retry": "control",
    "SyncContext": "sync_context",
    "Task": "task",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tenuto' has no attribute {name!r}")
    return getattr(import_module(f"tenuto.sdk.{_HOMES[name]}"), name)
