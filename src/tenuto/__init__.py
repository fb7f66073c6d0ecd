"""An orchestrator that is just Postgres: the names a user imports, and only those."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tenuto.db.errors import DatabaseProblem, Unreachable
    from tenuto.model.errors import (
        Conflict,
        Forbidden,
        InvalidInput,
        NotFound,
        RateLimited,
        TenutoError,
        TooLarge,
        Unauthorized,
    )
    from tenuto.sdk.app import App
    from tenuto.sdk.children import Child, ChildFailed
    from tenuto.sdk.client import Client
    from tenuto.sdk.compose import Composition, chain, group
    from tenuto.sdk.connect import connect
    from tenuto.sdk.context import Context
    from tenuto.sdk.control import Fail, Retry
    from tenuto.sdk.graph import Graph
    from tenuto.sdk.limits import Limit, Rate
    from tenuto.sdk.nodes import Node
    from tenuto.sdk.objects import DataObject
    from tenuto.sdk.outcomes import RunCancelled, RunFailed, WaitTimeout
    from tenuto.sdk.retries import Exponential, Fixed
    from tenuto.sdk.run import Progress, Run
    from tenuto.sdk.sync import SyncClient, SyncRun, connect_sync
    from tenuto.sdk.sync_context import SyncContext
    from tenuto.sdk.task import Task

__all__ = [
    "App",
    "Child",
    "ChildFailed",
    "Client",
    "Composition",
    "Conflict",
    "Context",
    "DataObject",
    "DatabaseProblem",
    "Exponential",
    "Fail",
    "Fixed",
    "Forbidden",
    "Graph",
    "InvalidInput",
    "Limit",
    "Node",
    "NotFound",
    "Progress",
    "Rate",
    "RateLimited",
    "Retry",
    "Run",
    "RunCancelled",
    "RunFailed",
    "SyncClient",
    "SyncContext",
    "SyncRun",
    "Task",
    "TenutoError",
    "TooLarge",
    "Unauthorized",
    "Unreachable",
    "WaitTimeout",
    "chain",
    "connect",
    "connect_sync",
    "group",
]

# Where each name lives: imported when first asked for, so that the command line's help stays quick.
_HOMES = {
    "App": "sdk.app",
    "Child": "sdk.children",
    "ChildFailed": "sdk.children",
    "Client": "sdk.client",
    "Composition": "sdk.compose",
    "Conflict": "model.errors",
    "Context": "sdk.context",
    "DataObject": "sdk.objects",
    "DatabaseProblem": "db.errors",
    "Exponential": "sdk.retries",
    "Fail": "sdk.control",
    "Fixed": "sdk.retries",
    "Forbidden": "model.errors",
    "Graph": "sdk.graph",
    "InvalidInput": "model.errors",
    "Limit": "sdk.limits",
    "Node": "sdk.nodes",
    "NotFound": "model.errors",
    "Progress": "sdk.run",
    "Rate": "sdk.limits",
    "RateLimited": "model.errors",
    "Retry": "sdk.control",
    "Run": "sdk.run",
    "RunCancelled": "sdk.outcomes",
    "RunFailed": "sdk.outcomes",
    "SyncClient": "sdk.sync",
    "SyncContext": "sdk.sync_context",
    "SyncRun": "sdk.sync",
    "Task": "sdk.task",
    "TenutoError": "model.errors",
    "TooLarge": "model.errors",
    "Unauthorized": "model.errors",
    "Unreachable": "db.errors",
    "WaitTimeout": "sdk.outcomes",
    "chain": "sdk.compose",
    "connect": "sdk.connect",
    "connect_sync": "sdk.sync",
    "group": "sdk.compose",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tenuto' has no attribute {name!r}")
    return getattr(import_module(f"tenuto.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """So that shells and editors complete names that were not asked for yet."""
    return sorted({*globals(), *__all__})
