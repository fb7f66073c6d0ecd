"""Where a worker works: flags before the environment, a database before a server."""

from pathlib import Path

import pytest

from tenuto.cli.exit_codes import UsageError
from tenuto.cli.processes.remote_server import resolve_server
from tenuto.db.connection.errors import Unreachable
from tenuto.model.environment import Environment
from tenuto.model.keys import API, WORKER, make_key
from tests.support.processes.command_line import tenuto

KEY = make_key(WORKER, "test").text
NOWHERE = "http://127.0.0.1:1"


def address(database_url: str | None = None, server_url: str | None = None) -> Environment:
    return Environment(database_url, server_url, Path("home"), None)


def test_without_a_server_the_worker_has_the_database() -> None:
    assert resolve_server(address(), None, None, {}) is None
    assert resolve_server(address("postgresql://x", NOWHERE), None, None, {"TENUTO_WORKER_KEY": KEY}) is None


@pytest.mark.parametrize(
    ("said", "url", "key"),
    [
        (address(None, NOWHERE), None, None),
        (address("postgresql://x", NOWHERE), None, KEY),
        (address("postgresql://x"), NOWHERE, None),
    ],
    ids=["environment", "flag for the key", "flag for the url"],
)
def test_a_server_that_does_not_answer_is_unreachable(said: Environment, url: str | None, key: str | None) -> None:
    with pytest.raises(Unreachable, match=f"cannot reach {NOWHERE}"):
        resolve_server(said, url, key, {"TENUTO_WORKER_KEY": KEY})


@pytest.mark.parametrize(
    ("url", "key", "said"),
    [
        (None, KEY, "write --url"),
        (NOWHERE, None, "set TENUTO_WORKER_KEY"),
        (NOWHERE, KEY[:-1], "mistyped"),
        (NOWHERE, make_key(API, "test").text, "is an API key"),
        ("postgresql://x", KEY, "write --url https://"),
        ("https://", KEY, "write --url https://"),
        ("https://x:99999", KEY, "write --url https://"),
        ("https://me:secret@x", KEY, "write --url https://"),
        ("https://x?y", KEY, "write --url https://"),
        (f"{NOWHERE}/internal", KEY, "leave out /internal"),
    ],
    ids=["no url", "no key", "cut key", "API key", "database", "no host", "bad port", "password", "query", "path"],
)
def test_what_cannot_be_a_server_or_a_key_says_what_to_write(url: str | None, key: str | None, said: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        resolve_server(address(), url, key, {})

    assert "secret" not in str(refused.value)
    assert KEY not in str(refused.value)


def test_a_worker_without_its_server_ends_with_one_line_and_exit_code_3() -> None:
    refused = tenuto("worker", "tests.support.processes.shop:app", "--url", NOWHERE, TENUTO_WORKER_KEY=KEY)

    assert (refused.returncode, refused.stderr.count("\n")) == (3, 1)
    assert KEY not in refused.stderr
