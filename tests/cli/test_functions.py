"""Functions of jobs in the commands: `validate`, `plan` and `deploy` refuse those that no app declares, and `plan`,
`deploy`, `why` and `doctor` warn of those that no worker has."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.database.functions import serve_functions
from tests.support.database.loops import count
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.http.both_ways import Ways, run_here

APP = """
from tenuto import App

app = App("shop")

@app.job
def extract(): ...
"""


@pytest.fixture
def app(tmp_path: Path) -> Iterator[str]:
    file = tmp_path / "shop_functions.py"
    file.write_text(APP)
    yield str(file)
    sys.modules.pop("shop_functions", None)


@pytest.fixture(params=["direct", "http"])
def way(request: pytest.FixtureRequest, ways: Ways) -> dict[str, Any]:
    return getattr(ways, request.param)


def a_file(folder: Path, task: str, name: str = "sales") -> str:
    job = {
        "name": "extract",
        "activation": "source",
        "source": {"kind": "manual"},
        "operator": "python",
        "config": {"task": task},
        "outputs": [{"dataset": "raw"}],
    }
    file = folder / f"{name}.yaml"
    file.write_text(json.dumps({"version": 1, "name": name, "jobs": [job]}, indent=1))
    return str(file)


def test_validate_checks_the_functions_only_if_it_gets_the_app(tmp_path: Path, app: str) -> None:
    good, typo = a_file(tmp_path, "shop.extract"), a_file(tmp_path, "shop.extrakt", "typo")

    assert run_here("validate", good, "--app", app).returncode == 0
    sys.modules.pop("shop_functions")
    assert run_here("validate", typo).returncode == 0
    refused = run_here("validate", typo, "--app", app)
    assert refused.returncode == 1
    assert "jobs[0].config.task: no app declares 'shop.extrakt'; did you mean shop.extract?" in refused.stdout
    missing = run_here("validate", good, "--app", "no_such_module:app")
    assert (missing.returncode, "no module 'no_such_module'" in missing.stderr) == (2, True)


def test_a_name_with_a_module_is_refused_before_anything_is_imported_or_sent(
    db: Db, way: dict[str, Any], tmp_path: Path
) -> None:
    file = a_file(tmp_path, "antigravity:geohash")

    for command in ("validate", "plan", "deploy"):
        refused = run_here(command, file, **way)
        assert refused.returncode != 0
        assert "is 'antigravity:geohash'; write app.function" in refused.stdout + refused.stderr
    assert "antigravity" not in sys.modules
    assert count(db, "dags") == 0


def test_a_function_that_no_app_declares_is_refused_with_the_most_similar_one(
    db: Db, way: dict[str, Any], tmp_path: Path
) -> None:
    serve_functions(db)
    call(db, "declare_types", **serve_functions(db).fence, types={"shop.extract": {}, "shop.load": {}})
    file = a_file(tmp_path, "shop.extrakt")
    sentence = "job extract runs shop.extrakt, which no app declares"

    planned, deployed = run_here("plan", file, **way), run_here("deploy", file, "--auto", **way)

    assert (planned.returncode, f"denied: {sentence}; did you mean shop.extract?" in planned.stdout) == (1, True)
    assert (deployed.returncode, sentence in deployed.stderr, "did you mean" in deployed.stderr) == (2, True, True)
    assert count(db, "dags") == 0


def test_a_function_without_a_worker_is_a_warning_until_one_starts(
    db: Db, database: str, way: dict[str, Any], tmp_path: Path, app: str
) -> None:
    file = a_file(tmp_path, "shop.extract")
    warning = "warning: job extract would wait for a worker: no worker has declared the function shop.extract"

    planned = run_here("plan", file, "--app", app, **way)
    sys.modules.pop("shop_functions")
    deployed = run_here("deploy", file, "--auto", "--app", app, **way)

    assert (planned.returncode, warning in planned.stdout.splitlines()) == (0, True)
    assert deployed.stdout.splitlines() == ["sales: version 1 is current", warning]
    why = run_here("why", "sales/extract", **way)
    assert "its tasks wait: no worker has declared the function shop.extract" in why.stdout
    assert json.loads(run_here("jobs", "show", "sales", "extract", "--json", **way).stdout)["problem"]
    doctor = run_here("doctor", TENUTO_DATABASE_URL=database).stdout
    assert "sales/extract cannot run: no worker has declared the function shop.extract" in doctor

    worker = serve_functions(db)
    again = run_here("deploy", file, "--auto", **way)
    assert again.stdout.splitlines() == ["sales: version 1 is current"]
    assert "its tasks wait" not in run_here("why", "sales/extract", **way).stdout
    call(db, "close_session", **worker.fence)
    stopped = run_here("plan", file, **way)
    assert "job extract would wait for a worker: no worker is alive" in stopped.stdout
    assert call(db, "get_job", org_id=DEFAULT_ORG, dag="sales", name="extract")[0]["problem"] == "no worker is alive"
