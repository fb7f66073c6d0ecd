"""Turns a checked DAG into the rows that a deploy stores."""

from dataclasses import asdict

from tenuto.dag.definitions import Dag
from tenuto.dag.hashes import schema_hash
from tenuto.model.json import JsonObject


def job_rows(dag: Dag) -> list[JsonObject]:
    """Returns the jobs as JSON. Each output has the hash of its declared columns, or None if it declares no columns."""
    return [
        {
            **asdict(job),
            "outputs": [{**asdict(output), "schema_hash": schema_hash(output)} for output in job.outputs],
        }
        for job in dag.jobs
    ]
