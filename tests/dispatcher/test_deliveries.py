"""Deliveries: signed, refused where they may not go, and tried again."""

import asyncio
import hmac
import json
from collections.abc import Iterator
from ipaddress import ip_address

import pytest

from tenuto.db.connection.pool import open_pool
from tenuto.dispatcher.deliveries import Deliverer
from tenuto.dispatcher.effects import EffectRunner
from tenuto.model.addresses import is_public
from tenuto.model.deliveries import check_destination_url, decrypt_secret, encrypt_secret
from tenuto.model.errors import InvalidInput
from tenuto.model.keys import Peppers
from tests.support.database.outbox import a_destination, effect, publish
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.http.stub_server import StubServer, a_stub_server

PEPPERS = Peppers((b"n" * 32, b"o" * 32))
SECRET = "tns_a-secret"
PAYLOAD = {"destination": "crm", "body": {"order": "sieben ✓"}}


@pytest.fixture
def receiver() -> Iterator[StubServer]:
    with a_stub_server() as site:
        yield site


def deliver(database: str, *, private: bool = True, peppers: Peppers = PEPPERS) -> None:
    async def story() -> None:
        deliverer = Deliverer(peppers, private=private)
        async with open_pool(database, role="tenuto_dispatcher") as pool:
            runner = EffectRunner(pool, {"deliver": deliverer}, owner="me")
            await runner.take(10)
            await runner.finish()
        await deliverer.close()

    asyncio.run(story())


def declare(db: Db, url: str) -> None:
    a_destination(db, url=url, secret=encrypt_secret(SECRET, DEFAULT_ORG, "crm", PEPPERS))


def test_a_delivery_is_a_signed_post_with_the_id_of_the_effect(db: Db, database: str, receiver: StubServer) -> None:
    declare(db, f"{receiver.url}/hook")
    (one,) = publish(db, PAYLOAD)

    deliver(database)

    assert effect(db, one)["status"] == "done"
    (body,), (headers,) = receiver.bodies, receiver.headers
    assert json.loads(body) == PAYLOAD["body"]
    assert headers["Tenuto-Effect"] == str(one)
    signed = hmac.new(SECRET.encode(), headers["Tenuto-Timestamp"].encode() + b"." + body, "sha256").hexdigest()
    assert headers["Tenuto-Signature"] == f"v1={signed}"
    assert headers["Host"] == receiver.url.removeprefix("http://")


@pytest.mark.parametrize("status", [301, 404, 500])
def test_a_response_without_success_is_tried_again_with_the_same_id(
    db: Db, database: str, receiver: StubServer, status: int
) -> None:
    declare(db, receiver.url)
    (one,) = publish(db, PAYLOAD)
    receiver.answer = (status, b"no")
    deliver(database)
    row = effect(db, one)
    assert (row["status"], row["attempts"]) == ("pending", 1)
    assert row["last_error"] == f"DeliveryFailed: the receiver responded with status {status}"

    receiver.answer = (204, b"")
    db.execute("update tenuto.outbox set available_at = now()")
    deliver(database)

    assert effect(db, one)["status"] == "done"
    assert {headers["Tenuto-Effect"] for headers in receiver.headers} == {str(one)}


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("http://{address}/", "is not https"),
        ("https://{address}/", "has a private address"),
        ("https://[::ffff:127.0.0.1]/", "has a private address"),
        ("https://localhost/", "has a private address"),
        ("https://nowhere.invalid/", "was not found"),
    ],
)
def test_private_and_unknown_hosts_are_not_contacted(
    db: Db, database: str, receiver: StubServer, url: str, error: str
) -> None:
    declare(db, url.format(address=receiver.url.removeprefix("http://")))
    (one,) = publish(db, PAYLOAD)

    deliver(database, private=False)

    assert error in effect(db, one)["last_error"]
    assert receiver.connections == 0


def test_what_stands_in_the_way_is_the_error_of_the_effect(db: Db, database: str, receiver: StubServer) -> None:
    declare(db, receiver.url)
    (one,) = publish(db, PAYLOAD)

    deliver(database, peppers=Peppers((b"x" * 32,)))
    assert "encrypted under another pepper" in effect(db, one)["last_error"]
    call(db, "delete_destination", org_id=DEFAULT_ORG, name="crm")
    db.execute("update tenuto.outbox set available_at = now()")
    deliver(database)

    assert "no destination 'crm'" in effect(db, one)["last_error"]


def test_a_secret_is_bound_to_its_destination() -> None:
    stored = encrypt_secret(SECRET, DEFAULT_ORG, "crm", Peppers((b"o" * 32,)))

    assert decrypt_secret(stored, DEFAULT_ORG, "crm", PEPPERS) == SECRET  # an older pepper is tried too
    with pytest.raises(InvalidInput):
        decrypt_secret(stored, DEFAULT_ORG, "erp", PEPPERS)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("10.0.0.1", False),
        ("127.0.0.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("224.0.0.1", False),
        ("0.0.0.1", False),
        ("::1", False),
        ("fd00::1", False),
        ("fe80::1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::a00:1", False),
        ("64:ff9b::808:808", True),
        ("2002:a00:1::", False),
        ("::127.0.0.1", False),
        ("::ffff:0:10.0.0.1", False),
        ("64:ff9b:1::a00:1", False),
        ("fec0::1", False),
    ],
)
def test_only_addresses_on_the_internet_are_public(address: str, public: bool) -> None:
    assert is_public(ip_address(address)) is public


@pytest.mark.parametrize(
    "url", ["crm.example", "ftp://crm.example", "https://", "https://a:b@crm.example/", "https://x/#y", "https://x:a/"]
)
def test_a_url_that_is_no_destination_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput):
        check_destination_url(url)
