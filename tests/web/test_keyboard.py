"""The keyboard in lists: keys belong to the control with the focus, then to one list, and stay with their row."""

import json

from playwright.sync_api import expect

from tests.web.conftest import Dashboard, System


def test_enter_on_a_button_or_link_is_left_to_it(admin: Dashboard, system: System) -> None:
    run_id = json.loads(system.run("start", "shop.add", "x=1", "y=2", "--json"))["id"]
    page = admin.visit("/runs?type=shop.add")
    expect(page.get_by_role("link", name="shop.add")).to_be_visible()

    page.get_by_role("button", name="Clear filters").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{admin.url}/ui/runs")

    page.get_by_role("link", name="shop.add").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{admin.url}/ui/runs/{run_id}")


def test_the_marked_row_stays_marked_when_a_new_one_comes(admin: Dashboard, system: System) -> None:
    first = json.loads(system.run("start", "shop.add", "x=1", "y=2", "--json"))["id"]
    page = admin.visit("/runs")
    expect(page.get_by_role("link", name="shop.add")).to_be_visible()
    page.keyboard.press("j")

    system.run("start", "shop.tell", "words=hello")
    expect(page.get_by_role("link", name="shop.tell")).to_be_visible()

    expect(page.locator("tr[data-active=true]")).to_contain_text("shop.add")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{admin.url}/ui/runs/{first}")


def test_of_several_lists_the_keys_move_in_the_one_with_the_focus(admin: Dashboard) -> None:
    page = admin.visit("/workers")
    dispatchers = page.get_by_role("region", name="Dispatchers")
    expect(dispatchers.get_by_role("row")).to_have_count(2)
    workers = page.get_by_role("region", name="Workers", exact=True)
    expect(workers.get_by_role("row")).to_have_count(2)

    page.keyboard.press("j")
    expect(page.locator("tr[data-active=true]")).to_have_count(1)
    expect(workers.locator("tr[data-active=true]")).to_have_count(1)

    dispatchers.focus()
    page.keyboard.press("j")
    expect(dispatchers.locator("tr[data-active=true]")).to_have_count(1)
