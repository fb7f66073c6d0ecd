"""The example shop with real processes: whatever is killed or changed on the way, nothing is charged twice."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import psycopg

from tenuto import connect_sync
from tenuto.db import embedded
from tests.support.database.attempts import end_lease
from tests.support.database.loops import count
from tests.support.postgres.server import PG_BIN
from tests.support.processes.command_line import ROOT
from tests.support.processes.forked_tenuto import ForkedTenuto
from tests.support.processes.workers import WorkerProcess
from tests.support.waiting import wait_until

LISTENING = re.compile(r"running on (http://\S+)")
RESERVE = '        parcels = await ctx.step("reserve"'
CHECK = '        await ctx.step("check", len, "for fraud")\n'  # a new step, before one that open orders have done
PATCHED = f'        if await ctx.patched("check"):\n    {CHECK}'


class Shop:
    """A copy of the example, whose code can be changed, and its processes."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder = folder / "shop"
        shutil.copytree(ROOT / "examples" / "shop", self.folder, ignore=shutil.ignore_patterns("__pycache__"))
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TENUTO_")}
        self.environment = {**clean, "TENUTO_DATABASE_URL": database, "TENUTO_HOME": str(folder / "home")}
        self.workers: list[WorkerProcess] = []
        self.web = ""

    def python(self, *arguments: str) -> None:
        subprocess.run([sys.executable, *arguments], cwd=self.folder, env=self.environment, check=True)

    def start_worker(self, **environment: str) -> WorkerProcess:
        log = self.folder / f"worker{len(self.workers)}.log"
        with log.open("wb") as file:
            env = {**self.environment, **environment}
            process = ForkedTenuto("worker", "tasks.py", env=env, stdout=file, cwd=self.folder)
        self.workers.append(WorkerProcess(process, log))
        self.workers[-1].wait_for_ready()
        return self.workers[-1]

    def deploy(self, new_step: str) -> None:
        """Replace the last worker by one whose code has this step before the reservation."""
        code = (ROOT / "examples" / "shop" / "tasks.py").read_text()
        (self.folder / "tasks.py").write_text(code.replace(RESERVE, new_step + RESERVE))
        old = self.workers[-1]
        self.start_worker()
        old.tell(signal.SIGTERM)
        assert old.wait() == 0

    @contextmanager
    def serving(self) -> Iterator[None]:
        command = [sys.executable, "-m", "uvicorn", "web:api", "--port", "0", "--no-access-log"]
        log = self.folder / "web.log"
        with log.open("wb") as file:
            server = subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=file, stderr=file)
        try:
            wait_until(lambda: LISTENING.search(log.read_text()) or server.poll() is not None)
            found = LISTENING.search(log.read_text())
            assert found, log.read_text()
            self.web = found[1]
            yield
        finally:
            server.terminate()
            server.wait(60)
            for worker in self.workers:
                worker.end()
            for path in self.folder.glob("*.log"):  # shown when the test fails
                print(f"--- {path.name}\n{path.read_text()}")

    def order(self, **items: int) -> int:
        return self._post("/orders", {"customer": "ada", "items": items})

    def approve(self, order: int) -> None:
        self._post(f"/orders/{order}/approval", {"by": "bob", "approved": True})

    def has_ended(self, order: int) -> bool:
        """Also False while the database is away."""
        response = httpx2.get(f"{self.web}/orders/{order}", timeout=30)
        assert response.status_code in (200, 503), response.text
        return response.status_code == 200 and response.json()["process"] == "completed"

    def _post(self, path: str, body: object) -> Any:
        return httpx2.post(f"{self.web}{path}", json=body, timeout=30).raise_for_status().json()


def test_no_order_is_charged_twice_or_lost_when_everything_fails_once(home: Path, tmp_path: Path) -> None:
    with embedded.server(home, pg_bin=PG_BIN) as url:
        shop = Shop(tmp_path, url)
        shop.python("database.py")
        with shop.serving():
            with psycopg.connect(url, autocommit=True) as db:
                slow = shop.start_worker(BANK_RESPONSE_SECONDS="50")
                orders = [shop.order(tea=1)]
                wait_until(lambda: db.execute("select from payments").rowcount == 1)

                slow.kill()  # it has paid, and does not know it
                end_lease(db, slow.name)
                shop.start_worker()
                wait_until(lambda: shop.has_ended(orders[0]))
                assert db.execute("select requests from payments").fetchall() == [(2,)]

                orders.append(shop.order(teapot=10))
                wait_until(lambda: count(db, "waiting_tasks", "waits_for = 'signal'") == 1)
                shop.deploy(CHECK)
                shop.approve(orders[1])
                wait_until(lambda: count(db, "waiting_tasks", "waits_for = 'code'") == 1)
                shop.deploy(PATCHED)
                wait_until(lambda: shop.has_ended(orders[1]))

            orders += [shop.order(cup=1, teapot=2) for _ in range(20)]
            os.kill(embedded.start(home, pg_bin=PG_BIN).pid, signal.SIGKILL)
            with psycopg.connect(embedded.start(home, pg_bin=PG_BIN).url, autocommit=True) as db:
                wait_until(lambda: all(map(shop.has_ended, orders)))

                assert db.execute("select distinct status from orders").fetchall() == [("shipped",)]
                charged_once = "select o.id from orders o join payments p on p.order_id = o.id and p.cents = o.cents"
                assert sorted(db.execute(charged_once)) == [(order,) for order in sorted(orders)]
                assert count(db, "task_steps", "name = 'check' and kind = 'step'") == 20
                sold = db.execute('select name, 1000 - "left" from items order by name').fetchall()
                assert sold == [("cup", 20), ("tea", 1), ("teapot", 50)]
                with connect_sync(url=url) as tn:
                    balance = tn.schedules.run("shop.balance").result(timeout=60)
                assert balance == {"shipped": 618_400, "paid": 618_400}
