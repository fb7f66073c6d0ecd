"""The port of `tenuto up`."""

import logging
import socket

import pytest

from tenuto.cli.processes import up_server


def test_a_port_that_is_taken_is_named_with_the_one_used_instead(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_server((up_server.HOST, 0)) as other, caplog.at_level(logging.WARNING):
        taken = other.getsockname()[1]
        monkeypatch.setattr(up_server, "PORT", taken)

        with up_server.listen(None) as found:
            port = found.getsockname()[1]

    assert port != taken
    assert caplog.messages == [f"port {taken} is taken: using port {port} instead (--port sets one)"]
