"""Blocks of pages that show code of other files, which `make gen` copies into them.

A line `<!-- from FILE: PART, PART -->` stands before such a block. A part is a top-level name of a Python file, or the
text with which the first line of an indented part of another file begins, such as `- name: daily`. Without parts, the
whole file is shown.
"""

import ast
import re
import textwrap
from pathlib import Path

MARK = r"<!-- from (?P<file>\S+?)(?:: (?P<parts>.+?))? -->\n+"
BLOCK = re.compile(rf"(?P<head>{MARK}```\w+\n)(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = ("*.md", "docs/*.md", "docs/learn/*.md", "docs/howto/*.md", "docs/operate/*.md", "examples/**/*.md")


def pages_with_code(root: Path) -> dict[Path, str]:
    """Return the text of each page that shows code of other files, with the code as it is now."""
    texts = {page.relative_to(root): page.read_text() for pattern in PAGES for page in sorted(root.glob(pattern))}
    return {page: fill(root, page, text) for page, text in texts.items() if BLOCK.search(text)}


def fill(root: Path, page: Path, text: str) -> str:
    def shown(match: re.Match[str]) -> str:
        try:
            code = read_code(root / match["file"], match["parts"])
        except (OSError, LookupError) as error:
            raise SystemExit(f"{page}: cannot show code of {match['file']}: {error}") from error
        return f"{match['head']}{code}```"

    return BLOCK.sub(shown, text)


def read_code(file: Path, parts: str | None) -> str:
    text = file.read_text()
    if parts is None:
        return text
    read, between = (_read_definition, "\n\n") if file.suffix == ".py" else (_read_indented, "\n")
    return between.join(read(text, part.strip()) for part in parts.split(","))


def _read_definition(text: str, name: str) -> str:
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            return "".join(text.splitlines(keepends=True)[first - 1 : node.end_lineno])
    raise LookupError(f"it has no function or class {name!r}")


def _read_indented(text: str, start: str) -> str:
    lines = iter(text.splitlines(keepends=True))
    for line in lines:
        if line.lstrip().startswith(start):
            part, indent = [line], len(line) - len(line.lstrip())
            for following in lines:
                if following.strip() and len(following) - len(following.lstrip()) <= indent:
                    break
                part.append(following)
            return textwrap.dedent("".join(part)).rstrip() + "\n"
    raise LookupError(f"no line begins with {start!r}")
