"""The clients of docs/howto/generate-a-client.md are generated from the document of a real server, and used."""

import os
import re
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
from tests.support.docs.pages import check_printed
from tests.support.http.app_server import serving
from tests.support.http.worker_requests import PEPPERS
from tests.support.processes.bundles import a_bundle
from tests.support.processes.terminal import ROOT

PAGE = ROOT / "docs" / "howto" / "generate-a-client.md"
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
    """Somebody who follows the page in a folder, with a server."""

    folder: Path
    environment: dict[str, str]

    def run(self, *command: str) -> str:
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def follow(self, program: str) -> str:
        """Runs the command of the page that begins with this program."""
        (command,) = [code for code in blocks("bash") if program in code.split()[:2]]
        return self.run("/bin/sh", "-euc", command)

    def write(self, language: str, name: str) -> None:
        """Writes the program of the page into its file."""
        (code,) = [code for code in blocks(language) if code.split()[1] == name]
        (self.folder / name).write_text(code)


def blocks(language: str) -> Sequence[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture
def reader(database: str, db: psycopg.Connection, tmp_path: Path) -> Iterator[Reader]:
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
        reader = Reader(folder, {**os.environ, "PATH": path, "TENUTO_URL": url, "TENUTO_API_KEY": key.text})
        reader.follow("curl")
        yield reader


def test_the_python_client_of_the_page_is_typed_and_works(reader: Reader) -> None:
    said = reader.follow("openapi-python-client")
    assert "Warning" not in said, said
    reader.write("python", "walk.py")

    check_printed(blocks("text")[0], reader.run(sys.executable, "walk.py"), PAGE.name)
    assert int(reader.run(sys.executable, "-c", IMPORT_ALL)) > 500
    (reader.folder / "pyrightconfig.json").write_text(PYRIGHT)
    reader.run(sys.executable, "-m", "pyright", "--pythonpath", sys.executable)


@pytest.mark.slow
def test_the_whole_python_client_is_typed(reader: Reader) -> None:
    reader.follow("openapi-python-client")
    shutil.rmtree(reader.folder / "tenuto_client" / "__pycache__", ignore_errors=True)
    (reader.folder / "tenuto_client" / "client.py").rename(reader.folder / "unchecked.py")  # not made for this document
    (reader.folder / "pyrightconfig.json").write_text('{"include": ["tenuto_client/models"]}')
    reader.run(sys.executable, "-m", "pyright", "--pythonpath", sys.executable)


def test_the_typescript_client_of_the_page_is_typed_and_works(reader: Reader) -> None:
    if shutil.which("node") is None or not (PACKAGES / "openapi-typescript").exists():
        assert "CI" not in os.environ, "CI needs Node, and the packages of web/"
        pytest.skip("Node or the packages of the dashboard are not installed: make check installs them")
    (reader.folder / "node_modules").symlink_to(PACKAGES)
    reader.follow("openapi-typescript")
    reader.write("ts", "walk.mts")
    (reader.folder / "tsconfig.json").write_text(TSCONFIG)
    reader.run("npx", "tsc")

    check_printed(blocks("text")[0], reader.run("node", "walk.mjs"), PAGE.name)
