"""What a role may not do is not offered to it, action by action, and the API refuses it."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import Dashboard, Open, System

ROLES = ("reader", "writer", "admin")
LEAST = json.loads((Path(__file__).parents[1] / "server" / "matrix.json").read_text())["routes"]
REFUSED = """async ([method, path]) => {
  const me = await (await fetch("/auth/me")).json();
  const headers = {"X-CSRF-Token": me.csrf_token, "Content-Type": "application/json"};
  return (await fetch(path, {method, headers, body: "{}"})).status;
}"""


@dataclass(frozen=True)
class Action:
    page: str
    button: str
    route: str
    path: str  # as the route has it for one thing

    def is_for(self, role: str) -> bool:
        return ROLES.index(role) >= ROLES.index(LEAST[self.route])


ACTIONS = (
    Action("/runs", "Start a run", "POST /v1/runs", "/v1/runs"),
    Action("/dags", "Write a DAG", "POST /v1/dags/{name}/versions", "/v1/dags/orders/versions"),
    Action("/dags/orders?tab=yaml", "Deploy", "POST /v1/dags/{name}/versions", "/v1/dags/orders/versions"),
    Action("/dags/orders", "Delete", "DELETE /v1/dags/{name}", "/v1/dags/orders"),
    Action("/dags/orders?tab=jobs", "Trigger", "POST /v1/jobs/{dag}/{name}/trigger", "/v1/jobs/orders/extract/trigger"),
    Action("/dags/orders?tab=jobs", "Pause", "POST /v1/jobs/{dag}/{name}/pause", "/v1/jobs/orders/extract/pause"),
    Action("/backfills", "Start a backfill", "POST /v1/backfills", "/v1/backfills"),
    Action("/queues", "Pause", "POST /v1/queues/{name}/pause", "/v1/queues/default/pause"),
    Action("/queues", "Set a limit", "PUT /v1/limits/{scope}/{key}", "/v1/limits/queue/default"),
    Action("/schedules", "Create a schedule", "PUT /v1/schedules/{name}", "/v1/schedules/mine"),
    Action("/alerts", "Create a rule", "PUT /v1/alert-rules/{name}", "/v1/alert-rules/mine"),
)
UNOFFERED = (Action("", "", "DELETE /v1/datasets/{name}", "/v1/datasets/orders_daily"),)  # only the API has it


@pytest.fixture
def system(orders: System) -> System:
    return orders


def offers(page: Page, action: Action) -> bool:
    page.get_by_role("heading", level=1).wait_for()
    expect(page.get_by_text("Loading…")).to_have_count(0)
    return page.get_by_role("main").get_by_role("button", name=action.button, exact=True).count() > 0


def status_of(dashboard: Dashboard, action: Action) -> int:
    return dashboard.page.evaluate(REFUSED, [action.route.split()[0], action.path])


def test_a_role_is_offered_what_it_may_do_and_refused_the_rest(system: System, opened: Open) -> None:
    links = {"reader": system.link_for("reader"), "writer": system.link_for("writer"), "admin": system.admin_link}
    for role, link in links.items():
        with opened(link) as dashboard:
            found = {
                action: offers(page, action)
                for path in dict.fromkeys(action.page for action in ACTIONS)
                for page in [dashboard.visit(path)]
                for action in ACTIONS
                if action.page == path
            }
            assert found == {action: action.is_for(role) for action in ACTIONS}, role

            missing = [action for action in (*ACTIONS, *UNOFFERED) if not action.is_for(role)]
            assert {action.route: status_of(dashboard, action) for action in missing} == {
                action.route: 403 for action in missing
            }
            dashboard.problems[:] = [text for text in dashboard.problems if "403" not in text]  # the refused requests


def test_any_role_saves_views_because_its_browser_keeps_them(system: System, opened: Open) -> None:
    with opened(system.link_for("reader")) as reader:
        page = reader.visit("/runs?type=shop.add")
        changes: list[str] = []
        page.on("request", lambda request: changes.append(request.url) if request.method != "GET" else None)
        page.get_by_role("button", name="Save as view").click()
        page.get_by_label("Name").last.fill("sums")
        page.get_by_role("button", name="Save the view").click()
        expect(page.get_by_role("button", name="sums", exact=True)).to_be_visible()
        assert changes == []
