"""Commands as a person runs them: on a database of the test's own, or on a home of its own."""

import json
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes.command_line import tenuto


@pytest.fixture
def home() -> Iterator[Path]:
    """A place for an embedded server that is stopped afterwards."""
    parent = Path(tempfile.mkdtemp(prefix="tenuto-cli-"))
    parent.chmod(0o755)
    yield parent / "home"
    tenuto("db", "stop", TENUTO_HOME=parent / "home")
    shutil.rmtree(parent)


@pytest.fixture
def asked(database: str) -> Callable[..., Any]:
    """`asked("runs", "list")`: what the command prints with --json."""

    def ask(*arguments: str) -> Any:
        done = tenuto(*arguments, "--json", TENUTO_DATABASE_URL=database)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return ask


@pytest.fixture
def free_port() -> int:
    """A port that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
