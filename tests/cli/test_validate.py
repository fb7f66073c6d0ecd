"""`tenuto validate` and `tenuto schema`: without a database, for people, editors and CI."""

import json
from pathlib import Path

from tests.dag.documents import a_document
from tests.support.http.both_ways import run_here as tenuto


def test_a_valid_document_prints_its_hash(tmp_path: Path):
    file = tmp_path / "orders.yaml"
    file.write_text(json.dumps(a_document()))

    done, as_json = tenuto("validate", str(file)), tenuto("validate", str(file), "--json")
    facts = json.loads(as_json.stdout)

    assert (done.returncode, as_json.returncode) == (0, 0)
    assert done.stdout == f"{file}: valid: DAG orders, 3 jobs, 2 datasets, {facts['yaml_hash'][:12]}\n"
    assert (facts["valid"], facts["dag"], facts["datasets"]) == (True, "orders", ["orders_raw", "orders_daily"])
    assert [job["name"] for job in facts["jobs"]] == ["extract", "daily", "report"]


def test_problems_are_printed_as_compilers_do(tmp_path: Path):
    file = tmp_path / "orders.yaml"
    file.write_text("name: orders\njbos: []\n")

    done, as_json = tenuto("validate", str(file)), tenuto("validate", str(file), "--json")

    assert (done.returncode, as_json.returncode) == (1, 1)
    assert done.stdout.splitlines() == [
        f"{file}:1:1: jobs is missing",
        f"{file}:2:1: jbos: unknown key; did you mean jobs?",
        "2 problems",
    ]
    assert json.loads(as_json.stdout)["problems"][1] == {
        "path": "jbos",
        "line": 2,
        "column": 1,
        "message": "unknown key",
        "hint": "did you mean jobs?",
    }


def test_a_file_that_cannot_be_read_is_wrong_use(tmp_path: Path):
    missing, folder = tenuto("validate", str(tmp_path / "no.yaml")), tenuto("validate", str(tmp_path))

    assert (missing.returncode, folder.returncode) == (2, 2)
    assert "no.yaml cannot be read: No such file or directory" in missing.stderr


def test_the_schema_is_json():
    assert json.loads(tenuto("schema").stdout)["title"] == "Tenuto DAG"
