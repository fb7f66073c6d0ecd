"""`tenuto why`: why a task is not running, in one sentence."""

from tenuto.cli.asking import ask, read_id
from tenuto.cli.output import Json, show
from tenuto.cli.tasks import TaskId


def why(task: TaskId, as_json: Json = False) -> None:
    """Say in one sentence why a task is not running."""
    from tenuto.db import monitoring

    one = read_id(task, "task")
    sentence = ask(lambda desk: desk.pool.call(monitoring.explain_task, org_id=desk.org_id, task_id=one))
    show({"task_id": one, "why": sentence}, sentence, as_json=as_json)
