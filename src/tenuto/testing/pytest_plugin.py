"""Fixtures for pytest, which finds them by the entry point of the package. They import what they need when a test uses
them."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tenuto.sdk.app import App
    from tenuto.testing.sync import SyncIsolated


@pytest.fixture(scope="session")
def tenuto_server() -> Iterator[str]:
    """The URL of an embedded Postgres for all tests of the session."""
    from tenuto.testing.isolation import postgres

    with postgres() as url:
        yield url


@pytest.fixture(scope="session")
def tenuto_app() -> "App | list[App]":
    """The app of the tests, or a list of apps. By default these are the apps in [tool.tenuto] of pyproject.toml. Define
    a fixture with this name to use another app."""
    from tenuto.sdk.app_loader import load_app
    from tenuto.sdk.project import find_project

    project = find_project(Path.cwd())
    if project is None or not project.apps:
        raise LookupError(
            "the fixture tenuto_client needs an app: define a fixture `tenuto_app` that returns it, "
            'or write app = "module:app" below [tool.tenuto] in pyproject.toml'
        )
    return [load_app(target) for target in project.apps]


@pytest.fixture
def tenuto_client(tenuto_server: str, tenuto_app: "App | list[App]") -> "Iterator[SyncIsolated]":
    """A test client with a database of its own, a clock and a worker: `tn.start(…)`, `tn.work()`,
    `tn.clock.advance("1h")`."""
    from tenuto.testing.sync import isolated_sync

    apps = tenuto_app if isinstance(tenuto_app, list) else [tenuto_app]
    with isolated_sync(*apps, server=tenuto_server) as tn:
        yield tn
