"""A server, a dispatcher and workers that know only the server's address and their key, all as processes."""

import base64
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from tenuto.model.keys import WORKER, key_hash, make_key, read_peppers
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.free_ports import free_ports
from tests.support.processes.forked_tenuto import ROOT, ForkedTenuto
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until

PEPPER = base64.b64encode(b"p" * 32).decode()
LISTENING = re.compile(r"listening at (http://\S+);")


def make_worker_key(db: Db, *queues: str, org_id: UUID = DEFAULT_ORG) -> str:
    """A new worker key, for these queues or for all."""
    key = make_key(WORKER, "test")
    made = {"name": "remote", "queues": list(queues) or ["*"], "created_by": "ann", "pepper_version": 1}
    call(
        db,
        "create_worker_key",
        org_id=org_id,
        key_id=key.key_id,
        hash=key_hash(read_peppers(PEPPER), key.text),
        **made,
    )
    return key.text


class RemoteFleet(Fleet):
    """Workers of one test that reach the kernel through `tenuto server`."""

    def __init__(self, database: str, folder: Path, key: str, server_database: str | None = None) -> None:
        super().__init__(database, folder)
        self.key = key
        self._server_database = server_database or database
        self.url = ""
        self.server: ForkedTenuto | None = None
        self._dispatcher = self._run("dispatcher", "dispatcher")

    @property
    def server_log(self) -> str:
        return (self.folder / "server.log").read_text()

    def start_server(self, *flags: str) -> None:
        """The server; one that was started before comes back at its address."""
        port = self.url.rpartition(":")[2] or str(free_ports(1)[0])  # which no outgoing connection takes meanwhile
        began = len(self.server_log) if (self.folder / "server.log").exists() else 0
        self.server = server = self._run("server", "server", "--port", port, *flags)

        def answers() -> bool:
            assert server.poll() is None, self.server_log
            return LISTENING.search(self.server_log[began:]) is not None

        wait_until(answers)
        found = LISTENING.search(self.server_log[began:])
        assert found
        self.url = found[1]

    def kill_server(self) -> None:
        """kill -9."""
        assert self.server
        self.server.send_signal(signal.SIGKILL)
        self.server.wait(60)

    def _run(self, name: str, *arguments: str) -> ForkedTenuto:
        url = self._server_database if name == "server" else self.database
        with (self.folder / f"{name}.log").open("ab") as file:
            environment = {**super()._environment(url), "TENUTO_PEPPER": PEPPER}
            return ForkedTenuto(*arguments, env=environment, stdout=file, cwd=ROOT)

    def _environment(self, url: str) -> dict[str, str]:
        here = super()._environment(url)
        del here["TENUTO_DATABASE_URL"]
        return {**here, "TENUTO_URL": self.url, "TENUTO_WORKER_KEY": self.key}

    def end(self) -> None:
        super().end()
        for process in (self.server, self._dispatcher):
            if process is not None:
                if process.poll() is None:
                    process.kill()
                process.wait(60)


@contextmanager
def a_remote_fleet(
    database: str, folder: Path, key: str, *, server_database: str | None = None
) -> Iterator[RemoteFleet]:
    """`server_database`: the server goes there another way than the dispatcher."""
    fleet = RemoteFleet(database, folder, key, server_database)
    try:
        fleet.start_server()
        yield fleet
    finally:
        fleet.end()
        print(f"--- server\n{fleet.server_log}")  # shown when the test fails
        for no, worker in enumerate(fleet.workers, 1):
            print(f"--- worker {no}\n{worker.log}")
