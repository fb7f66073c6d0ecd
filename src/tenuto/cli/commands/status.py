"""`tenuto status`: counts the tasks, workers, dispatchers and side effects of an org."""

from tenuto.cli.output import AsJson, fields, show
from tenuto.cli.session import with_tenuto


def status(as_json: AsJson = False) -> None:
    """Show how many tasks are in each state, and how many workers, dispatchers and side effects there are."""
    row = with_tenuto(lambda tenuto: tenuto.get_status())
    show(row, fields(row), as_json=as_json)
