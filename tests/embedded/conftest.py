"""A home of its own for every test: with a database, or with nothing for the tests of the first start."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenuto.db import embedded
from tests.support.postgres.server import copy_home, make_folder


@pytest.fixture
def home(new_home: Path, migrated_home: Path) -> Path:
    """Where a server ran and was stopped; the first start would take ten times as long."""
    copy_home(migrated_home, new_home)
    return new_home


@pytest.fixture
def new_home() -> Iterator[Path]:
    """One that is not there yet, below a folder that the server's user can enter."""
    # Not tmp_path: pytest makes that 0700, which only the tests of unreachable homes want.
    parent = make_folder("tenuto-home-")
    yield from _cleaned(parent / "home")
    shutil.rmtree(parent)


@pytest.fixture
def private_home() -> Iterator[Path]:
    """One that is not there yet, in a folder that only its owner can enter."""
    parent = Path(tempfile.mkdtemp(prefix="tenuto-private-"))
    yield from _cleaned(parent / "home")
    shutil.rmtree(parent)


def _cleaned(home: Path) -> Iterator[Path]:
    yield home
    embedded.stop(home)
    shutil.rmtree(embedded.status(home).data.parent, ignore_errors=True)
