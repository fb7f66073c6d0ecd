"""Pages of data on a running system: DAGs, datasets, lineage, events, backfills, queries, alerts, search."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.waiting import wait_until
from tests.web.conftest import Dashboard, Open, System

CHANGES = re.compile("^(Pause|Trigger|Cut|Roll|Start|Silence|Create)")
PAYLOAD = "<img src=x onerror=\"document.title='broken'\">"


@pytest.fixture
def system(orders: System) -> System:
    return orders


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()


def is_computed(system: System, partition: str) -> bool:
    """Whether the last job has published this partition and no task is open: then the DAG can be deleted."""
    statuses = [option for status in ("pending", "queued", "running", "retrying") for option in ("--status", status)]
    published = system.run("datasets", "partitions", "orders_daily")
    return partition in published and not json.loads(system.run("tasks", "list", "--json", *statuses))["tasks"]


def test_a_version_is_written_planned_deployed_cut_over_and_rolled_back(admin: Dashboard, system: System) -> None:
    admin.refresh_often()
    page = admin.visit("/dags")
    page.get_by_role("link", name="orders").click()
    graph = page.get_by_role("region", name="Graph of the DAG")
    expect(graph.get_by_text("orders_daily")).to_be_visible()

    tab(page, "Editor")
    editor = page.get_by_label("YAML of the DAG")
    document = editor.input_value()
    editor.fill(document.replace("jobs:\n", "jbos:\n"))
    expect(page.get_by_role("alert").get_by_text("did you mean jobs?")).to_be_visible()
    expect(page.get_by_role("button", name="Deploy")).to_be_disabled()
    editor.fill(document.replace("sum(total) as total", "max(total) as total").replace("The orders", PAYLOAD))
    expect(page.get_by_text("changes config")).to_be_visible()
    page.get_by_role("button", name="Deploy").click()
    expect(page.get_by_role("dialog")).to_contain_text("computed beside the current version: daily")
    page.get_by_role("button", name="Deploy the version").click()

    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="From version 1 to 2")).to_be_visible()
    lines = page.get_by_role("region", name="Lines that differ")
    expect(lines.get_by_text("sum(total) as total")).to_be_visible()
    expect(lines.get_by_text("max(total) as total")).to_be_visible()
    expect(lines.get_by_text("no_refunds")).to_have_count(0)  # far from every change
    page.get_by_role("button", name="Cut over").click()
    expect(page.get_by_role("dialog")).to_contain_text("orders_daily (rebuilt)")
    expect(page.get_by_role("dialog")).to_contain_text("Roll back to version 1")
    page.get_by_role("dialog").get_by_role("button", name="Cut over").click()
    expect(page.get_by_text("Version 2 is current.")).to_be_visible()
    page.get_by_role("button", name="Roll back").click()
    page.get_by_role("dialog").get_by_role("button", name="Roll back").click()
    expect(page.get_by_text("Version 1 is current.")).to_be_visible()
    tab(page, "History")
    expect(page.get_by_role("table").get_by_text("rollback")).to_be_visible()

    tab(page, "Jobs")
    row = page.get_by_role("row").filter(has_text="extract")
    row.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Pause the job").click()
    expect(row.get_by_text("paused")).to_be_visible()
    row.get_by_role("button", name="Resume").click()
    row.get_by_role("button", name="Trigger").click()
    page.get_by_label("Partitions").fill("2026-11-17")
    page.get_by_role("button", name="Trigger the job").click()
    expect(page.get_by_text("extract started a task.")).to_be_visible()
    assert page.title() == "orders · Tenuto"
    wait_until(lambda: is_computed(system, "2026-11-17"))
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("orders_daily")
    page.get_by_role("button", name="Keep as it is").click()
    admin.problems[:] = [text for text in admin.problems if "422" not in text]  # the browser logs the refused document


def test_a_dataset_shows_its_data_and_is_computed_again(admin: Dashboard, system: System) -> None:
    admin.refresh_often()
    page = admin.visit("/datasets")
    page.get_by_role("link", name="orders_daily").click()
    expect(page.get_by_role("table").get_by_text("1 of 1 passed")).to_be_visible()
    system.run("jobs", "trigger", "orders", "extract", "--partition", "2026-11-17")
    expect(page.get_by_label("Partition 2026-11-17")).to_be_visible()
    page.get_by_label("Partition 2026-11-15").click()
    expect(page.get_by_text("every_region")).to_be_visible()
    tab(page, "Schema and checks")
    page.get_by_role("link", name="total").click()
    lineage = page.get_by_role("region", name="Lineage")
    expect(lineage.get_by_text("orders_raw · orders").first).to_be_visible()
    tab(page, "Readers")
    expect(page.get_by_text("No job has read this version yet.")).to_be_visible()
    tab(page, "Preview")
    page.get_by_role("link", name="open in the query console").click()

    page.get_by_label("SQL").fill("select region, sum(orders) as orders from orders_daily group by region order by 1")
    page.get_by_role("button", name="Run Ctrl").click()
    result = page.get_by_role("region", name="Result")
    expect(result.get_by_role("cell", name="asia")).to_be_visible()
    expect(page.get_by_text("orders_daily of orders@1")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export CSV").click()
    assert download.value.path().read_text().splitlines()[0] == "region,orders"

    page = admin.visit("/backfills")
    page.get_by_role("button", name="Start a backfill").click()
    for label, text in {
        "Dataset": "orders_daily",
        "First partition": "2026-11-15",
        "Last partition": "2026-11-15",
    }.items():
        page.get_by_role("dialog").get_by_label(label).fill(text)
    page.get_by_label("Compute").select_option("all")
    page.get_by_label("Reason").fill(PAYLOAD)
    page.get_by_role("button", name="Count").click()
    expect(page.get_by_text("1 partitions: 1 start")).to_be_visible()
    page.get_by_role("button", name="Start the backfill").click()
    expect(page.get_by_role("heading", name="Backfill of orders_daily")).to_be_visible()
    expect(page.get_by_text(PAYLOAD)).to_be_visible()
    expect(page.get_by_text("Every task completed.")).to_be_visible()

    page = admin.visit("/events?dataset=orders_raw")
    page.get_by_role("row").nth(1).get_by_text("2026-11-17").click()
    expect(page.get_by_role("region", name="Reactions").get_by_text("triggered")).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("orders_da")
    page.get_by_role("option", name="orders_daily").click()
    expect(page).to_have_url(f"{admin.url}/ui/datasets/orders_daily")


def test_the_tasks_of_a_job_are_shown(admin: Dashboard, system: System) -> None:
    wait_until(lambda: is_computed(system, "2026-11-15"))
    page = admin.visit("/dags/orders?tab=jobs")
    page.get_by_role("link", name="extract").click()
    expect(page).to_have_url(re.compile(r"/ui/tasks\?job=orders(/|%2F)extract$"))
    tasks = page.get_by_role("table")
    expect(tasks.get_by_role("link", name="orders/extract")).to_have_count(1)
    expect(tasks.get_by_role("link", name="orders/daily")).to_have_count(0)

    page.get_by_label("Job", exact=True).fill("orders/daily")
    expect(tasks.get_by_role("link", name="orders/daily")).to_have_count(1)
    page.get_by_label("Job", exact=True).fill("orders/dail")
    expect(page.get_by_text("did you mean orders/daily")).to_be_visible()
    admin.problems[:] = [text for text in admin.problems if "404" not in text]  # the browser logs the unknown job


def test_alerts_are_acknowledged_and_a_reader_is_offered_no_change(system: System, opened: Open) -> None:
    with opened(system.admin_link) as admin:
        page = admin.visit("/alerts")
        page.get_by_role("button", name="Create a rule").click()
        page.get_by_role("dialog").get_by_label("Name").fill(PAYLOAD)
        page.get_by_label("Fires if").select_option("dataset_age")
        page.get_by_label("Dataset", exact=True).fill("orders_raw")
        page.get_by_role("button", name="Create the rule").click()
        expect(page.get_by_role("cell", name="orders_raw has no commit for 1 h")).to_be_visible()
        page.get_by_role("button", name="Silence for 1 h").click()
        expect(page.get_by_text("silenced", exact=True)).to_be_visible()
        assert page.title() == "Alerts · Tenuto"
    with opened(system.link_for("reader"), width=390) as reader:
        for path in ("/dags/orders?tab=jobs", "/dags/orders?tab=versions", "/backfills", "/alerts", "/schedules"):
            page = reader.visit(path)
            page.get_by_role("heading", level=1).wait_for()
            expect(page.get_by_text("Loading…")).to_have_count(0)
            offered = page.get_by_role("main").get_by_role("button", name=CHANGES)
            expect(offered).to_have_count(0)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
