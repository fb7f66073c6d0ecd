"""Capability tokens: signed by us, for one attempt, for a time; whatever was changed about one lets nobody in."""

import base64
import json
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import jwt
import psycopg
import pytest
from cryptography.hazmat.primitives import serialization
from starlette.testclient import TestClient

from tenuto.model.attempt_files import token_lists
from tenuto.model.errors import Unauthorized
from tenuto.model.principals import TaskPrincipal
from tenuto.model.signing import SigningKey, decrypt_key, encrypt_key, make_signing_key
from tenuto.model.task_tokens import CLOCK_SKEW_SECONDS, lifetime, make_task_token, read_task_token
from tests.support.database.jobs import deployed, trigger
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, call, start, start_one
from tests.support.http.worker_requests import PEPPERS, HttpWorker, fence, open_worker, worker_headers

WHO = TaskPrincipal(uuid4(), uuid4(), 1, 7, uuid4())


@pytest.fixture
def claimed(worker: HttpWorker, db: Db) -> dict[str, Any]:
    start_one(db)
    return worker.claim_one(tokens=True)


def ask(api: TestClient, token: str) -> Any:
    return api.get("/v1/task", headers={"Authorization": f"Bearer {token}"})


def signing(db: Db) -> SigningKey:
    (row,) = call(db, "find_signing_key")
    return decrypt_key(row["id"], bytes(row["private_key"]), PEPPERS)


def claims_of(token: str) -> dict[str, Any]:
    return jwt.decode(token, options={"verify_signature": False})


def part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def test_a_token_names_its_attempt_and_is_proven_by_the_public_keys(
    claimed: dict[str, Any], worker: HttpWorker, db: Db
) -> None:
    (public,) = worker.api.get("/internal/jwks").json()["keys"]

    proven = jwt.decode(claimed["token"], jwt.PyJWK(public).key, algorithms=["ES256"], audience="tenuto:task")

    assert (proven["org"], proven["task"], proven["attempt"]) == (str(DEFAULT_ORG), claimed["task_id"], 1)
    assert (proven["session"], proven["run"]) == (worker.session["session_id"], claimed["run_id"])
    assert jwt.get_unverified_header(claimed["token"])["kid"] == public["kid"]
    assert "d" not in public
    assert str(worker.session["token"]) not in json.dumps(proven)


def test_a_token_lasts_a_little_longer_than_its_task_and_at_most_a_day(worker: HttpWorker, db: Db) -> None:
    for timeout in (60, 1_000_000, None):
        start(db, 1, kind={"timeout_seconds": timeout} if timeout else {})
    lives = [claims_of(one["token"]) for one in worker.claim(3, tokens=True)["tasks"]]

    assert sorted(one["exp"] - one["iat"] for one in lives) == [360, 86_400, 86_400]
    assert [lifetime(seconds) for seconds in (60, None)] == [360, 86_400]


def test_the_token_of_a_job_lists_what_it_may_read_and_write_and_opens_nothing_else(worker: HttpWorker, db: Db) -> None:
    deployed(db)
    trigger(db, "daily", "mon")
    task = worker.claim_one(tokens=True)
    job, claims = task["input"]["job"], claims_of(task["token"])
    asked = worker.ask(f"task/{task['task_id']}/token", attempt=1)

    assert claims["reads"] == [job["inputs"][0]["version_id"]]
    assert claims["writes"] == [job["outputs"][0]["location"]]
    assert claims_of(asked.json()["token"])["reads"] == claims["reads"]
    empty = jwt.encode(
        {**claims, "reads": [], "writes": []}, signing(db).private, "ES256", jwt.get_unverified_header(task["token"])
    )

    def sign(token: str, **body: Any) -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        return worker.api.post("/v1/task/credentials", json=body, headers=headers).status_code

    wanted = [{"output": 0, "partition": "mon", "name": "a.parquet"}]
    assert [sign(task["token"], input=0), sign(task["token"], writes=wanted)] == [200, 200]
    assert [sign(empty, input=0), sign(empty, writes=wanted)] == [403, 403]


def test_a_task_without_a_job_and_a_job_with_many_inputs_have_no_lists() -> None:
    many = [{"version_id": str(uuid4())} for _ in range(65)]

    assert token_lists({"x": 1}) == token_lists({"job": 3}) == token_lists([]) == (None, None)
    assert token_lists({"job": {"inputs": many, "outputs": []}}) == (None, None)
    assert token_lists({"job": {"inputs": many[:1], "outputs": [{"location": None}]}}) == (
        {many[0]["version_id"]}, set()
    )  # fmt: skip


def test_a_claim_gives_no_tokens_unless_asked(worker: HttpWorker, db: Db) -> None:
    start_one(db)

    assert "token" not in worker.claim_one()


def test_a_session_asks_for_the_token_of_what_it_holds_and_of_nothing_else(worker: HttpWorker, db: Db) -> None:
    start(db, 1, 2)
    one, other = worker.claim_one(), open_worker(worker.api, worker_headers(db), "other").claim_one()

    given = worker.ask(f"task/{one['task_id']}/token", attempt=1).json()
    wrong = [
        worker.ask(f"task/{other['task_id']}/token", attempt=1),
        worker.ask(f"task/{one['task_id']}/token", attempt=2),
        worker.ask(f"task/{uuid4()}/token", attempt=1),
    ]

    assert ask(worker.api, given["token"]).json()["task_id"] == one["task_id"]
    assert {(answer.status_code, answer.json()["code"]) for answer in wrong} == {(409, "stale_lease")}


MUTATIONS: dict[str, Callable[[str, Db], str]] = {
    "cut": lambda token, _: token[:-1],
    "longer": lambda token, _: token + "A",
    "no signature": lambda token, _: token.rsplit(".", 1)[0] + ".",
    "two parts": lambda token, _: token.rsplit(".", 1)[0],
    "another signature": lambda token, _: token[:-4] + ("AAAA" if not token.endswith("AAAA") else "BBBB"),
    "another task": lambda token, _: _changed(token, task=str(uuid4())),
    "another attempt": lambda token, _: _changed(token, attempt=2),
    "another org": lambda token, _: _changed(token, org=str(uuid4())),
    "another session": lambda token, _: _changed(token, session=99),
    "a longer life": lambda token, _: _changed(token, exp=int(time.time()) + 10**9),
    "no algorithm": lambda token, _: f"{part({'alg': 'none', 'typ': 'JWT', **_kid(token)})}.{token.split('.')[1]}.",
    "signed with the public key": lambda token, db: _hs256(token, db),
    "an unknown key": lambda token, _: _signed(make_signing_key(), claims_of(token)),
    "our key's id on another key": lambda token, db: _signed(
        SigningKey(signing(db).id, make_signing_key().private), claims_of(token)
    ),
    "no key's id": lambda token, db: jwt.encode(claims_of(token), signing(db).private, algorithm="ES256"),
    "for another audience": lambda token, db: _signed(signing(db), {**claims_of(token), "aud": "tenuto:user"}),
    "without an audience": lambda token, db: _signed(signing(db), _without(token, "aud")),
    "without an end": lambda token, db: _signed(signing(db), _without(token, "exp")),
    "without an attempt": lambda token, db: _signed(signing(db), _without(token, "attempt")),
    "over": lambda token, db: _signed(
        signing(db), {**claims_of(token), "exp": int(time.time() - CLOCK_SKEW_SECONDS - 1)}
    ),
    "not a uuid": lambda token, db: _signed(signing(db), {**claims_of(token), "task": "1 or 1=1"}),
    "an end that is no number": lambda token, db: _signed(signing(db), {**claims_of(token), "exp": "never"}),
    "not base64": lambda token, _: "%%%." + token.split(".", 1)[1],
    "nothing": lambda _token, _db: ".",
}


def _changed(token: str, **claims: Any) -> str:
    head, _, signature = token.split(".")
    return f"{head}.{part({**claims_of(token), **claims})}.{signature}"


def _kid(token: str) -> dict[str, str]:
    return {"kid": jwt.get_unverified_header(token)["kid"]}


def _signed(key: SigningKey, claims: dict[str, Any]) -> str:
    return jwt.encode(claims, key.private, algorithm="ES256", headers={"kid": key.id})


def _without(token: str, name: str) -> dict[str, Any]:
    return {key: value for key, value in claims_of(token).items() if key != name}


def _hs256(token: str, db: Db) -> str:
    import hmac

    public = signing(db).private.public_key()
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    signed = f"{part({'alg': 'HS256', 'typ': 'JWT', **_kid(token)})}.{token.split('.')[1]}"
    mac = base64.urlsafe_b64encode(hmac.digest(pem, signed.encode(), "sha256")).rstrip(b"=").decode()
    return f"{signed}.{mac}"


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_token_that_was_changed_lets_nobody_in(
    mutation: str, claimed: dict[str, Any], worker: HttpWorker, db: Db
) -> None:
    changed = MUTATIONS[mutation](claimed["token"], db)

    refused = ask(worker.api, changed)

    assert (refused.status_code, refused.json()["code"]) == (401, "unauthorized"), refused.text
    assert ask(worker.api, claimed["token"]).status_code == 200


def test_the_token_of_an_old_attempt_is_dead_when_the_task_runs_again(
    claimed: dict[str, Any], worker: HttpWorker
) -> None:
    worker.ask("heartbeat", settled_claim_no=1, held=[])
    again = worker.claim_one(tokens=True)

    assert again["task_id"] == claimed["task_id"]
    assert ask(worker.api, claimed["token"]).json()["code"] == "stale_lease"
    assert ask(worker.api, again["token"]).json()["attempt"] == 2


def test_the_token_of_a_session_that_ended_dies_with_its_attempts(
    claimed: dict[str, Any], worker: HttpWorker, db: Db
) -> None:
    worker.ask("sessions", method="DELETE")
    call(db, "expire_attempts")

    assert ask(worker.api, claimed["token"]).json()["code"] == "stale_lease"


def test_a_token_reaches_no_other_task_and_no_other_org(claimed: dict[str, Any], worker: HttpWorker, db: Db) -> None:
    other = an_org(db, "other")
    (theirs,) = start(db, {"secret": 1}, org_id=other)
    open_worker(worker.api, worker_headers(db, org_id=other)).claim_one()
    own = claims_of(claimed["token"])

    forged = _signed(signing(db), {**own, "task": str(theirs)})  # even if somebody could sign
    named = worker.api.post(
        "/v1/task/complete", headers={"Authorization": f"Bearer {claimed['token']}"}, json={"task_id": str(theirs)}
    )

    assert ask(worker.api, forged).json()["code"] == "stale_lease"
    assert named.status_code == 403


def test_while_keys_rotate_both_prove_and_a_retired_one_proves_nothing(
    claimed: dict[str, Any], worker: HttpWorker, db: psycopg.Connection
) -> None:
    old, new = signing(db), make_signing_key()
    call(db, "add_signing_key", id=new.id, public_key=new.public_key, private_key=encrypt_key(new, PEPPERS))
    start_one(db)
    newer = worker.claim_one(tokens=True)
    assert _kid(newer["token"])["kid"] == new.id
    assert [ask(worker.api, one["token"]).status_code for one in (claimed, newer)] == [200, 200]
    assert {one["kid"] for one in worker.api.get("/internal/jwks").json()["keys"]} == {old.id, new.id}

    call(db, "retire_signing_key", id=old.id)

    assert [ask(worker.api, one["token"]).status_code for one in (claimed, newer)] == [401, 200]
    assert {one["kid"] for one in worker.api.get("/internal/jwks").json()["keys"]} == {new.id}


def test_private_keys_are_kept_encrypted(claimed: dict[str, Any], db: Db) -> None:
    (row,) = call(db, "find_signing_key")
    plain = signing(db).private.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )

    assert plain not in bytes(row["private_key"])
    assert plain[-32:] not in bytes(row["private_key"])


def test_a_task_that_asks_too_often_is_told_when_to_ask_again(
    claimed: dict[str, Any], worker: HttpWorker, db: Db
) -> None:
    ask(worker.api, claimed["token"])
    db.execute("update tenuto.rate_buckets set full_at = now() + interval '1 hour' where bucket like 'task:%'")

    refused = ask(worker.api, claimed["token"])

    assert (refused.status_code, int(refused.headers["Retry-After"]) >= 1) == (429, True)


def test_a_token_is_good_until_its_end_and_the_leeway_of_clocks() -> None:
    key = make_signing_key()
    public = {key.id: key.public_key}
    text = make_task_token(key, WHO, now=1000, seconds=60)

    assert read_task_token(text, public, now=1060 + CLOCK_SKEW_SECONDS - 1) == WHO
    with pytest.raises(Unauthorized, match="expired"):
        read_task_token(text, public, now=1060 + CLOCK_SKEW_SECONDS)


def test_the_answer_to_a_claim_with_tokens_is_otherwise_the_same(worker: HttpWorker, db: Db) -> None:
    (task_id,) = start(db, {"é": ["ü", None, 1.5]})

    claimed = worker.claim_one(tokens=True)

    assert (UUID(claimed["task_id"]), claimed["input"]) == (task_id, {"é": ["ü", None, 1.5]})
    assert worker.claim(0, reports=[fence(claimed)])["rejected_reports"] == []
