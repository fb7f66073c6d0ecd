"""The page about S3 can be followed, on a real S3 server, and its way from a folder leads to the bucket."""

import asyncio
from pathlib import Path

from tenuto import App
from tenuto.storage import open_store
from tenuto.storage.folder import FolderStore
from tenuto.testing.isolation import isolated_client
from tests.support.docs.pages import Reader, blocks_of
from tests.support.processes.s3_server import S3Server
from tests.support.processes.terminal import ROOT, Terminal

PAGE = ROOT / "docs" / "howto" / "use-s3.md"
STORAGE = "s3://tenuto/shop"


def test_the_page_can_be_followed(database: str, tmp_path: Path, s3: S3Server, s3_url: str) -> None:
    places = {"TENUTO_DATABASE_URL": database, "TENUTO_HOME": str(tmp_path / "home"), "TENUTO_STORAGE": STORAGE}
    Reader(Terminal(tmp_path, **places, **s3.environment)).follow(PAGE)

    assert len(open_store(STORAGE).list("data/")) == 1
    assert not (tmp_path / "home" / "objects").exists()


def test_objects_of_a_folder_can_be_moved_into_the_bucket(database: str, tmp_path: Path, s3_url: str) -> None:
    folder, bucket = FolderStore(tmp_path / "objects"), open_store(s3_url)
    (block,) = [block for block in blocks_of(PAGE) if block.language == "sql"]
    statement = block.code.replace("file:///var/lib/tenuto/objects/", folder.root).replace(f"{STORAGE}/", bucket.root)

    async def steps() -> bytes:
        async with isolated_client(App("photos"), database, folder) as tn:
            stored = await tn.put(b"x" * 2_000_000)
            for item in folder.list("data/"):
                bucket.put(item.key, folder.get(item.key))
            async with tn.direct.pool.connection() as conn:
                await conn.execute(statement.encode())
        async with isolated_client(App("photos"), database, bucket) as tn:
            return await tn.get(stored)

    assert len(asyncio.run(steps())) == 2_000_000
