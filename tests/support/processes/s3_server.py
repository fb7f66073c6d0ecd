"""A real S3 server, SeaweedFS, with one bucket."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from tests.support.free_ports import free_ports
from tests.support.waiting import wait_until

WEED = Path(sys.executable).with_name("weed")
PORTS = (
    "master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc",
    "s3.port", "s3.port.grpc",
)  # fmt: skip
KEY, SECRET = "tenuto-test", "a-secret-of-the-test"
BUCKET = "tenuto"
IDENTITIES = {
    "identities": [{"name": "tests", "credentials": [{"accessKey": KEY, "secretKey": SECRET}], "actions": ["Admin"]}]
}


@dataclass(frozen=True)
class S3Server:
    """`environment`: the variables with which the bucket is reached."""

    url: str

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
        }


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """It serves until the end of the block."""
    folder = Path(tempfile.mkdtemp(prefix="tenuto-s3-"))
    (folder / "identities.json").write_text(json.dumps(IDENTITIES))
    ports = dict(zip(PORTS, free_ports(len(PORTS)), strict=True))
    options = [f"-{name}={port}" for name, port in ports.items()]
    command = [
        WEED, "-logtostderr", "server", f"-dir={folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3", *options,
        f"-s3.config={folder / 'identities.json'}", "-s3.port.iceberg=0", "-s3.port.lance=0", "-volume.max=20",
        f"-s3.localSocket={folder / 's3.sock'}", f"-filer.localSocket={folder / 'filer.sock'}",
        "-s3.autoCreateBucket=false", "-master.telemetry=false", "-master.volumeSizeLimitMB=64",
    ]  # fmt: skip
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
    try:
        url = f"http://127.0.0.1:{ports['s3.port']}"
        wait_until(lambda: process.poll() is not None or answers(url))
        assert process.poll() is None, (folder / "log").read_text()[-3000:]
        subprocess.run(
            [WEED, "shell", f"-master=127.0.0.1:{ports['master.port']}.{ports['master.port.grpc']}"],
            input=f"s3.bucket.create -name {BUCKET}\n", text=True, check=True, capture_output=True, cwd=folder,
        )  # fmt: skip
        yield S3Server(url)
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)


def answers(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/status", timeout=2).status_code < 500
    except httpx2.HTTPError:
        return False
