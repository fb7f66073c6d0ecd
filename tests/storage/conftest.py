"""Every kind of store: what holds for one, holds for all."""

from pathlib import Path

import pytest

from tenuto.storage import open_store
from tenuto.storage.base import Store


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "folder":
        return open_store((tmp_path / "objects").as_uri())
    return open_store(request.getfixturevalue("s3_url"), retry_seconds=5)
