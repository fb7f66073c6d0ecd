"""Pages of one thing (a run, task, DAG, dataset, worker, backfill), and lists with rows: axe, keyboard, roles."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.waiting import wait_until
from tests.web.conftest import Dashboard, Open, System

CHANGES = re.compile("^(Cancel|Retry|Pause|Resume|Trigger|Cut|Roll|Start|Silence|Create|Drain|Delete|Set|Send)")


@pytest.fixture
def system(orders: System) -> System:
    orders.run("alerts", "set", "late", "dataset_age", "--target", "orders_raw", "--seconds", "60")
    orders.run("pools", "set", "gpu", "provider=local", "max=1", "queues=nothing")
    return orders


def paths_of_things(system: System) -> list[str]:
    task = json.loads(system.run("tasks", "list", "--json", "--limit", "1"))["tasks"][0]
    worker = json.loads(system.run("workers", "list", "--json"))["workers"][0]["id"]
    orders = ("orders_daily", "--partition", "2026-11-15", "--reprocess", "all", "--json")
    backfill = json.loads(system.run("backfill", "start", *orders))["id"]
    run, dag, dataset = f"/runs/{task['run_id']}", "/dags/orders", "/datasets/orders_daily"
    return [
        *(f"{run}?tab={tab}" for tab in ("graph", "timeline", "tasks", "data", "logs", "children")),
        f"/tasks/{task['id']}",
        *(f"{dag}?tab={tab}" for tab in ("graph", "jobs", "versions", "yaml", "history")),
        *(f"{dataset}?tab={tab}" for tab in ("partitions", "versions", "schema", "lineage", "readers")),
        f"/workers/{worker}",
        "/workers?pool=gpu",
        f"/backfills/{backfill}",
        "/backfills",
        "/schedules",
        "/alerts",
        "/events",
    ]


def test_axe_finds_nothing_serious_on_the_page_of_one_thing(admin: Dashboard, system: System) -> None:
    found = {}
    for number, path in enumerate(paths_of_things(system)):
        admin.page.evaluate(f"localStorage.setItem('tenuto-theme', '{('light', 'dark')[number % 2]}')")
        admin.visit(path)
        found[path] = admin.barriers()
        admin.page.keyboard.press("?")
        expect(admin.page.get_by_role("dialog", name="Keyboard")).to_be_visible()
        admin.page.keyboard.press("Escape")

    assert {path: problems for path, problems in found.items() if problems} == {}


DIALOGS = (
    ("/runs", "Start a run"), ("/runs?type=x", "Save as view"), ("/schedules", "Create a schedule"),
    ("/backfills", "Start a backfill"), ("/alerts", "Create a rule"), ("/queues", "Set a limit"), ("/queues", "Pause"),
    ("/admin", "Create a user"), ("/admin", "Create a role"), ("/admin?tab=keys", "Create a key"),
    ("/dags/orders", "Delete"), ("/dags/orders?tab=jobs", "Trigger"), ("/datasets/orders_daily", "Start a backfill"),
)  # fmt: skip


def test_axe_finds_nothing_serious_in_dialogs(admin: Dashboard) -> None:
    found = {}
    for number, (path, button) in enumerate(DIALOGS):
        admin.page.evaluate(f"localStorage.setItem('tenuto-theme', '{('light', 'dark')[number % 2]}')")
        page = admin.visit(path)
        page.get_by_role("main").get_by_role("button", name=button, exact=True).first.click()
        expect(page.get_by_role("dialog")).to_be_visible()
        found[path, button] = admin.barriers()

    assert {where: problems for where, problems in found.items() if problems} == {}


def test_a_reader_is_offered_no_change_on_the_page_of_one_thing(system: System, opened: Open) -> None:
    paths = [path for path in paths_of_things(system) if "/datasets/" not in path]  # only admins read these datasets
    with opened(system.link_for("reader"), width=390) as reader:
        for path in paths:
            page = reader.visit(path)
            page.get_by_role("heading", level=1).wait_for()
            expect(page.get_by_text("Loading…")).to_have_count(0)
            expect(page.get_by_role("main").get_by_role("button", name=CHANGES)).to_have_count(0)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_the_page_of_a_task_names_its_job_and_partition(admin: Dashboard, system: System) -> None:
    def tasks() -> list[dict[str, Any]]:
        return json.loads(system.run("tasks", "list", "--json", "--type", "tenuto.sql"))["tasks"]

    wait_until(tasks)  # the job runs once the data that it reads is there
    task = tasks()[0]

    page = admin.visit(f"/tasks/{task['id']}")

    expect(page.get_by_role("heading", level=1, name="orders / daily")).to_be_visible()
    expect(page.get_by_text(task["partition"], exact=True)).to_be_visible()
    page.get_by_role("link", name="orders / daily, version").click()
    expect(page).to_have_url(re.compile("/dags/orders"))
