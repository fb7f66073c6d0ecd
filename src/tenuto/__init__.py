"""A Postgres-only orchestrator. This module exports the public API."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tenuto.db.connection.errors import DatabaseProblem, Unreachable
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
    from tenuto.sdk.client.client import Client
    from tenuto.sdk.client.run import Progress, Run
    from tenuto.sdk.client.sync import SyncClient, SyncRun, connect_sync
    from tenuto.sdk.connect import connect
    from tenuto.sdk.context.children import Child, ChildFailed
    from tenuto.sdk.context.context import Context
    from tenuto.sdk.context.control import Fail, Retry
    from tenuto.sdk.context.sync_context import SyncContext
    from tenuto.sdk.errors import RunCancelled, RunFailed, WaitTimeout
    from tenuto.sdk.graphs.compose import Composition, chain, group
    from tenuto.sdk.graphs.graph import Graph
    from tenuto.sdk.graphs.nodes import Node
    from tenuto.sdk.limits import Limit, Rate
    from tenuto.sdk.retries import Exponential, Fixed
    from tenuto.sdk.task import Task
    from tenuto.sdk.values.data_objects import DataObject

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
    "Child": "sdk.context.children",
    "ChildFailed": "sdk.context.children",
    "Client": "sdk.client.client",
    "Composition": "sdk.graphs.compose",
    "Conflict": "model.errors",
    "Context": "sdk.context.context",
    "DataObject": "sdk.values.data_objects",
    "DatabaseProblem": "db.connection.errors",
    "Exponential": "sdk.retries",
    "Fail": "sdk.context.control",
    "Fixed": "sdk.retries",
    "Forbidden": "model.errors",
    "Graph": "sdk.graphs.graph",
    "InvalidInput": "model.errors",
    "Limit": "sdk.limits",
    "Node": "sdk.graphs.nodes",
    "NotFound": "model.errors",
    "Progress": "sdk.client.run",
    "Rate": "sdk.limits",
    "RateLimited": "model.errors",
    "Retry": "sdk.context.control",
    "Run": "sdk.client.run",
    "RunCancelled": "sdk.errors",
    "RunFailed": "sdk.errors",
    "SyncClient": "sdk.client.sync",
    "SyncContext": "sdk.context.sync_context",
    "SyncRun": "sdk.client.sync",
    "Task": "sdk.task",
    "TenutoError": "model.errors",
    "TooLarge": "model.errors",
    "Unauthorized": "model.errors",
    "Unreachable": "db.connection.errors",
    "WaitTimeout": "sdk.errors",
    "chain": "sdk.graphs.compose",
    "connect": "sdk.connect",
    "connect_sync": "sdk.client.sync",
    "group": "sdk.graphs.compose",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tenuto' has no attribute {name!r}")
    return getattr(import_module(f"tenuto.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """So that shells and editors complete names that were not asked for yet."""
    return sorted({*globals(), *__all__})
