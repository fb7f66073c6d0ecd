"""Runs commands in the test process: on the database, and over HTTP with a server in front of it."""

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from contextvars import copy_context
from dataclasses import dataclass
from subprocess import CompletedProcess

import pytest

from tenuto.cli import root
from tenuto.model.keys import API, key_hash, make_key
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.http.loopback import PEPPERS


@dataclass(frozen=True)
class Ways:
    """The two ways to the same org: the database, and a server in front of it."""

    direct: dict[str, str]
    http: dict[str, str]

    def both(self, *arguments: str) -> tuple[CompletedProcess[str], CompletedProcess[str]]:
        return run_here(*arguments, **self.direct), run_here(*arguments, **self.http)


def run_here(*arguments: str, **environment: str) -> CompletedProcess[str]:
    """Run a command in this process, which costs less than a process of its own."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["tenuto", *arguments])
        for name in [name for name in os.environ if name.startswith("TENUTO_")]:
            patch.delenv(name)
        patch.setenv("TERM", "dumb")
        for name, value in environment.items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit) as ended:
            copy_context().run(root.run)
    return CompletedProcess(arguments, int(ended.value.code or 0), out.getvalue(), err.getvalue())


def make_api_key(db: Db, *permissions: str) -> str:
    key = make_key(API, "test")
    made = {"name": "far", "permissions": list(permissions), "created_by": "ann"}
    call(db, "create_api_key", org_id=DEFAULT_ORG, key_id=key.key_id, hash=key_hash(PEPPERS, key.text), **made)
    return key.text
