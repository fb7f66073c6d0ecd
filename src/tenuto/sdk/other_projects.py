"""Says which embedded database is used, if those of other projects run too: the worker may be in another folder."""

from tenuto.model.environment import Environment

MAX_PROJECTS = 3  # that are named


def describe_others(address: Environment | None) -> str | None:
    """Return a sentence that names the projects of this account whose embedded servers run, or None if there is none
    or another database is used. Reads a few files, and no database."""
    if address is None or address.database_url is not None or address.server_url is not None:
        return None
    from tenuto.db.embedded.homes import running_elsewhere

    others = [str(project) for project in running_elsewhere(address.data_folder, address.home)]
    if not others:
        return None
    more = f" and {len(others) - MAX_PROJECTS} more" if len(others) > MAX_PROJECTS else ""
    own = f"of {address.project_folder}" if address.project_folder else f"in {address.home}"
    return (
        f"this is the embedded database {own}; those of other projects run too: "
        f"{', '.join(others[:MAX_PROJECTS])}{more}"
    )
