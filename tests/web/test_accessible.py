"""Every page is accessible: axe finds nothing serious, in light and in dark."""

import json

from tests.web.conftest import Dashboard, System

PAGES = (
    "/", "/runs", "/tasks", "/schedules", "/queues", "/workers", "/outbox", "/admin", "/admin?tab=keys",
    "/dags", "/new-dag", "/datasets", "/events", "/backfills", "/query", "/alerts",
)  # fmt: skip


def test_axe_finds_nothing_serious_on_any_page(admin: Dashboard, system: System) -> None:
    run_id = json.loads(system.run("start", "shop.fail", "no", "--json"))["id"]
    found = {}
    for path in (*PAGES, f"/runs/{run_id}", f"/runs/{run_id}?tab=tasks"):
        admin.visit(path)
        for theme in ("light", "dark"):
            admin.apply_theme(theme)
            found[theme, path] = admin.barriers()

    assert {where: problems for where, problems in found.items() if problems} == {}
