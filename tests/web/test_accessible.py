"""Every page is accessible: axe finds nothing serious, in light and in dark."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.web.conftest import Dashboard, System

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
PAGES = (
    "/", "/runs", "/tasks", "/schedules", "/queues", "/workers", "/outbox", "/admin", "/admin?tab=keys",
    "/dags", "/new-dag", "/datasets", "/events", "/backfills", "/query", "/alerts",
)  # fmt: skip
FIND = """async () => (await axe.run()).violations
  .filter(found => ['serious', 'critical'].includes(found.impact))
  .map(found => `${found.id}: ${found.nodes.map(node => node.html).slice(0, 2).join(' ')}`)"""


def test_axe_finds_nothing_serious_on_any_page(admin: Dashboard, system: System) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: run `make web`")
    run_id = json.loads(system.run("start", "shop.fail", "no", "--json"))["id"]
    found = {}
    for theme in ("light", "dark"):
        admin.page.evaluate(f"localStorage.setItem('tenuto-theme', '{theme}')")
        for path in (*PAGES, f"/runs/{run_id}", f"/runs/{run_id}?tab=tasks"):
            page = admin.visit(path)
            page.get_by_role("heading", level=1).wait_for()
            expect(page.get_by_text("Loading…")).to_have_count(0)
            page.evaluate(AXE.read_text())
            found[theme, path] = page.evaluate(FIND)

    assert {where: problems for where, problems in found.items() if problems} == {}
