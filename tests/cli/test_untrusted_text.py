"""Texts of tasks and tenants on terminals and in logs: nothing is acted on, no line is forged. JSON has them whole."""

import logging
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.text import LineFormatter, indented, one_line, printable
from tests.support.database.tasks import Db, a_worker, call, start
from tests.support.http.both_ways import run_here as tenuto

FORGED = "2026-11-16 00:00:00,000 CRITICAL tenuto.worker all is lost"
EVIL = f"boom\n{FORGED} \x1b[31mred\x1b]0;title\x07\r\x9b2J \u202egnitirw \u2066 \x7f"
ESCAPED = r"\x1b[31mred\x1b]0;title\x07\r\x9b2J \u202egnitirw \u2066 \x7f"


@pytest.mark.parametrize("text", ["", "plain", "Grüße, 東京, 👩\u200d💻", "a\tb"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == one_line(text) == indented(text) == text


def test_what_a_terminal_would_act_on_is_escaped() -> None:
    assert printable(EVIL) == f"boom\n{FORGED} {ESCAPED}"
    assert one_line(EVIL) == f"boom\\n{FORGED} {ESCAPED}"
    assert indented(EVIL) == f"boom\n  {FORGED} {ESCAPED}"


def test_a_log_line_cannot_be_forged() -> None:
    record = logging.LogRecord("tenuto.worker", logging.ERROR, "", 0, "task failed: %s", (EVIL,), None)

    lines = LineFormatter("%(asctime)s %(message)s").format(record).split("\n")

    assert [line.startswith("  ") for line in lines] == [False, True]
    assert all(is_harmless(line) for line in lines)


def test_commands_show_texts_of_tasks_without_what_they_would_do(
    db: Db, database: str, asked: Callable[..., Any]
) -> None:
    (run,) = start(db, {"name": EVIL}, kind={"max_attempts": 1, "type": f"app.{EVIL}"})
    worker = a_worker(db)
    claim = worker.claim_one()
    line = {"task_id": str(run), "attempt": 1, "line_no": 1, "level": "info", "message": EVIL, "fields": {"a": EVIL}}
    call(db, "write_logs", **worker.fence, lines=Jsonb([{**line, "logged_at": "2026-11-16T00:00:00Z"}]))
    worker.fail(claim, error=EVIL)

    for command in (
        ["runs", "show"], ["runs", "logs"], ["runs", "watch"], ["tasks", "show"], ["tasks", "logs"], ["tasks", "tree"],
        ["why"],
    ):  # fmt: skip
        done = tenuto(*command, str(run), TENUTO_DATABASE_URL=database)
        assert is_harmless(done.stdout + done.stderr), command
        assert not [line for line in (done.stdout + done.stderr).split("\n") if line.startswith(FORGED)]
    for command in (["runs", "list"], ["tasks", "list"], ["workers", "list"], ["top", "--once"], ["doctor"]):
        assert is_harmless(tenuto(*command, TENUTO_DATABASE_URL=database).stdout), command
    assert asked("runs", "show", str(run))["error"]["message"] == EVIL


def is_harmless(text: str) -> bool:
    """No control character but newlines, none that turns the direction."""
    return not any(unicodedata.category(one) in ("Cc", "Cf") for one in text if one != "\n")
