"""The clients of two pages are generated from the document of a real server, type-checked and used."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from tenuto.model.keys import API, key_hash, make_key
from tenuto.server.settings import ServerSettings
from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.docs.pages import blocks_of, check_printed
from tests.support.http.app_server import serving
from tests.support.http.worker_requests import PEPPERS
from tests.support.processes.bundles import a_bundle
from tests.support.processes.terminal import ROOT

PYTHON = ROOT / "docs" / "howto" / "generate-a-client.md"
TYPESCRIPT = ROOT / "docs" / "howto" / "generate-a-typescript-client.md"
PACKAGES = ROOT / "web" / "node_modules"
BIN = Path(sys.executable).parent
IMPORT_ALL = """
import importlib, pkgutil, tenuto_client
modules = [module.name for module in pkgutil.walk_packages(tenuto_client.__path__, "tenuto_client.")]
print(len([importlib.import_module(name) for name in modules]))
"""
PYRIGHT = '{"typeCheckingMode": "strict", "include": ["walk.py"], "reportMissingModuleSource": false}'
TSCONFIG = """{"compilerOptions": {"strict": true, "target": "es2022", "module": "nodenext", "types": ["node"],
  "noUncheckedIndexedAccess": true}, "files": ["tenuto.d.ts", "walk.mts"]}"""


@dataclass(frozen=True)
class Reader:
    """Somebody who follows a page in a folder, with a server."""

    page: Path
    folder: Path
    environment: dict[str, str]

    def run(self, *command: str) -> str:
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def generate(self, file: str) -> str:
        """Runs the commands of the page, and writes its program into a file."""
        said = "".join(self.run("/bin/sh", "-euc", command) for command in self.blocks("bash"))
        (code,) = self.blocks("python") or self.blocks("ts")
        assert code.split()[1] == file
        (self.folder / file).write_text(code)
        return said

    def blocks(self, language: str) -> Sequence[str]:
        return [block.code for block in blocks_of(self.page) if block.language == language]

    def check(self, *command: str) -> None:
        """Runs the program, which must print what the page says."""
        (printed,) = self.blocks("text")
        check_printed(printed, self.run(*command), self.page.name)


@pytest.fixture
def reader(database: str, db: psycopg.Connection, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Reader]:
    settings = ServerSettings(
        database, "tenuto_api", PEPPERS, env="test", storage=(tmp_path / "objects").as_uri(), weak_queries=True
    )
    key = make_key(API, "test")
    made = {"key_id": key.key_id, "hash": key_hash(PEPPERS, key.text), "name": "ci", "permissions": ["*"]}
    call(db, "create_api_key", org_id=DEFAULT_ORG, created_by="ann", **made)
    folder = tmp_path / "client"
    folder.mkdir()
    (folder / "images.zip").write_bytes(a_bundle())
    with serving(settings) as url:
        path = os.pathsep.join((str(BIN), os.environ["PATH"]))
        yield Reader(request.param, folder, {**os.environ, "PATH": path, "TENUTO_URL": url, "TENUTO_API_KEY": key.text})


@pytest.mark.parametrize("reader", [PYTHON], indirect=True, ids=["python"])
def test_the_python_client_of_the_page_is_typed_and_works(reader: Reader) -> None:
    said = reader.generate("walk.py")
    assert "Warning" not in said, said

    reader.check(sys.executable, "walk.py")
    assert int(reader.run(sys.executable, "-c", IMPORT_ALL)) > 500
    (reader.folder / "pyrightconfig.json").write_text(PYRIGHT)
    reader.run(sys.executable, "-m", "pyright", "--pythonpath", sys.executable)


@pytest.mark.slow
@pytest.mark.parametrize("reader", [PYTHON], indirect=True, ids=["python"])
def test_the_whole_python_client_is_typed(reader: Reader) -> None:
    """Its modules for schemas and operations, which are made from the document."""
    reader.generate("walk.py")
    (reader.folder / "pyrightconfig.json").write_text('{"include": ["tenuto_client/models", "tenuto_client/api"]}')
    reader.run(sys.executable, "-m", "pyright", "--pythonpath", sys.executable)


@pytest.mark.parametrize("reader", [TYPESCRIPT], indirect=True, ids=["typescript"])
def test_the_typescript_client_of_the_page_is_typed_and_works(reader: Reader) -> None:
    if shutil.which("node") is None or not (PACKAGES / "openapi-typescript").exists():
        assert "CI" not in os.environ, "CI needs Node, and the packages of web/"
        pytest.skip("Node or the packages of the dashboard are not installed: make check installs them")
    (reader.folder / "node_modules").symlink_to(PACKAGES)
    reader.generate("walk.mts")
    (reader.folder / "tsconfig.json").write_text(TSCONFIG)
    reader.run("npx", "tsc")

    reader.check("node", "walk.mjs")
