"""Private parts of libraries still exist as they are used; pyproject.toml has an upper bound for each library."""

import ast
import inspect
import re
import tomllib
from pathlib import Path
from textwrap import dedent

import psycopg
from psycopg import generators
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from starlette.middleware.gzip import GZipResponder, IdentityResponder
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

ROOT = Path(__file__).parents[2]
BOUNDED = ("psycopg", "starlette", "uvicorn")


def parameters(function: object) -> list[str]:
    parameters = inspect.signature(function).parameters  # pyright: ignore[reportArgumentType]
    return [name for name in parameters if name != "self"]


def assigned(function: object) -> set[str]:
    """The attributes of self that a method sets."""
    tree = ast.parse(dedent(inspect.getsource(function)))  # pyright: ignore[reportArgumentType]
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}


def test_each_library_whose_private_parts_are_used_has_an_upper_bound() -> None:
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]

    for library in BOUNDED:
        (bound,) = (text for text in dependencies if re.split(r"[\[>=<]", text)[0] == library)
        assert "<" in bound, f"{bound} has no upper bound"


def test_slow_clients_extends_the_protocol_of_uvicorn() -> None:
    assert parameters(H11Protocol.connection_made) == ["transport"]
    assert parameters(H11Protocol.data_received) == ["data"]
    assert parameters(H11Protocol.connection_lost) == ["exc"]
    assert parameters(H11Protocol.send_400_response) == ["msg"]
    assert {"cycle", "app_state", "loop"} <= assigned(H11Protocol.__init__)
    assert {"flow", "client", "transport"} <= assigned(H11Protocol.connection_made)
    assert {"response_started", "response_complete", "more_body"} <= assigned(RequestResponseCycle.__init__)
    assert "read_paused" in assigned(FlowControl.__init__)


def test_compression_drives_the_responder_of_starlette() -> None:
    assert parameters(GZipResponder.__init__)[:2] == ["app", "minimum_size"]
    assert parameters(GZipResponder.send_with_compression) == ["message"]
    assert "send" in assigned(IdentityResponder.__init__)


def test_statements_are_sent_through_the_generators_of_psycopg() -> None:
    assert parameters(generators.execute)[:1] == ["pgconn"]
    assert parameters(psycopg.AsyncConnection.wait)[:1] == ["gen"]
    assert "lock" in assigned(psycopg.AsyncConnection.__init__)
    assert parameters(error_from_result)[:1] == ["result"]


def test_claims_read_their_rows_with_the_transformer_of_psycopg() -> None:
    assert parameters(Transformer.load_rows) == ["row0", "row1", "make_row"]
    assert parameters(Transformer.set_pgresult)[:1] == ["result"]
