"""Journeys over several pages: children and retries of runs, signals, limits, all runs of a filter, roles."""

import re

import pytest
from playwright.sync_api import expect

from tests.web.conftest import Dashboard, System


@pytest.fixture
def app() -> str:
    return "tests.support.processes.garden:app"


def test_a_run_lists_its_children_and_starts_again_from_a_task_of_its_graph(admin: Dashboard, system: System) -> None:
    system.run("start", "garden.plant", '["rose", "oak"]', "--wait")
    page = admin.visit("/runs")
    page.get_by_role("link", name="garden.plant").click()
    page.get_by_role("tab", name="Children").click()
    children = page.get_by_role("region", name="Children")
    expect(children.get_by_role("link", name="garden.grow")).to_have_count(2)
    expect(children.get_by_role("link", name="garden.plant")).to_have_count(2)
    expect(children.get_by_text("completed")).to_have_count(2)

    page.get_by_role("tab", name="Graph").click()
    page.get_by_role("region", name="Graph of the run").get_by_text("garden.plant").click()
    first = page.url
    selected = page.get_by_role("region", name="Selected task")
    expect(selected.get_by_role("link", name="garden.plant")).to_be_visible()
    selected.get_by_role("button", name="Retry from here").click()
    page.get_by_role("dialog").get_by_role("button", name="Retry from here").click()
    expect(page.get_by_text("The run starts again from this task.")).to_be_visible()
    expect(page).not_to_have_url(re.compile(re.escape(first.split("?")[0])))
    expect(page.get_by_text("3 / 3")).to_be_visible()


def test_a_signal_ends_a_wait_and_all_runs_of_a_filter_are_cancelled(admin: Dashboard, system: System) -> None:
    for _ in range(3):
        system.run("start", "garden.ask")
    page = admin.visit("/runs?type=garden.ask")
    expect(page.get_by_role("row")).to_have_count(4)
    page.get_by_role("link", name="garden.ask").first.click()
    expect(page.get_by_text("Signal answer (object) until ")).to_be_visible()
    page.get_by_role("button", name="Send a signal").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Signal")).to_have_value("answer")
    expect(dialog.get_by_label("Value as JSON")).to_have_attribute("placeholder", "object")
    dialog.get_by_label("Value as JSON").fill('"no trees"')
    dialog.get_by_role("button", name="Send the signal").click()
    expect(page.get_by_text("signal answer: the value: is a text, not an object")).to_be_visible()
    dialog.get_by_label("Signal").select_option(label="Another signal, for which no task waits")
    expect(dialog).to_contain_text("No task of the run waits for this signal now.")
    dialog.get_by_label("Signal").select_option(value="answer")
    dialog.get_by_label("Value as JSON").fill("{")
    dialog.get_by_role("button", name="Send the signal").click()
    expect(page.get_by_text("The value is not JSON")).to_be_visible()
    dialog.get_by_label("Value as JSON").fill('{"trees": 42}')
    dialog.get_by_role("button", name="Send the signal").click()
    expect(page.get_by_text("The signal answer is sent.")).to_be_visible()
    admin.problems[:] = [text for text in admin.problems if "422" not in text]  # the browser logs the refused value
    page.get_by_role("tab", name="Data").click()
    expect(page.locator("pre", has_text="42")).to_be_visible()

    page = admin.visit("/runs?type=garden.ask")
    page.get_by_role("button", name="running", exact=True).click()
    page.get_by_role("button", name="Cancel all 2 running").click()
    expect(page.get_by_role("dialog")).to_contain_text("A cancelled run can be retried.")
    page.get_by_role("button", name="Cancel them all").click()
    expect(page.get_by_text("2 runs cancelled.")).to_be_visible()
    page = admin.visit("/runs?type=garden.ask")
    expect(page.get_by_role("row").filter(has_text="cancelled")).to_have_count(2)
    expect(page.get_by_role("row").filter(has_text="completed")).to_have_count(1)


def test_a_limit_is_set_changed_and_reset_and_a_role_gets_a_member(admin: Dashboard, system: System) -> None:
    system.run("start", "garden.water", "place=east", "--app", "tests.support.processes.garden:app", "--wait")
    admin.refresh_often()
    page = admin.visit("/queues")
    limits = page.get_by_role("region", name="Limits")
    expect(limits.get_by_text("0 of 2")).to_be_visible()
    limits.get_by_role("button", name="Change").click()
    page.get_by_label("Tasks at a time").fill("5")
    page.get_by_role("button", name="Set the limit").click()
    expect(limits.get_by_text("0 of 5")).to_be_visible()
    limits.get_by_role("button", name="Reset").click()
    page.get_by_role("button", name="Reset the limit").click()
    expect(page.get_by_text("The limit is reset.")).to_be_visible()

    system.run("users", "add", "--issuer", "https://id.example", "--subject", "ada", "--name", "Ada")
    system.run("roles", "create", "gardeners")
    page = admin.visit("/admin")
    page.get_by_role("button", name="Members").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("The role has no members.")).to_be_visible()
    dialog.get_by_label("Add a user").select_option("Ada")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(dialog.get_by_role("listitem").get_by_text("Ada")).to_be_visible()
    expect(page.get_by_role("region", name="Users").get_by_text("gardeners", exact=True)).to_have_count(1)
    dialog.get_by_role("button", name="Remove Ada").click()
    expect(dialog.get_by_text("The role has no members.")).to_be_visible()
