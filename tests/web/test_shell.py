"""What is around every page: login, navigation, search, help, theme."""

from playwright.sync_api import expect

from tests.web.conftest import Dashboard, Open, System


def test_the_link_of_up_logs_an_admin_in_and_logging_out_ends_it(admin: Dashboard) -> None:
    page = admin.page
    expect(page).to_have_url(f"{admin.url}/ui/")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    expect(page.get_by_text("live", exact=True)).to_be_visible()

    page.get_by_role("button", name="Log out").click()

    expect(page.get_by_role("heading", name="Log in to Tenuto")).to_be_visible()
    expect(page.get_by_text("tenuto up --open")).to_be_visible()
    admin.problems[:] = [text for text in admin.problems if "401" not in text]  # the browser logs the refused request


def test_search_help_and_theme_work_by_keyboard(admin: Dashboard) -> None:
    page = admin.visit("/")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()

    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.type("runs")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{admin.url}/ui/runs")

    theme = page.evaluate("document.documentElement.dataset.theme")
    page.get_by_role("button", name="theme").click()
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") != theme


def test_an_unknown_page_says_so_and_a_reader_is_offered_no_changes(system: System, opened: Open) -> None:
    system.run("start", "shop.add", "x=1", "y=2")
    with opened(system.link_for("reader")) as reader:
        page = reader.visit("/nonsense")
        expect(page.get_by_text("There is no page at this address.")).to_be_visible()

        page = reader.visit("/runs")
        expect(page.get_by_role("link", name="shop.add")).to_be_visible()
        expect(page.get_by_role("checkbox")).to_have_count(0)
