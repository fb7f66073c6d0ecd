"""A worker imports little before its first claim: each module delays it, and importing takes most of its start."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.postgres.server import fresh_database

# The child imports these while the supervisor finds out its settings; then it imports the app and claims.
CHILD = "import tenuto.worker.process.main, tenuto.worker.backends.sql"
# The supervisor imports everything else after it has sent the settings.
SUPERVISOR = """
import sys
from tenuto.cli.main import main
from tenuto.worker.supervisor.child_process import ChildProcess
def begin(*_):
    raise SystemExit(f"MODULES {json.dumps(sorted(sys.modules))}")
ChildProcess.begin = begin
sys.argv = ["tenuto", "worker", "tests.journeys.apps.plain:app"]
main()
"""
# How many modules of Tenuto. Raise a limit only for a module without which the worker cannot claim.
LIMITS = {"child": 159, "supervisor": 85}
NOT_BEFORE_THE_FIRST_CLAIM = {
    "child": {"typer", "rich", "pydantic", "prometheus_client", "cryptography", "tenuto.cli", "tenuto.dag"},
    "supervisor": {"rich", "prometheus_client", "cryptography", "http.client", "tenuto.worker.main"},
}
NEVER = {"starlette", "fastapi", "uvicorn", "httpx2", "jwt", "yaml", "tenuto.dispatcher", "tenuto.server"}


def modules_after(code: str, **environment: str) -> set[str]:
    """The modules of a new Python that runs the code, or that it names when it ends."""
    code = f"import json\n{code}\nimport sys; sys.exit('MODULES ' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True)
    _, found, names = done.stderr.decode().partition("MODULES ")
    assert found, done.stderr.decode()
    return set(json.loads(names.splitlines()[0]))


@pytest.fixture(scope="module")
def loaded(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    folder: Path = tmp_path_factory.mktemp("start")
    with fresh_database(server, f"start_{folder.name}_{os.getpid()}", template) as url:
        supervisor = modules_after(SUPERVISOR, TENUTO_DATABASE_URL=url, TENUTO_HOME=str(folder))
    return {"child": modules_after(CHILD), "supervisor": supervisor}


@pytest.mark.parametrize("process", LIMITS)
def test_a_worker_imports_little_before_its_first_claim(process: str, loaded: dict[str, set[str]]) -> None:
    modules = loaded[process]
    forbidden = NOT_BEFORE_THE_FIRST_CLAIM[process] | NEVER
    early = {name for name in modules if any(name == one or name.startswith(f"{one}.") for one in forbidden)}

    assert early == set()
    own = sorted(name for name in modules if name.startswith("tenuto"))
    assert len(own) <= LIMITS[process], own
