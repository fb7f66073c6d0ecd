"""People over HTTP: tokens of an OIDC issuer that runs beside the test, good ones and mutated ones."""

import base64
import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jwt
import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import RSAAlgorithm
from jwt.warnings import InsecureKeyLengthWarning
from starlette.testclient import TestClient

from tenuto.server.app import create_app
from tenuto.server.settings import Oidc, RateLimit, ServerSettings
from tests.support.database.audit import entries_of_requests
from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.http.oidc_issuer import AUDIENCE, RSA, IssuerServer
from tests.support.waiting import wait_until

Bearer = dict[str, str]


@pytest.fixture
def settings(settings: ServerSettings, issuer: IssuerServer) -> ServerSettings:
    return replace(settings, oidc=Oidc(issuer.url, AUDIENCE, fetch_floor=0))


@pytest.fixture
def person(db: psycopg.Connection, issuer: IssuerServer) -> Callable[..., Any]:
    """`person("ann", "writer")`: somebody the org knows."""

    def put(subject: str, role: str) -> Any:
        who = {"issuer": issuer.url, "subject": subject, "platform_role": role}
        return call(db, "put_user", org_id=DEFAULT_ORG, **who)

    return put


def bearer(token: str) -> Bearer:
    return {"Authorization": f"Bearer {token}"}


def test_a_person_may_what_their_platform_role_says(
    api: TestClient, issuer: IssuerServer, person: Callable[..., Any]
) -> None:
    start = {"type": "shop.send", "input": {}}
    for role in ("reader", "writer", "admin"):
        person(role, role)
        headers = bearer(issuer.token("k1", role))
        seen = [api.get("/v1/runs", headers=headers), api.post("/v1/runs", json=start, headers=headers)]
        seen.append(api.get("/v1/audit", headers=headers))
        expected = {"reader": [200, 403, 403], "writer": [200, 201, 403], "admin": [200, 201, 200]}[role]
        assert [one.status_code for one in seen] == expected, role


def test_what_a_person_does_is_in_the_audit_log_under_their_id(
    api: TestClient, issuer: IssuerServer, person: Callable[..., Any], db: psycopg.Connection
) -> None:
    ann = person("ann", "writer")

    api.post("/v1/runs", json={"type": "shop.send"}, headers=bearer(issuer.token("k1")))

    (entry,) = entries_of_requests(db)
    assert (entry["actor_kind"], entry["actor_id"], entry["action"]) == ("user", str(ann), "start")


def test_who_is_unknown_or_disabled_is_not_let_in(
    api: TestClient, issuer: IssuerServer, person: Callable[..., Any], db: psycopg.Connection
) -> None:
    unknown = api.get("/v1/runs", headers=bearer(issuer.token("k1", "bob")))
    ann = person("ann", "admin")
    assert api.get("/v1/runs", headers=bearer(issuer.token("k1"))).status_code == 200
    call(db, "disable_user", org_id=DEFAULT_ORG, user_id=ann)
    disabled = api.get("/v1/runs", headers=bearer(issuer.token("k1")))

    assert (unknown.status_code, "ask an admin" in unknown.json()["hint"]) == (403, True)
    assert (disabled.status_code, "is disabled" in disabled.json()["detail"]) == (403, True)


def test_the_same_subject_of_another_issuer_is_another_person(
    api: TestClient, issuer: IssuerServer, db: psycopg.Connection
) -> None:
    call(db, "put_user", org_id=DEFAULT_ORG, issuer="https://other.example", subject="ann", platform_role="admin")

    assert api.get("/v1/runs", headers=bearer(issuer.token("k1", "ann"))).status_code == 403


def mutations(issuer: IssuerServer) -> dict[str, str]:
    """Tokens of which none may be believed, though each is nearly good."""
    good, now = issuer.token("k1"), int(time.time())
    said = jwt.decode(good, options={"verify_signature": False})
    public = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    head, body, signature = good.split(".")
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    curve = ec.generate_private_key(ec.SECP256R1())

    def part(value: Any) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    def hmac(secret: bytes) -> str:
        import hmac as hashing

        signed = f"{part({'alg': 'HS256', 'kid': 'k1'})}.{body}"
        tag = hashing.digest(secret, signed.encode(), "sha256")
        return f"{signed}.{base64.urlsafe_b64encode(tag).rstrip(b'=').decode()}"

    return {
        "another audience": issuer.token("k1", aud="somebody else"),
        "no audience": issuer.token("k1", aud=None),
        "another issuer": issuer.token("k1", iss="https://evil.example"),
        "no issuer": issuer.token("k1", iss=None),
        "an issuer with a slash more": issuer.token("k1", iss=f"{issuer.url}/"),
        "expired": issuer.token("k1", exp=now - 60),
        "no expiry": issuer.token("k1", exp=None),
        "an expiry that is no time": issuer.token("k1", exp="soon"),
        "an expiry without end": f"{head}.{part({**said, 'exp': float('inf')})}.{signature}",
        "not yet": issuer.token("k1", nbf=now + 600),
        "no subject": issuer.token("k1", sub=None),
        "an empty subject": issuer.token("k1", sub=""),
        "a subject that is a number": jwt.api_jws.PyJWS().encode(
            json.dumps({**said, "sub": 7}).encode(), RSA, "RS256", {"kid": "k1"}
        ),
        "a subject with a NUL": issuer.token("k1", sub="ann\x00"),
        "half a surrogate pair": issuer.token("k1", sub="\ud800"),
        "unsigned": f"{part({'alg': 'none', 'kid': 'k1'})}.{body}.",
        "unsigned with capitals": f"{part({'alg': 'nOnE', 'kid': 'k1'})}.{body}.",
        "the public key as a secret": hmac(public),
        "an empty secret": hmac(b""),
        "a key of somebody else": jwt.encode(said, other, "RS256", {"kid": "k1"}),
        "another algorithm of the same key": jwt.encode(said, RSA, "PS256", {"kid": "k1"}),
        "a curve under the id of an RSA key": jwt.encode(said, curve, "ES256", {"kid": "k1"}),
        "an unknown key": jwt.encode(said, RSA, "RS256", {"kid": "k9"}),
        "no key id": jwt.encode(said, RSA, "RS256"),
        "a key it brings along": jwt.encode(said, other, "RS256", {"kid": "k1", "jwk": {"kty": "RSA"}}),
        "a key at an address": jwt.encode(said, other, "RS256", {"kid": "k1", "jku": f"{issuer.url}/jwks_uri"}),
        "something critical": jwt.encode(said, RSA, "RS256", {"kid": "k1", "crit": ["exp2"]}),
        "another body": f"{head}.{part({**said, 'sub': 'root'})}.{signature}",
        "no signature": f"{head}.{body}.",
        "half a signature": f"{head}.{body}.{signature[: len(signature) // 2]}",
        "no header": f".{body}.{signature}",
        "not base64": f"{head}!.{body}.{signature}",
        "not JSON": f"{base64.urlsafe_b64encode(b'nothing').decode()}.{body}.{signature}",
        "a header that is a list": f"{part([1])}.{body}.{signature}",
        "nested without end": f"{base64.urlsafe_b64encode(b'[' * 9000).decode()}.{body}.{signature}",
        "far too long": f"{head}.{'A' * 40_000}.{signature}",
        "dots": "..",
    }


def test_no_mutated_token_is_believed_and_none_breaks_the_server(
    api: TestClient, issuer: IssuerServer, person: Callable[..., Any]
) -> None:
    for subject in ("ann", "root"):
        person(subject, "admin")
    assert api.get("/v1/runs", headers=bearer(issuer.token("k1"))).status_code == 200

    wrong = {}
    for what, token in mutations(issuer).items():
        answer = api.get("/v1/runs", headers=bearer(token))
        if (answer.status_code, answer.json()["code"]) != (401, "unauthorized"):
            wrong[what] = (answer.status_code, answer.text)

    assert wrong == {}


def test_clocks_may_differ_a_little(api: TestClient, issuer: IssuerServer, person: Callable[..., Any]) -> None:
    person("ann", "reader")

    just_over = issuer.token("k1", exp=int(time.time()) - 5)

    assert api.get("/v1/runs", headers=bearer(just_over)).status_code == 200


def test_a_new_key_of_the_issuer_is_found_and_a_withdrawn_one_is_not_asked_for_twice(
    api: TestClient, issuer: IssuerServer, person: Callable[..., Any]
) -> None:
    person("ann", "reader")
    assert api.get("/v1/runs", headers=bearer(issuer.token("k1"))).status_code == 200
    asked = len(issuer.asked)
    assert api.get("/v1/runs", headers=bearer(issuer.token("k1"))).status_code == 200
    assert len(issuer.asked) == asked, "keys that are known are not asked for again"

    issuer.add_key("k2", curve=True)
    del issuer.listed["k1"]

    assert api.get("/v1/runs", headers=bearer(issuer.token("k2"))).status_code == 200
    issuer.listed["k1"] = {"alg": "RS256"}  # the test signs with it, the issuer does not know it
    assert api.get("/v1/runs", headers=bearer(issuer.token("k1"))).status_code == 401


def test_tokens_with_made_up_keys_do_not_make_the_server_ask_more_often_than_the_floor(
    settings: ServerSettings, issuer: IssuerServer
) -> None:
    patient = replace(settings, oidc=Oidc(issuer.url, AUDIENCE, fetch_floor=3600))
    with TestClient(create_app(patient)) as api:
        for no in range(5):
            token = jwt.encode({"sub": "ann"}, RSA, "RS256", {"kid": f"made up {no}"})
            assert api.get("/v1/runs", headers=bearer(token)).status_code == 401

    assert issuer.asked == ["/.well-known/openid-configuration", "/jwks_uri"]


def test_while_the_issuer_is_away_known_keys_are_good_and_nothing_else_is_believed(
    settings: ServerSettings, issuer: IssuerServer, person: Callable[..., Any]
) -> None:
    person("ann", "reader")
    issuer.away = True
    with TestClient(create_app(settings), raise_server_exceptions=False) as api:
        away = api.get("/v1/runs", headers=bearer(issuer.token("k1")))
        assert (away.status_code, away.json()["detail"]) == (
            503,
            "the OIDC issuer does not respond, or not as expected; the log of the server says why",
        )
        assert away.headers["retry-after"] == "10"
        issuer.away = False
        assert api.get("/v1/runs", headers=bearer(issuer.token("k1"))).status_code == 200
        issuer.away = True
        assert api.get("/v1/runs", headers=bearer(issuer.token("k1"))).status_code == 200
        issuer.add_key("k2", curve=True)
        assert api.get("/v1/runs", headers=bearer(issuer.token("k2"))).status_code == 401


def test_nobody_waits_for_an_issuer_that_hangs_if_their_key_is_known(
    settings: ServerSettings, issuer: IssuerServer, person: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    person("ann", "reader")
    monkeypatch.setattr("tenuto.server.auth.oidc_issuer.REQUEST_TIMEOUT_SECONDS", 3600)
    monkeypatch.setattr(
        "tenuto.server.auth.oidc_issuer.REFRESH_KEYS_SECONDS", 0
    )  # every key is due to be asked for anew
    with TestClient(create_app(settings)) as api:
        assert api.get("/v1/runs", headers=bearer(issuer.token("k1"))).status_code == 200
        issuer.answers.clear()
        assert [api.get("/v1/runs", headers=bearer(issuer.token("k1"))).status_code for _ in range(3)] == [200] * 3
        wait_until(lambda: len(issuer.asked) > 2)  # it was asked, by somebody who waits alone


def test_keys_that_are_weak_or_symmetric_prove_nothing(
    api: TestClient, issuer: IssuerServer, person: Callable[..., Any]
) -> None:
    person("ann", "admin")
    weak = rsa.generate_private_key(public_exponent=65537, key_size=1024)  # noqa: S505 - that is the point
    issuer.signing["weak"] = weak
    issuer.listed["weak"] = {**RSAAlgorithm.to_jwk(weak.public_key(), as_dict=True), "kid": "weak"}
    said = jwt.decode(issuer.token("k1"), options={"verify_signature": False})
    issuer.listed["oct"] = {"kty": "oct", "k": base64.urlsafe_b64encode(b"s" * 32).decode(), "kid": "oct"}

    with pytest.warns(InsecureKeyLengthWarning):
        short = jwt.encode(said, weak, "RS256", {"kid": "weak"})
    for token in (short, jwt.encode(said, b"s" * 32, "HS256", {"kid": "oct"})):
        assert api.get("/v1/runs", headers=bearer(token)).status_code == 401


def test_a_person_who_asks_too_often_is_told_when_to_ask_again(
    settings: ServerSettings, issuer: IssuerServer, person: Callable[..., Any]
) -> None:
    person("ann", "reader")
    person("bob", "reader")
    slow = replace(settings, key_limit=RateLimit(0.01, 2))
    with TestClient(create_app(slow)) as api:
        answers = [api.get("/v1/runs", headers=bearer(issuer.token("k1"))).status_code for _ in range(3)]
        assert answers == [200, 200, 429]
        assert api.get("/v1/runs", headers=bearer(issuer.token("k1", "bob"))).status_code == 200


def test_a_server_without_an_issuer_believes_no_token(
    settings: ServerSettings, issuer: IssuerServer, person: Callable[..., Any]
) -> None:
    person("ann", "admin")
    with TestClient(create_app(replace(settings, oidc=None))) as api:
        assert api.get("/v1/runs", headers=bearer(issuer.token("k1"))).status_code == 401
    assert issuer.asked == []
