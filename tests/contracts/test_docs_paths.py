"""The documentation names only files, folders and pages that exist."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER_PAGES = [ROOT / folder / "README.md" for folder in ("bench", "tests", "web")]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), *FOLDER_PAGES]
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`([\w./-]+\.(?:py|sql|md|toml|json|sh)|(?:[\w.-]+/)+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
# Files that a reader, a server or a command creates; `_name.sql` stands for any private function.
OTHERS = {
    *("tasks.py", "order.py", "client.py", "shop/tasks.py", "bundle.json", "bundle_manifest.json", "openapi.json"),
    *("results/kernel.json", "results/growth.json", "build/test-results.json", "_name.sql", ".demo/"),
}


def test_files_named_in_the_documentation_exist() -> None:
    known = _path_endings()

    missing = [
        f"{page.relative_to(ROOT)}: {name}"
        for page in PAGES
        for name in NAMED.findall(FENCED.sub("", page.read_text()))
        if name not in known and name.lstrip("/") not in OTHERS
    ]

    assert missing == []


def test_links_between_pages_lead_to_files_and_headings() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in PAGES
        for link in LINK.findall(FENCED.sub("", page.read_text()))
        if not link.startswith(("http:", "https:")) and not _leads_somewhere(page, link)
    ]

    assert broken == []


def test_the_index_lists_every_page_that_shows_how_to_do_something() -> None:
    docs = ROOT / "docs"
    listed = set(LINK.findall((docs / "README.md").read_text()))

    pages = {f"{folder}/{page.name}" for folder in ("howto", "operate") for page in (docs / folder).glob("*.md")}
    assert sorted(pages - listed) == []


def _leads_somewhere(page: Path, link: str) -> bool:
    name, _, heading = link.partition("#")
    target = page.parent / name if name else page
    return target.exists() and (not heading or heading in _headings(target))


def _headings(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def _path_endings() -> set[str]:
    """Every path of the repository, also without its first folders; a folder ends with a slash."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    folders = {f"{folder}/" for path in files for folder in Path(path).parents if str(folder) != "."}
    return {path[start:] for path in (*files, *folders) for start in _starts(path)}


def _starts(path: str) -> list[int]:
    return [0, *(place + 1 for place, letter in enumerate(path[:-1]) if letter == "/")]
