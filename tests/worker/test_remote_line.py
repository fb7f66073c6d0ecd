"""A lane's line over HTTP: what it sends, what it makes of answers, and of those that do not come."""

import json
import threading
from collections.abc import Iterator
from uuid import uuid4

import pytest

from tenuto.db.connection.errors import Away, Unreachable
from tenuto.model.backoff import Backoff
from tenuto.model.errors import TooLarge
from tenuto.model.tasks import ClaimedRow, Row
from tenuto.worker.backends.http_claims import ENDED, HttpClaimChannel
from tenuto.worker.backends.http_connection import ServerAddress
from tests.support.http.stub_server import StubServer, a_stub_server
from tests.support.waiting import wait_until

NOTHING = b'{"tasks": [], "rejected_reports": [], "session_ended": false, "heartbeat_now": false}'


@pytest.fixture
def site() -> Iterator[StubServer]:
    with a_stub_server() as found:
        found.answer = (200, NOTHING)
        yield found


@pytest.fixture
def line(site: StubServer) -> Iterator[HttpClaimChannel]:
    line = HttpClaimChannel(ServerAddress(site.url, "tnw_secret"), ["shop.send", "shop.pack"], "vip")
    line.serve(7, "token", [0, 1])
    yield line
    line.close()


def claim(line: HttpClaimChannel) -> list[Row]:
    return line.exchange([], [], None, claim_no=1, limit=10)


def problem(status: int, code: str) -> tuple[int, bytes]:
    return status, json.dumps({"code": code, "detail": "said so", "status": status}).encode()


def test_reports_and_claims_are_one_request_with_outputs_as_they_are(site: StubServer, line: HttpClaimChannel) -> None:
    line.exchange(["a", "b"], [1, 2], ['{"x": [1.50, "é"]}', None], claim_no=3, limit=10)

    assert json.loads(site.bodies[0]) == {
        "session_id": 7,
        "token": "token",
        "claim_no": 3,
        "limit": 10,
        "types": ["shop.send", "shop.pack"],
        "resource_group": "vip",
        "reports": [
            {"task_id": "a", "attempt": 1, "output": {"x": [1.5, "é"]}},
            {"task_id": "b", "attempt": 2, "output": None},
        ],
    }


def test_claimed_tasks_are_rows_as_from_the_database(site: StubServer, line: HttpClaimChannel) -> None:
    task_id, run_id = str(uuid4()), str(uuid4())
    task = {"task_id": task_id, "attempt": 2, "run_id": run_id, "type": "shop.pack", "input": {"a": "é"}}
    task |= {"slots": None, "timeout_seconds": 1.5, "metadata": {"k": 1}, "idempotency_key": "first"}
    refused = {"task_id": "x", "attempt": 1, "result": "stale_lease"}
    answer = {"tasks": [task], "rejected_reports": [refused], "session_ended": True, "heartbeat_now": False}
    site.answer = (200, json.dumps(answer).encode())

    late, claimed, ended = claim(line)

    assert late[:3] == ("stale_lease", "x", 1)
    assert ClaimedRow(*claimed) == ClaimedRow(None, task_id, 2, run_id, 1, '{"a":"é"}', None, 1.5, '{"k":1}', "first")
    assert ended == ENDED


def test_one_connection_carries_many_trips(site: StubServer, line: HttpClaimChannel) -> None:
    for _ in range(3):
        claim(line)

    assert site.connections == 1


def test_a_connection_that_the_other_side_closed_is_opened_anew(site: StubServer, line: HttpClaimChannel) -> None:
    site.hangs_up = True
    claim(line)
    wait_until(lambda: site.closed)

    assert claim(line) == []
    assert site.connections == 2


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((502, b"<html>bad gateway</html>"), "responded with 502"),
        ((404, b"<html>no such page</html>"), "check the address"),
        ((200, b"<html>please log in</html>"), "does not respond with JSON"),
        (problem(503, "unavailable"), "said so"),
        (problem(401, "unauthorized"), "said so"),
        (problem(429, "rate_limited"), "said so"),
    ],
)
def test_what_may_pass_by_itself_is_tried_again(
    site: StubServer, line: HttpClaimChannel, answer: tuple[int, bytes], said: str
) -> None:
    site.answer = answer

    with pytest.raises(Unreachable, match=said.replace("?", r"\?")) as refused:
        claim(line)
    assert "tnw_secret" not in str(refused.value)


@pytest.mark.parametrize("answer", [problem(503, "unavailable"), (502, b"Bad Gateway"), None])
def test_a_server_that_is_away_is_tried_at_a_steady_pace_and_at_once_when_it_is_back(
    site: StubServer, line: HttpClaimChannel, answer: tuple[int, bytes] | None
) -> None:
    backoff = Backoff(5.0)
    if answer is None:
        site.shutdown()
        site.socket.close()
    else:
        site.answer = answer
    for _ in range(8):
        with pytest.raises(Away) as away:
            claim(line)
        assert backoff.after(away.value) < 0.1
    if answer is not None:
        site.answer = (200, NOTHING)
        assert claim(line) == []


def test_a_question_that_took_too_long_says_nothing_about_the_server(site: StubServer, line: HttpClaimChannel) -> None:
    site.answer = problem(503, "timeout")

    with pytest.raises(Unreachable) as slow:
        claim(line)

    assert not isinstance(slow.value, Away)


def test_what_the_kernel_refuses_is_the_error_that_sql_raises(site: StubServer, line: HttpClaimChannel) -> None:
    site.answer = problem(413, "too_large")

    with pytest.raises(TooLarge, match="said so"):
        claim(line)


@pytest.mark.parametrize("code", ["session_ended", "not_found"])
def test_a_session_that_is_not_ours_any_more_has_ended(site: StubServer, line: HttpClaimChannel, code: str) -> None:
    site.answer = problem(404 if code == "not_found" else 409, code)

    assert claim(line) == [ENDED]


def test_a_trip_without_an_answer_can_be_cut(site: StubServer, line: HttpClaimChannel) -> None:
    site.released.clear()
    failed: list[Exception] = []

    def trip() -> None:
        try:
            claim(line)
        except Exception as problem:
            failed.append(problem)

    thread = threading.Thread(target=trip)
    thread.start()
    wait_until(lambda: site.bodies)
    line.cut()
    thread.join(60)

    assert isinstance(failed[0], Unreachable)
