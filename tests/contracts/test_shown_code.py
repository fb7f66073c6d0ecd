"""Pages that claim to show the code of an example show it as it is: `make gen` has copied it."""

from pathlib import Path

import pytest

import gen
from shown_code import PAGES, fill, pages_with_code
from tests.docs.test_pages import EMBEDDED
from tests.docs.test_pages import PAGES as FOLLOWED
from tests.support.docs.pages import blocks_of

ROOT = Path(__file__).parents[2]
EXAMPLE = """from tenuto import App

app = App("shop")


@app.task(
    max_attempts=5,
)
async def charge(order: int) -> str:
    return f"order {order}"


def other() -> None: ...
"""
DOCUMENT = "jobs:\n  - name: daily\n    operator: sql\n\n    config: {}\n  - name: weekly\n    operator: sql\n"


def page(source: str, code: str = "old\n") -> str:
    return f"Before.\n\n<!-- from {source} -->\n```text\n{code}```\n\nAfter.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(EXAMPLE)
    (tmp_path / "shop.yaml").write_text(DOCUMENT)
    return tmp_path


def test_the_code_on_the_pages_is_fresh() -> None:
    shown = pages_with_code(ROOT)

    assert Path("README.md") in shown
    assert gen.stale(shown) == [], "run `make gen`"


def test_code_is_shown_only_from_files_that_tests_run() -> None:
    pages = [path for pattern in PAGES for path in ROOT.glob(pattern)]
    sources = {block.source.partition(":")[0] for path in pages for block in blocks_of(path) if block.source}

    run = {str(path.relative_to(ROOT)) for path in (*FOLLOWED, *EMBEDDED, *(ROOT / "examples").glob("[0-9]*.py"))}
    assert sources <= run


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("shop.py: charge", EXAMPLE[EXAMPLE.index("@app") : EXAMPLE.index("\n\n\ndef other") + 1]),
        ("shop.yaml: - name: daily", "- name: daily\n  operator: sql\n\n  config: {}\n"),
        ("shop.yaml", DOCUMENT),
    ],
)
def test_a_block_gets_the_code_that_its_line_names(root: Path, source: str, code: str) -> None:
    filled = fill(root, Path("page.md"), page(source))

    assert filled == page(source, code)
    assert fill(root, Path("page.md"), filled) == filled


def test_several_parts_are_shown_in_the_order_of_the_line(root: Path) -> None:
    filled = fill(root, Path("page.md"), page("shop.py: other, charge"))

    assert "```text\ndef other() -> None: ...\n\n\n@app.task(" in filled


def test_a_page_is_stale_after_its_example_changed(root: Path) -> None:
    (root / "docs").mkdir()
    (root / "docs" / "page.md").write_text(fill(root, Path("docs/page.md"), page("shop.py: charge")))
    assert gen.stale(pages_with_code(root), root) == []

    (root / "shop.py").write_text(EXAMPLE.replace("max_attempts=5", "max_attempts=6"))

    assert gen.stale(pages_with_code(root), root) == [Path("docs/page.md")]


@pytest.mark.parametrize("source", ["shop.py: chrage", "shop.yaml: - name: hourly", "gone.py"])
def test_code_that_does_not_exist_is_named_with_its_page(root: Path, source: str) -> None:
    with pytest.raises(SystemExit, match=rf"^page.md: cannot show code of {source.partition(':')[0]}: "):
        fill(root, Path("page.md"), page(source))
