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
        WrongIsolation,
    )
    from tenuto.sdk.app import App
    from tenuto.sdk.client.client import Client
    from tenuto.sdk.client.run import Progress, Run
    from tenuto.sdk.client.sync import SyncClient, connect_sync
    from tenuto.sdk.client.sync_run import SyncRun
    from tenuto.sdk.connect import connect
    from tenuto.sdk.context.children import Child, ChildFailed, SyncChild
    from tenuto.sdk.context.context import Context
    from tenuto.sdk.context.control import BadSignal, Fail, Retry
    from tenuto.sdk.context.step_failures import StepFailed
    from tenuto.sdk.context.sync_context import SyncContext
    from tenuto.sdk.errors import RunCancelled, RunFailed, WaitTimeout
    from tenuto.sdk.graphs.compose import Composition, chain, group
    from tenuto.sdk.graphs.graph import Graph
    from tenuto.sdk.graphs.nodes import Node
    from tenuto.sdk.hooks import AttemptFailed, TaskFailure
    from tenuto.sdk.limits import Limit, Rate
    from tenuto.sdk.retries import Exponential, Fixed
    from tenuto.sdk.steps import Step, step
    from tenuto.sdk.task import Task
    from tenuto.sdk.values.data_objects import DataObject
    from tenuto.storage.base import StorageProblem

__all__ = [
    "App",
    "AttemptFailed",
    "BadSignal",
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
    "Step",
    "StepFailed",
    "StorageProblem",
    "SyncChild",
    "SyncClient",
    "SyncContext",
    "SyncRun",
    "Task",
    "TaskFailure",
    "TenutoError",
    "TooLarge",
    "Unauthorized",
    "Unreachable",
    "WaitTimeout",
    "WrongIsolation",
    "chain",
    "connect",
    "connect_sync",
    "group",
    "step",
]

# The module of each name. It is imported when the name is first used, so that the help of the command line stays fast.
_HOMES = {
    "App": "sdk.app",
    "AttemptFailed": "sdk.hooks",
    "BadSignal": "sdk.context.control",
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
    "TaskFailure": "sdk.hooks",
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
    "Step": "sdk.steps",
    "StepFailed": "sdk.context.step_failures",
    "StorageProblem": "storage.base",
    "SyncChild": "sdk.context.children",
    "SyncClient": "sdk.client.sync",
    "SyncContext": "sdk.context.sync_context",
    "SyncRun": "sdk.client.sync_run",
    "Task": "sdk.task",
    "TenutoError": "model.errors",
    "TooLarge": "model.errors",
    "Unauthorized": "model.errors",
    "Unreachable": "db.connection.errors",
    "WaitTimeout": "sdk.errors",
    "WrongIsolation": "model.errors",
    "chain": "sdk.graphs.compose",
    "connect": "sdk.connect",
    "connect_sync": "sdk.client.sync",
    "group": "sdk.graphs.compose",
    "step": "sdk.steps",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tenuto' has no attribute {name!r}")
    return getattr(import_module(f"tenuto.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """Return all public names, so that shells and editors also complete names that were not imported yet."""
    return sorted({*globals(), *__all__})
