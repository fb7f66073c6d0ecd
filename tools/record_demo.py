"""Record three pictures of a real run of `tenuto demo`, as they look in a terminal: docs/frames/*.svg."""

import os
import pty
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "frames"
FRAMES = {  # the beginnings of the first and of the last line of each picture
    "crash": ("1. ", "   kill -9"),
    "resume": ("   kill -9", "   Charged once"),
    "rollback": ("   One line of the SQL", None),  # up to the next empty line
}
TITLES = {
    "crash": "A worker is killed between two steps of an order",
    "resume": "Another worker continues the order, which is charged once",
    "rollback": "A change of a DAG is rolled back in one transaction",
}
STYLES = {"1": "b", "31": "r", "32": "g"}  # codes of terminals, and classes of the pictures
CODES = re.compile(r"\x1b\[(\d+)m")
CHARACTER, LINE, MARGIN = 8.4, 20, 16  # pixels
HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" \
role="img">
<title>{title}</title>
<style>
text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #e6edf3; \
white-space: pre }}
.b {{ font-weight: bold }} .r {{ fill: #ff7b72 }} .g {{ fill: #7ee787 }}
</style>
<rect x="0.5" y="0.5" width="{right}" height="{bottom}" rx="8" fill="#0d1117" stroke="#30363d"/>
"""
TEXT = f'<text xml:space="preserve" x="{MARGIN}" y="{{y}}"{{style}}>{{text}}</text>\n'


def main() -> None:
    lines = record()
    frames = {name: lines_of(name, lines) for name in FRAMES}
    columns = max(len(CODES.sub("", line)) for frame in frames.values() for line in frame)
    FOLDER.mkdir(exist_ok=True)
    for name, frame in frames.items():
        (FOLDER / f"{name}.svg").write_text(draw(TITLES[name], frame, columns))


def record() -> list[str]:
    """Return the lines of a demo on a terminal, with the codes of their colours."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)  # root's embedded server runs as another user, which must be able to enter
        ours, theirs = pty.openpty()
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        tenuto = Path(sys.executable).with_name("tenuto")
        demo = subprocess.Popen([tenuto, "demo"], cwd=folder, env=environment, stdout=theirs)
        os.close(theirs)
        printed = b"".join(read_all(ours)).decode()
        if demo.wait() != 0:
            sys.exit(printed)
    return printed.splitlines()


def read_all(terminal: int) -> Iterator[bytes]:
    try:
        while block := os.read(terminal, 4096):
            yield block
    except OSError:  # how Linux ends the output of a terminal
        return


def lines_of(name: str, lines: list[str]) -> list[str]:
    """Return the lines of a picture, without those that only say what the demo waits for."""
    first, last = FRAMES[name]
    plain = [CODES.sub("", line) for line in lines]
    start = next(number for number, line in enumerate(plain) if line.startswith(first))
    end = next(
        number + (last is not None)
        for number, line in enumerate(plain)
        if number > start and (line.startswith(last) if last else not line)
    )
    return [line for line in lines[start:end] if not CODES.sub("", line).startswith("  ... ")]


def draw(title: str, lines: list[str], columns: int) -> str:
    plain = textwrap.dedent("\n".join(CODES.sub("", line) for line in lines)).splitlines()
    width = round(columns * CHARACTER) + 2 * MARGIN
    height = len(lines) * LINE + 2 * MARGIN
    head = HEAD.format(width=width, height=height, right=width - 1, bottom=height - 1, title=escape(title))
    rows = [
        TEXT.format(y=MARGIN + number * LINE + 15, style=style_of(line), text=escape(text, quote=False))
        for number, (line, text) in enumerate(zip(lines, plain, strict=True))
    ]
    return f"{head}{''.join(rows)}</svg>\n"


def style_of(line: str) -> str:
    """Return the class attribute of a line, of which the demo prints the whole in one style."""
    classes = [STYLES[code] for code in CODES.findall(line) if code in STYLES]
    return f' class="{" ".join(sorted(set(classes)))}"' if classes else ""


if __name__ == "__main__":
    main()
