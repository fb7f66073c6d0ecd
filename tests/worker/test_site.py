"""The way to a server: encrypted, past a proxy, and only to who it claims to be."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tenuto.db.connection.errors import Unreachable
from tenuto.model.workers import Session
from tenuto.worker.backends.http import open_remote
from tenuto.worker.backends.http_claims import HttpClaimChannel
from tenuto.worker.backends.http_connection import HttpClient, ServerAddress
from tenuto.worker.settings import WorkerSettings
from tests.support.http.certificates import write_certificate
from tests.support.http.forward_proxy import an_http_proxy
from tests.support.http.stub_server import StubServer, a_stub_server

NOTHING = b'{"tasks": [], "rejected_reports": [], "session_ended": false, "heartbeat_now": false}'
KEY = "tnw_secret"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_certificate(tmp_path_factory.mktemp("tls") / "localhost.pem", "localhost")


@pytest.fixture
def secure(certificate: Path) -> Iterator[StubServer]:
    with a_stub_server(certificate) as site:
        site.answer = (200, NOTHING)
        yield site


def ask_both_ways(site: ServerAddress) -> tuple[Any, Any]:
    """As a lane's thread does, and as the loop does."""

    async def from_the_loop() -> Any:
        web = HttpClient(site)
        try:
            return await web.request("POST", "/internal/heartbeat", {})
        finally:
            await web.close()

    line = HttpClaimChannel(site, ["t"], None)
    line.serve(1, "token", [0])
    try:
        return line.exchange([], [], None, claim_no=1, limit=1), asyncio.run(from_the_loop())["tasks"]
    finally:
        line.close()


def test_a_server_with_a_trusted_certificate_is_asked(
    secure: StubServer, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    assert ask_both_ways(ServerAddress(secure.url, KEY)) == ([], [])


def test_a_server_that_cannot_prove_who_it_is_gets_no_key(secure: StubServer) -> None:
    with pytest.raises(Unreachable, match="CERTIFICATE_VERIFY_FAILED"):
        ask_both_ways(ServerAddress(secure.url, KEY))
    assert secure.bodies == []


def test_a_proxy_makes_a_tunnel_and_sees_nothing(
    secure: StubServer, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with an_http_proxy() as proxy:
        assert ask_both_ways(ServerAddress(secure.url, KEY, proxy.url)) == ([], [])

        assert proxy.seen == [f"CONNECT localhost:{secure.server_port}"] * 2


def test_a_server_that_is_older_and_takes_no_declarations_is_worked_for_all_the_same() -> None:
    async def declare(site: StubServer) -> None:
        settings = WorkerSettings(["shop:app"], site.url, str(UUID(int=0)), "w", "home", key=KEY)
        async with open_remote(settings) as remote:
            await remote.declare_types(Session(1, UUID(int=1)), {"shop.send": {}}, {})

    with a_stub_server() as site:
        site.answer = (404, b'{"code": "not_found", "detail": "no such route"}')
        asyncio.run(declare(site))

        assert b"shop.send" in site.bodies[0]
