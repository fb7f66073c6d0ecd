"""`tenuto status`: counts the tasks, workers, dispatchers and side effects of an org."""

from tenuto.cli.output import AsJson, fields, show
from tenuto.cli.session import with_tenuto


def status(as_json: AsJson = False) -> None:
    """Show the numbers of tasks in each state, of workers and dispatchers, and of side effects."""
    row = with_tenuto(lambda tenuto: tenuto.get_status())
    show(row, fields(row), as_json=as_json)
