"""Take pictures of every page of the dashboard, in both themes, at the widths of a desktop and a phone.

Without arguments, `tenuto demo --keep` runs in a temporary folder, and is ended afterwards. With a login link, as
`tenuto up` prints it, the pictures show the pages of that system.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "screenshots"
WIDTHS = {"desktop": (1280, 800), "phone": (390, 844)}
THEMES = ("light", "dark")
LINK = re.compile(r"http://\S+/auth/link\?token=\S+")
QUERY = """select region, sum(orders) as orders, sum(total) as total
from orders_daily
group by region
order by region"""
PAGES = {
    "overview": "/",
    "runs": "/runs",
    "tasks": "/tasks",
    "schedules": "/schedules",
    "dags": "/dags",
    "dag": "/dags/orders",
    "dag-jobs": "/dags/orders?tab=jobs",
    "dag-versions": "/dags/orders?tab=versions&compare=1-2",
    "dag-editor": "/dags/orders?tab=yaml",
    "datasets": "/datasets",
    "dataset": "/datasets/orders_daily",
    "dataset-versions": "/datasets/orders_daily?tab=versions",
    "dataset-schema": "/datasets/orders_daily?tab=schema",
    "dataset-lineage": "/datasets/orders_daily?tab=lineage&column=total",
    "dataset-preview": "/datasets/orders_daily?tab=preview",
    "events": "/events",
    "backfills": "/backfills",
    "query": f"/query?sql={quote(QUERY)}",
    "queues": "/queues",
    "workers": "/workers",
    "outbox": "/outbox",
    "alerts": "/alerts",
    "admin": "/admin",
    "admin-keys": "/admin?tab=keys",
    "admin-audit": "/admin?tab=audit",
}
FIRST_OF = {  # pages of the first row of a list
    "run": ("/runs?type=shop.order", "Runs", ""),
    "run-timeline": ("/runs?type=shop.order", "Runs", "?tab=timeline"),
    "run-data": ("/runs?type=shop.order", "Runs", "?tab=data"),
    "run-logs": ("/runs?type=shop.order", "Runs", "?tab=logs"),
    "task": ("/tasks?type=shop.order", "Tasks", ""),
    "worker": ("/workers", "Workers", ""),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--link", help="a login link of a running system")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--only", help="only pages whose name contains this text")
    parser.add_argument("--themes", default=",".join(THEMES))
    parser.add_argument("--widths", default=",".join(WIDTHS))
    wanted = parser.parse_args()
    wanted.folder.mkdir(parents=True, exist_ok=True)
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright, system(wanted.link) as link:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        take_all(browser, link, wanted)
        browser.close()


@contextmanager
def system(link: str | None) -> Iterator[str]:
    """Yield the login link of a system: `link`, or that of a demo, which ends with the block."""
    if link is not None:
        yield link
        return
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)  # root's embedded server runs as another user, which must be able to enter
        output = Path(folder) / "demo.log"
        tenuto = Path(sys.executable).with_name("tenuto")
        with output.open("w") as log:
            demo = subprocess.Popen([tenuto, "demo", "--keep"], stdout=log, stderr=log, cwd=folder)
        try:
            yield wait_for_link(demo, output)
        finally:
            demo.terminate()
            demo.wait(60)


def wait_for_link(demo: "subprocess.Popen[bytes]", output: Path) -> str:
    ends = time.monotonic() + 300
    while time.monotonic() < ends and demo.poll() is None:
        if found := LINK.findall(output.read_text()):
            return found[-1]
        time.sleep(0.5)
    sys.exit(f"the demo did not start:\n{output.read_text()}")


def take_all(browser: "Browser", link: str, wanted: argparse.Namespace) -> None:
    parts = urlsplit(link)
    base = f"{parts.scheme}://{parts.netloc}"
    page = browser.new_page()
    page.set_default_timeout(120_000)  # the machine may be busy
    page.goto(link)
    page.get_by_role("heading", name="Overview").wait_for()
    paths = {name: base + "/ui" + path for name, path in PAGES.items()}
    for name, (path, label, end) in FIRST_OF.items():
        if found := first_row(page, base + "/ui" + path, label):
            paths[name] = base + found + end
    for width in wanted.widths.split(","):
        page.set_viewport_size({"width": WIDTHS[width][0], "height": WIDTHS[width][1]})
        for theme in wanted.themes.split(","):
            page.evaluate(f"localStorage.setItem('tenuto-theme', '{theme}')")
            for name, url in paths.items():
                if wanted.only is None or wanted.only in name:
                    take(page, url, wanted.folder / f"{name}-{theme}-{width}.png")


def first_row(page: "Page", url: str, label: str) -> str | None:
    page.goto(url)
    page.get_by_role("heading", level=1).wait_for()
    link = page.get_by_role("region", name=label, exact=True).get_by_role("link").first
    try:
        link.wait_for(timeout=3000)
    except Exception:  # an empty list has no first row
        print(f"no row: {url}", file=sys.stderr)
        return None
    return link.get_attribute("href")


def take(page: "Page", url: str, path: Path) -> None:
    from playwright.sync_api import expect

    page.goto(url)
    page.get_by_role("heading", level=1).wait_for()
    if "/query?" in url:
        page.get_by_role("button", name="Run Ctrl").click()
        page.get_by_role("region", name="Result").wait_for()
    expect(page.get_by_text("Loading…")).to_have_count(0)
    page.wait_for_timeout(400)  # graphs and charts are drawn after their data is there
    page.screenshot(path=path)


if __name__ == "__main__":
    main()
