"""Files of datasets under the token of an attempt: through the server for a folder, by signed URLs for S3."""

from dataclasses import replace
from typing import Any

import httpx2
import psycopg
import pytest

from tenuto.server.settings import ServerSettings
from tenuto.storage import open_store
from tests.support.database.jobs import deployed, partitions, trigger
from tests.support.database.loops import an_org
from tests.support.database.tasks import start_one
from tests.support.http.worker_requests import HttpWorker, open_worker, worker_headers


@pytest.fixture(params=["folder", "s3"])
def settings(request: pytest.FixtureRequest, settings: ServerSettings) -> ServerSettings:
    return settings if request.param == "folder" else replace(settings, storage=request.getfixturevalue("s3_url"))


class Attempt:
    """A claimed task of a job, and its token."""

    def __init__(self, worker: HttpWorker) -> None:
        self.api, self.task = worker.api, worker.claim_one(tokens=True)
        self.headers = {"Authorization": f"Bearer {self.task['token']}"}

    def sign(self, **body: Any) -> Any:
        return self.api.post("/v1/task/credentials", json=body, headers=self.headers)

    def send(self, method: str, url: str, content: bytes | None = None) -> Any:
        if url.startswith("/"):
            return self.api.request(method, url, content=content, headers=self.headers)
        return httpx2.request(method, url, content=content)

    def publish(self, partition: str | None, location: str) -> Any:
        published = {
            "output": 0, "partition": partition, "location": location, "rows": 1, "bytes": 4, "fingerprint": "ab" * 32,
            "schema_hash": None, "checks": [],
        }  # fmt: skip
        body = {"output": None, "published": [published]}
        return self.api.post("/v1/task/complete", json=body, headers=self.headers)


def test_an_attempt_writes_what_it_publishes_and_the_next_job_reads_it(
    db: psycopg.Connection, worker: HttpWorker
) -> None:
    deployed(db)
    trigger(db)
    first = Attempt(worker)
    names = ["part-0.parquet", "part-1.parquet", "_done"]
    wanted = [{"output": 0, "partition": "2026/11", "name": name} for name in names]
    signed = first.sign(writes=wanted).json()
    for file in signed["writes"]:
        assert first.send("PUT", file["url"], file["name"].encode()).status_code in (200, 204)
    (location,) = {file["location"] for file in signed["writes"]}
    assert first.publish("2026/11", location).json() == {"result": "accepted"}
    assert list(partitions(db)) == ["2026/11"]

    trigger(db, "daily", "2026/11")
    second = Attempt(worker)
    found = second.sign(input=0).json()

    assert (found["after"], [file["name"] for file in found["reads"]]) == (None, names[:2])
    assert [(file["partition"], file["location"]) for file in found["reads"]] == [("2026/11", location)] * 2
    assert [second.send("GET", file["url"]).content for file in found["reads"]] == [name.encode() for name in names[:2]]
    assert [file["size"] for file in found["reads"]] == [14, 14]


def test_an_attempt_reaches_nothing_but_its_own_files(
    db: psycopg.Connection, worker: HttpWorker, settings: ServerSettings
) -> None:
    deployed(db)
    trigger(db)
    mine = Attempt(worker)
    (file,) = mine.sign(writes=[{"name": "a.parquet"}]).json()["writes"]
    own = f"datasets/{file['location']}a.parquet"
    version = file["location"].split("_all/")[0]
    open_store(settings.storage).put("data/71/secret", b"secret")
    elsewhere = [
        own.replace("-1/", "-2/"),
        own.replace(mine.task["task_id"], "00000000-0000-7000-8000-000000000001"),
        own.replace("/a.parquet", "/deeper/a.parquet"),
        own.replace("_all/", ""),
        f"datasets/{version}x",
        "datasets/00000000-0000-7000-8000-000000000001/x/_all/y/a",
        "data/71/secret",
    ]
    hostile = [own.replace("_all", ".."), own + "/../b", own.replace("/a.", "//a."), f"/{own}", "..", ""]

    def answers(keys: list[str]) -> set[int]:
        sent = [mine.api.put("/v1/task/files", params={"key": key}, content=b"x", headers=mine.headers) for key in keys]
        sent += [mine.api.get("/v1/task/files", params={"key": key}, headers=mine.headers) for key in keys]
        return {response.status_code for response in sent}

    assert answers(elsewhere) == {403}
    assert answers(hostile) == {422}
    assert [item.key for item in open_store(settings.storage).list("datasets/")] == []
    assert mine.api.put("/v1/task/files", params={"key": own}, content=b"x", headers=mine.headers).status_code == 204
    assert mine.api.get("/v1/task/files", params={"key": own}, headers=mine.headers).content == b"x"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"writes": [{"output": 7, "name": "a"}]}, 404),
        ({"input": 0}, 404),  # a source reads nothing
        ({"writes": [{"name": "../a"}]}, 422),
        ({"writes": [{"name": ".hidden"}]}, 422),
        ({"writes": [{"name": "a", "partition": "ü" * 100}]}, 422),  # too long once it is encoded
        ({"writes": [{"name": "a"}] * 1001}, 422),
        ({"task_id": "00000000-0000-7000-8000-000000000001"}, 403),
    ],
)
def test_a_request_for_what_the_job_does_not_have_is_refused(
    db: psycopg.Connection, worker: HttpWorker, body: dict[str, Any], status: int
) -> None:
    deployed(db)
    trigger(db)

    assert Attempt(worker).sign(**body).status_code == status


def test_neither_a_task_without_a_job_nor_an_attempt_that_was_taken_back_has_files(
    db: psycopg.Connection, worker: HttpWorker
) -> None:
    start_one(db)
    plain = Attempt(worker)
    assert (plain.sign().status_code, plain.sign().json()["code"]) == (409, "conflict")
    deployed(db)
    trigger(db)
    late = Attempt(worker)
    url = f"/v1/task/files?key=datasets/{late.sign(writes=[{'name': 'a'}]).json()['writes'][0]['location']}a"
    worker.ask("heartbeat", settled_claim_no=worker.claim_no, held=[])

    assert [late.sign().status_code, late.send("PUT", url, b"x").status_code] == [409, 409]


def test_another_org_has_no_such_files(db: psycopg.Connection, worker: HttpWorker, settings: ServerSettings) -> None:
    deployed(db)
    trigger(db)
    own = Attempt(worker).sign(writes=[{"name": "a"}]).json()["writes"][0]["location"]
    open_store(settings.storage).put(f"datasets/{own}a", b"ours")
    other = an_org(db, "other")
    start_one(db, org_id=other)
    theirs = Attempt(open_worker(worker.api, worker_headers(db, org_id=other)))

    assert theirs.send("GET", f"/v1/task/files?key=datasets/{own}a").status_code == 409
