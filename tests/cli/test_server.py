"""`tenuto server`, as a person starts it."""

import re

import httpx2

from tests.support.processes.command_line import running, running_from_start, tenuto
from tests.support.waiting import wait_until

PEPPER = "cGVwcGVycGVwcGVycGVwcGVycGVwcGVycGVwcGVycGVwcGVy"


def test_a_database_of_others_needs_a_pepper(database: str) -> None:
    refused = tenuto("server", "--port", "0", TENUTO_DATABASE_URL=database)

    assert refused.returncode == 2
    assert "TENUTO_PEPPER is not set" in refused.stderr
    assert "openssl rand -base64 32" in refused.stderr


def test_each_of_several_processes_writes_whom_it_refused(database: str) -> None:
    where = {"TENUTO_DATABASE_URL": database, "TENUTO_PEPPER": PEPPER}
    with running_from_start("server", "--port", "0", "--processes", "2", ready="listening at", **where) as server:
        (url,) = re.findall(r"listening at (http://[\d.:]+)", server.said())
        refused = httpx2.get(f"{url}/v1/runs", timeout=60).json()
        wait_until(lambda: refused["request_id"] in server.said())
        written = server.said()

    line = " INFO tenuto.server GET /v1/runs 401 unauthorized by an unauthenticated client"
    assert f"{line}, request {refused['request_id']}\n" in written
    assert "error" not in written


def test_a_server_that_starts_and_stops_names_no_errors(database: str) -> None:
    where = {"TENUTO_DATABASE_URL": database, "TENUTO_PEPPER": PEPPER}
    with running("server", "--port", "0", ready="listening at", **where) as server:
        (url,) = re.findall(r"listening at (http://[\d.:]+)", server.said())
        assert httpx2.get(f"{url}/healthz", timeout=60).status_code == 200
        assert server.stop() == 0
        written = server.said()

    assert "error" not in written
    assert "server process" not in written
