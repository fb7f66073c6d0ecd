"""A home of its own for every test, below a folder that the server's user can enter."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenuto.db import embedded


@pytest.fixture
def home() -> Iterator[Path]:
    # Not tmp_path: pytest makes that 0700, which only the tests of unreachable homes want.
    parent = Path(tempfile.mkdtemp(prefix="tenuto-home-"))
    parent.chmod(0o755)
    yield from _cleaned(parent / "home")
    shutil.rmtree(parent)


@pytest.fixture
def private_home() -> Iterator[Path]:
    """A home in a folder that only its owner can enter."""
    parent = Path(tempfile.mkdtemp(prefix="tenuto-private-"))
    yield from _cleaned(parent / "home")
    shutil.rmtree(parent)


def _cleaned(home: Path) -> Iterator[Path]:
    yield home
    embedded.stop(home)
    shutil.rmtree(embedded.status(home).data.parent, ignore_errors=True)
