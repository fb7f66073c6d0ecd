"""What S3 adds: signed URLs, and servers that refuse or do not respond."""

import subprocess
import sys

import httpx2
import pytest

from tenuto.model.errors import InvalidInput
from tenuto.storage import open_store
from tenuto.storage.base import NotPresignable, StorageProblem, StorageUnavailable, Store


@pytest.fixture
def bucket(s3_url: str) -> Store:
    return open_store(s3_url, retry_seconds=5)


def test_a_signed_url_reads_or_writes_one_object_for_a_time(bucket: Store):
    write, read = bucket.presign("PUT", "a/%2Fb", 60), bucket.presign("GET", "a/%2Fb", 60)

    assert httpx2.put(write, content=b"from outside").status_code == 200
    assert (bucket.get("a/%2Fb"), httpx2.get(read).content) == (b"from outside", b"from outside")
    refused = [
        httpx2.put(read, content=b"x"),
        httpx2.get(write),
        httpx2.put(write.replace("/a/", "/c/"), content=b"x"),
        httpx2.put(write.replace("/a/", "/a/../c/"), content=b"x"),
        httpx2.get(read.replace("X-Amz-Expires=60", "X-Amz-Expires=6000")),
    ]
    assert {response.status_code for response in refused} <= {400, 403, 404}
    assert [item.key for item in bucket.list("c/")] == []


@pytest.mark.parametrize("seconds", [0, -1, 7 * 24 * 3600 + 1, float("nan")])
def test_a_signed_url_is_valid_for_at_most_a_week(tmp_path, seconds: float):
    for store in (open_store("s3://bucket"), open_store(tmp_path.as_uri())):
        with pytest.raises(StorageProblem, match="cannot be valid for"):
            store.presign("GET", "a", seconds)


def test_a_folder_has_no_signed_urls_and_says_what_to_use(tmp_path):
    with pytest.raises(
        NotPresignable, match=r"has no URL to PUT it, .* use the server, or set TENUTO_STORAGE to a bucket"
    ):
        open_store(tmp_path.as_uri()).presign("PUT", "a", 60)


def test_a_bucket_that_does_not_exist_is_named(s3_url: str):
    store = open_store("s3://no-such-bucket/x", retry_seconds=5)

    with pytest.raises(StorageProblem, match=r"no bucket no-such-bucket"):
        store.put("a", b"x")
    with pytest.raises(StorageProblem, match=r"no bucket no-such-bucket"):
        store.get("a")


def test_wrong_keys_name_the_variables_to_check(s3_url: str, monkeypatch: pytest.MonkeyPatch):
    for name, value in (("AWS_SECRET_ACCESS_KEY", "wrong"), ("AWS_ACCESS_KEY_ID", "nobody")):
        monkeypatch.setenv(name, value)
        store = open_store(s3_url, retry_seconds=5)
        for call in (store.get, store.delete, lambda key, own=store: own.put(key, b"x")):
            with pytest.raises(StorageProblem, match=r"refuses access .* check AWS_ACCESS_KEY_ID and"):
                call("a")
        with pytest.raises(StorageProblem, match=r"refuses access .* check AWS_ACCESS_KEY_ID and"):
            store.list("a/")


def test_a_server_that_does_not_respond_is_named(s3_url: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")

    with pytest.raises(StorageUnavailable, match=r"check AWS_ENDPOINT_URL and AWS_REGION: .*127\.0\.0\.1:1"):
        open_store(s3_url, retry_seconds=0.1).put("a", b"x")


def test_a_setting_that_cannot_be_read_is_named(s3_url: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "not an address")

    with pytest.raises(StorageProblem, match="AWS_"):
        open_store(s3_url, retry_seconds=0.1).put("a", b"x")


FORK = """
import os, sys
from tenuto.storage import open_store

store = open_store(sys.argv[1], retry_seconds=5)
if sys.argv[2] == "after":
    store.put("a", b"used")
if os.fork() == 0:
    try:
        print(store.put("a", b"x"))
    except Exception as problem:
        print(problem)
else:
    os.wait()
"""


def test_a_child_forked_after_the_first_use_is_told_what_to_do(s3_url: str):
    before, after = (
        subprocess.check_output([sys.executable, "-c", FORK, s3_url, when], text=True, timeout=60)
        for when in ("before", "after")
    )

    assert before == f"{s3_url}/a\n"
    assert "it was forked from one that had used it; use S3 only after the fork" in after


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("gs://bucket/x", r"neither a folder nor a bucket; write TENUTO_STORAGE=file:///.* or TENUTO_STORAGE=s3://"),
        ("bucket", "neither a folder nor a bucket"),
        ("", "this process has no object store; set TENUTO_STORAGE as for the server"),
        ("http://[", "neither a folder nor a bucket"),
        ("/data/objects", "a path; write TENUTO_STORAGE=file:///data/objects"),
        ("file://data/objects", "not a folder; write file:// and the whole path"),
        ("file:///", "not a folder"),
        ("file:///a%00b", "not a folder"),
        ("s3://", "not a valid bucket name"),
        ("s3:///prefix", "not a valid bucket name"),
        ("s3://bucket/a/../b", "cannot be a key"),
        ("s3://bucket/a?region=x", "endpoint and keys come from AWS_ENDPOINT_URL"),
    ],
)
def test_a_url_that_names_no_store_is_refused_with_what_to_write(url: str, says: str):
    with pytest.raises(InvalidInput, match=says):
        open_store(url)


def test_a_password_in_the_url_is_refused_and_not_shown():
    with pytest.raises(InvalidInput, match="AWS_SECRET_ACCESS_KEY") as refused:
        open_store("s3://key:hunter2@bucket")
    assert "hunter2" not in str(refused.value)


def test_without_the_extra_its_name_is_shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tenuto.storage.find_spec", lambda _: None)

    with pytest.raises(InvalidInput, match=r"obstore is not installed; run pip install 'tenuto\[data\]'"):
        open_store("s3://bucket")


def test_a_folder_of_any_name_works(tmp_path):
    folder = tmp_path / "mit Leerzeichen und ü%20"
    store = open_store(folder.as_uri())

    uri = store.put("a", b"x")

    assert (store.get(store.key_of(uri)), sorted(path.name for path in folder.iterdir())) == (b"x", [".gitignore", "a"])
