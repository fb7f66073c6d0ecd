"""Queue, labels and code version of jobs: where they run is metadata, which code they run is not."""

from tests.dag.documents import a_document, messages, parsed, with_job


def test_a_job_has_its_own_queue_and_labels_or_those_of_the_defaults():
    document = with_job("daily", queue="reports", labels=[])
    document["defaults"] = {"queue": "etl", "labels": ["ssd", "eu"]}
    dag = parsed(document)

    assert [(job.name, job.queue, job.labels) for job in dag.jobs] == [
        ("extract", "etl", ["eu", "ssd"]), ("daily", "reports", []), ("report", "etl", ["eu", "ssd"]),
    ]  # fmt: skip


def test_where_a_job_runs_is_no_part_of_its_data_and_its_code_version_is():
    plain, placed, newer = (
        parsed(document)
        for document in (
            a_document(),
            with_job("daily", queue="x", labels=["gpu"]),
            with_job("daily", code_version="2"),
        )
    )

    assert placed.job("daily").config_hash == plain.job("daily").config_hash
    assert placed.job("daily").metadata_hash != plain.job("daily").metadata_hash
    assert newer.job("daily").config_hash != plain.job("daily").config_hash
    assert newer.job("report").config_hash != plain.job("report").config_hash  # it reads from daily
    assert newer.job("extract").config_hash == plain.job("extract").config_hash


def test_a_document_without_them_has_the_hashes_that_it_always_had():
    job = parsed(a_document()).job("daily")
    assert job.config_hash == "33bfbecb2dc23ae093d26a1385808c94da271a8baae23ee53b3b25f55b4205c9"
    assert job.metadata_hash == "23b704247d3476699db61f911dbc1c284748f655edb943f60c490f38262ae13d"


def test_a_job_of_the_dispatcher_has_no_queue():
    tick = {"operator": "trigger_cron", "config": None, "runtime": "dispatcher", "update_strategy": None}
    document = with_job("extract", **tick, unique_key=None, queue="x", outputs=[{"dataset": "orders_raw"}])
    assert messages(document) == ["jobs[0].queue: the tasks of a dispatcher wait in its own queue; remove it"]
    document = with_job("extract", **tick, unique_key=None, outputs=[{"dataset": "orders_raw"}])
    assert parsed({**document, "defaults": {"queue": "x"}}).job("extract").queue is None


def test_wrong_names_are_explained():
    assert messages(with_job("daily", queue="a b", labels=["?"], code_version=2)) == [
        "jobs[1].queue: is 'a b'; write 1-100 letters, digits and _.:/-",
        "jobs[1].labels[0]: is '?'; write 1-100 letters, digits and _.:/=-, such as gpu",
        "jobs[1].code_version: is 2, not a text",
    ]
    many = [f"{number:02}{'x' * 90}" for number in range(20)]
    assert messages(with_job("daily", labels=many)) == [
        "jobs[1].labels: have 1840 characters together; write at most 1,000"
    ]  # fmt: skip
