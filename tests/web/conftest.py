"""The dashboard in Chromium, on a system that really runs: `tenuto up` with a worker, and a login by its link."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from tests.support.processes.command_line import ROOT, Running, running, tenuto

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request

PEPPER = "cGVwcGVycGVwcGVycGVwcGVycGVwcGVycGVwcGVycGVwcGVy"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
Open = Callable[..., AbstractContextManager["Dashboard"]]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = """async () => (await axe.run()).violations
  .filter(found => ['serious', 'critical'].includes(found.impact))
  .map(found => `${found.id}: ${found.nodes.map(node => node.html).slice(0, 2).join(' ')}`)"""
ORDERS = ROOT / "examples" / "11_orders"
REFRESH_OFTEN = """const repeat = window.setInterval;
window.setInterval = (read, milliseconds) => repeat(read, Math.min(milliseconds, 500));"""


@pytest.fixture(scope="module")  # not longer: Playwright keeps an event loop running in this thread
def browser() -> Iterator["Browser"]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=60_000)  # as for actions: tests run beside others
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@dataclass
class System:
    """A running `tenuto up`, and commands beside it."""

    up: Running
    environment: dict[str, str]

    @property
    def url(self) -> str:
        return re.findall(r"server: (http://[\d.:]+)", self.up.said())[0]

    @property
    def admin_link(self) -> str:
        return re.findall(r"http://\S+/auth/link\?token=\S+", self.up.said())[0]

    def run(self, *arguments: str) -> str:
        """What a command of the CLI prints."""
        done = tenuto(*arguments, **self.environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def link_for(self, role: str) -> str:
        """A login link for a new user with this platform role."""
        made = self.run("users", "add", "--issuer", "https://id.example", "--subject", role, "--role", role, "--json")
        return self.run("users", "link", json.loads(made)["id"], "--url", self.url).strip()


@pytest.fixture
def app() -> str:
    return "tests.support.processes.shop:app"


@pytest.fixture
def system(db: psycopg.Connection, database: str, app: str) -> Iterator[System]:
    environment = {"TENUTO_DATABASE_URL": database, "TENUTO_PEPPER": PEPPER}
    with running("up", app, "--port", "0", ready="Ctrl-C to stop everything", **environment) as up:
        yield System(up, environment)


@pytest.fixture
def orders(db: psycopg.Connection, database: str, tmp_path: Path) -> Iterator[System]:
    """The DAG of examples/11_orders, with one day of data."""
    environment = {
        "TENUTO_DATABASE_URL": database,
        "TENUTO_PEPPER": PEPPER,
        "TENUTO_STORAGE": f"file://{tmp_path / 'objects'}",
        "TENUTO_QUERY_SANDBOX": "weak",
    }
    with running("up", str(ORDERS / "jobs.py"), "--port", "0", ready="Ctrl-C to stop everything", **environment) as up:
        found = System(up, environment)
        found.run("deploy", str(ORDERS / "dag.yaml"), "--auto")
        found.run("jobs", "trigger", "orders", "extract", "--partition", "2026-11-15")
        yield found


@dataclass
class Dashboard:
    """A page of the dashboard; what it must not do is written down as it happens."""

    page: "Page"
    url: str
    problems: list[str] = field(default_factory=list[str])

    def visit(self, path: str) -> "Page":
        self.page.goto(f"{self.url}/ui{path}")
        return self.page

    def apply_theme(self, theme: str) -> None:
        """Change the theme of the open page, as web/src/shell/theme.ts does."""
        change = "document.documentElement.dataset.theme = theme; window.dispatchEvent(new Event('tenuto-theme'))"
        self.page.evaluate(f"theme => {{ {change} }}", theme)

    def refresh_often(self) -> None:
        """From the next visit on, pages read again twice a second what they read every few seconds: for tests that
        wait for a task. Not for those of the stream of changes, which needs no such reads."""
        self.page.add_init_script(REFRESH_OFTEN)

    def barriers(self) -> list[str]:
        """What axe finds serious on the page once it is loaded."""
        from playwright.sync_api import expect

        if not AXE.exists():
            pytest.skip("axe-core is not installed: run `make web`")
        self.page.get_by_role("heading", level=1).wait_for()
        expect(self.page.get_by_text("Loading…")).to_have_count(0)
        self.page.evaluate(AXE.read_text())
        return self.page.evaluate(SERIOUS)

    def watch(self) -> None:
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("console", self._check_line)
        self.page.on("request", self._check_origin)

    def _check_line(self, line: "ConsoleMessage") -> None:
        if line.type == "error":
            self.problems.append(f"console: {line.text}")

    def _check_origin(self, request: "Request") -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.problems.append(f"request to {request.url}")


@pytest.fixture
def opened(browser: "Browser", system: System) -> Open:
    """Opens the dashboard by a login link; fails afterwards if the page logged an error or asked another host."""

    @contextmanager
    def open_by(link: str, *, width: int = 1280) -> Iterator[Dashboard]:
        context = browser.new_context(viewport={"width": width, "height": 800})
        context.set_default_timeout(60_000)
        dashboard = Dashboard(context.new_page(), system.url)
        dashboard.watch()
        dashboard.page.goto(link)
        yield dashboard
        problems = list(dashboard.problems)
        context.close()
        assert problems == []

    return open_by


@pytest.fixture
def admin(system: System, opened: Open) -> Iterator[Dashboard]:
    with opened(system.admin_link) as dashboard:
        yield dashboard
