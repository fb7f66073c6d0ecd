"""The editors complete by keyboard: DAG documents by their schema and names, SELECTs by datasets and columns."""

import re

import pytest
from playwright.sync_api import expect

from tests.web.conftest import Dashboard, System

BEGUN = "version: 1\nname: other\njobs:\n  - name: a\n    "


@pytest.fixture
def system(orders: System) -> System:
    return orders


def test_keys_values_and_names_of_a_document_are_completed(admin: Dashboard) -> None:
    page = admin.visit("/dags/orders?tab=yaml")
    editor = page.get_by_label("YAML of the DAG")
    options = page.get_by_role("listbox", name="Suggestions").get_by_role("option")
    editor.fill(BEGUN)
    expect(options).to_have_count(0)
    editor.press_sequentially("activ")
    expect(options).to_have_count(1)
    page.keyboard.press("Enter")
    expect(editor).to_have_value(f"{BEGUN}activation: ")
    page.keyboard.press("Control+Space")
    expect(options).to_have_text(["source", "reactive"])
    page.keyboard.press("ArrowDown")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    assert editor.get_attribute("aria-activedescendant") == options.nth(1).get_attribute("id")
    assert admin.barriers() == []
    page.keyboard.press("Tab")
    expect(editor).to_have_value(f"{BEGUN}activation: reactive")

    page.keyboard.press("Enter")
    editor.press_sequentially("    inputs:")
    page.keyboard.press("Enter")
    editor.press_sequentially("      - from: {dataset: orders_r")
    expect(options).to_have_text([re.compile("orders_raw")])
    page.keyboard.press("Escape")
    expect(options).to_have_count(0)
    expect(editor).to_be_focused()
    page.keyboard.press("Control+Space")
    options.first.click()
    expect(editor).to_have_value(re.compile(r"from: \{dataset: orders_raw$"))
    admin.problems[:] = [text for text in admin.problems if "422" not in text]  # the browser logs unfinished documents


def test_a_changed_document_is_kept_until_it_is_discarded(admin: Dashboard) -> None:
    page = admin.visit("/dags/orders?tab=yaml")
    editor = page.get_by_label("YAML of the DAG")
    document = editor.input_value()
    editor.fill(document + "# mine\n")
    assert editor.evaluate("area => area.scrollHeight - area.clientHeight") == 0  # it scrolls with its line numbers

    page.get_by_role("tab", name="Versions").click()
    page.get_by_role("tab", name="Editor").click()
    expect(editor).to_have_value(document + "# mine\n")
    page.reload()
    expect(editor).to_have_value(document + "# mine\n")

    page.get_by_role("button", name="Discard changes").click()
    expect(editor).to_have_value(document)
    page.reload()
    expect(editor).to_have_value(document)
    expect(page.get_by_role("button", name="Discard changes")).to_have_count(0)


def test_datasets_columns_and_keywords_of_a_query_are_completed(admin: Dashboard) -> None:
    page = admin.visit("/query")
    editor = page.get_by_label("SQL")
    options = page.get_by_role("listbox", name="Suggestions").get_by_role("option")
    expect(page.get_by_role("button", name="orders_daily")).to_be_visible()
    editor.press_sequentially("sel")
    page.keyboard.press("Enter")
    editor.press_sequentially(" * from orders_d")
    expect(options).to_have_text([re.compile("orders_daily")])
    with page.expect_response(re.compile("/v1/jobs/orders/daily")):  # sent as soon as the text names the dataset
        page.keyboard.press("Enter")
        editor.press_sequentially(" d ")
    editor.press_sequentially("where d.reg")
    expect(options).to_have_text([re.compile("column of orders_daily")])
    page.keyboard.press("Enter")
    expect(editor).to_have_value("select * from orders_daily d where d.region")
