"""Runs blocks of code as a notebook does: one after the other, with top-level `await`, keeping names."""

import ast
import asyncio
import contextlib
import importlib
import inspect
import io
import json
import sys
import traceback
from pathlib import Path
from typing import Any

from tenuto import App


async def main() -> None:
    sys.path.insert(0, "")
    names: dict[str, Any] = {"__name__": "page"}
    if Path("tasks.py").exists():
        names |= {key: value for key, value in vars(importlib.import_module("tasks")).items() if key[0] != "_"}
    app: App = names.get("app", App("page"))
    async with app.connect() as tn:
        names["tn"] = tn
        while line := await asyncio.to_thread(sys.stdin.readline):
            answer = await run(json.loads(line), names)
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


async def run(code: str, names: dict[str, Any]) -> dict[str, str]:
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            body = compile(code, "<block>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            answer = eval(body, names)  # noqa: S307 - the pages are ours
            if inspect.isawaitable(answer):
                await answer
    except Exception:
        return {"error": traceback.format_exc()}
    return {"printed": printed.getvalue()}


if __name__ == "__main__":
    asyncio.run(main())
