"""Text that looks like HTML stays text on every page, wherever a tenant can store it."""

import json
from datetime import UTC, datetime

import psycopg
import pytest
from playwright.sync_api import Page, expect
from psycopg.types.json import Jsonb

from tests.support.database.tasks import DEFAULT_ORG, call
from tests.web.conftest import Dashboard, System

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
SHOWN = HOSTILE[1:]  # JSON writes the quotation mark in another way
ADDED = "img[src='x'], [onerror], script:not([src])"
RUN_TABS = ("graph", "timeline", "tasks", "children", "data", "logs")
TASK_TABS = ("attempts", "data", "steps", "children", "logs")
SHOWING = ("/", "/runs", "/tasks", "/schedules", "/queues", "/workers", "/outbox", "/alerts")
OTHERS = ("/dags", "/datasets", "/events", "/backfills", "/query")


@pytest.fixture
def app() -> str:
    return "tests.support.processes.garden:app"


def store_everywhere(db: psycopg.Connection, system: System) -> str:
    """Store the text in every field that pages show; returns the run that fails with it."""
    system.run("destinations", "set", "crm", "http://127.0.0.1:9/")
    run = {"name": HOSTILE, "metadata": {HOSTILE: HOSTILE}}
    details = [{"task": 0, "name": HOSTILE, "metadata": {HOSTILE: HOSTILE}}]
    kinds = [{"type": "garden.leave_words"}]
    started = {"run": Jsonb(run), "kinds": Jsonb(kinds), "inputs": [Jsonb([HOSTILE])], "details": Jsonb(details)}
    (row,) = call(db, "start_run", org_id=DEFAULT_ORG, **started)
    call(db, "register_worker", org_id=DEFAULT_ORG, worker_id=HOSTILE, labels=[HOSTILE], metadata=Jsonb({"a": HOSTILE}))
    call(
        db,
        "put_schedule",
        org_id=DEFAULT_ORG,
        name=HOSTILE,
        kind=Jsonb({"type": HOSTILE}),
        cron="0 0 1 1 *",
        next_at=datetime(2100, 1, 1, tzinfo=UTC),
        input=Jsonb([HOSTILE]),
    )
    call(db, "put_alert_rule", org_id=DEFAULT_ORG, name=HOSTILE, kind="dead_effects")
    system.run("start", "garden.water", json.dumps(HOSTILE), "--app", "tests.support.processes.garden:app")
    system.run("keys", "create", "--name", HOSTILE, "--permissions", "runs:read")
    system.run("roles", "create", "gardeners", "--display-name", HOSTILE, "--description", HOSTILE)
    system.run("users", "add", "--issuer", "https://id.example", "--subject", HOSTILE, "--name", HOSTILE)
    return str(row["run_id"])


def check_page(page: Page, *, shows: bool) -> None:
    page.get_by_role("heading", level=1).wait_for()
    expect(page.get_by_text("Loading…")).to_have_count(0)
    if shows:
        expect(page.get_by_text(SHOWN).first).to_be_attached()
    assert page.locator(f"body :is({ADDED})").count() == 0, page.url


def test_text_that_looks_like_html_stays_text_on_every_page(
    db: psycopg.Connection, admin: Dashboard, system: System
) -> None:
    admin.page.on("dialog", lambda dialog: admin.problems.append(f"dialog: {dialog.message}"))
    run_id = store_everywhere(db, system)
    page = admin.visit(f"/runs/{run_id}?tab=logs")
    expect(page.get_by_text("failed").first).to_be_visible()

    for path in SHOWING:
        check_page(admin.visit(path), shows=True)
    for path in OTHERS:
        check_page(admin.visit(path), shows=False)
    for tab in ("users", "keys", "audit"):
        check_page(admin.visit(f"/admin?tab={tab}"), shows=True)
    for tab in RUN_TABS:
        check_page(admin.visit(f"/runs/{run_id}?tab={tab}"), shows=True)
    for tab in TASK_TABS:
        check_page(admin.visit(f"/tasks/{run_id}?tab={tab}"), shows=True)
    page = admin.visit("/workers")
    page.get_by_role("link", name=HOSTILE).click()
    check_page(page, shows=True)
    page.keyboard.press("Control+k")
    page.keyboard.type(HOSTILE[:12])
    expect(page.get_by_role("option").filter(has_text=SHOWN).first).to_be_visible()
    assert page.locator(f"body :is({ADDED})").count() == 0
