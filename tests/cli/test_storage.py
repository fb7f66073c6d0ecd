"""TENUTO_STORAGE on the command line: what is wrong with it is said before anything starts."""

import json
from pathlib import Path

import pytest

from tests.support.processes.command_line import tenuto


def storage(database: str, **environment: str) -> tuple[str, str]:
    """The state of the check, and what it says."""
    done = tenuto("doctor", "--json", TENUTO_DATABASE_URL=database, **environment)
    (check,) = [check for check in json.loads(done.stdout)["checks"] if check["name"] == "storage"]
    assert done.returncode == 1 or check["state"] != "wrong"  # something else may be wrong with a database of tests
    return check["state"], check["says"]


def test_doctor_tries_out_the_store(database: str, tmp_path: Path, s3_url: str):
    home = str(tmp_path / "home")
    default = storage(database, TENUTO_HOME=home)
    folder = storage(database, TENUTO_HOME=home, TENUTO_STORAGE=f"{tmp_path.as_uri()}/objects")
    bucket = storage(database, TENUTO_HOME=home, TENUTO_STORAGE=s3_url)

    assert default[0] == folder[0] == bucket[0] == "ok"
    assert "set TENUTO_STORAGE if there are others" in default[1]
    assert folder[1] == f"{tmp_path.as_uri()}/objects/ can be written and read"
    assert bucket[1] == f"{s3_url}/ can be written and read"


@pytest.mark.parametrize(
    ("url", "environment", "says"),
    [
        ("gs://bucket", {}, "write TENUTO_STORAGE=file:///"),
        ("s3://no-such-bucket", {}, "there is no bucket no-such-bucket; create it"),
        ("s3://tenuto", {"AWS_SECRET_ACCESS_KEY": "wrong"}, "check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
        ("s3://tenuto", {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, "check AWS_ENDPOINT_URL"),
        ("file:///proc/tenuto", {}, "set TENUTO_STORAGE to another folder or a bucket"),
    ],
)
def test_doctor_says_what_is_wrong_with_it(
    database: str, s3_url: str, url: str, environment: dict[str, str], says: str
):
    state, said = storage(database, TENUTO_STORAGE=url, **environment)

    assert state == "wrong"
    assert says in said


def test_a_home_without_room_for_objects_is_only_noted(database: str):
    assert storage(database, TENUTO_HOME="/proc/tenuto")[0] == "note"


@pytest.mark.parametrize(
    "command", [("worker", "tests.support.processes.shop:app"), ("dispatcher",), ("server",), ("up",)]
)
def test_a_wrong_store_keeps_processes_from_starting(database: str, command: tuple[str, ...], tmp_path: Path):
    done = tenuto(*command, TENUTO_DATABASE_URL=database, TENUTO_HOME=tmp_path, TENUTO_STORAGE="gs://bucket")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].endswith(
        "TENUTO_STORAGE is gs://bucket, which is neither a folder nor a bucket; "
        "write TENUTO_STORAGE=file:///var/lib/tenuto/objects or TENUTO_STORAGE=s3://bucket/prefix"
    )
