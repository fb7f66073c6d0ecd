"""The name of the operating system's user that runs this process."""

import os


def os_user() -> str:
    """Returns the user's name from the operating system, because environment variables can have any value."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container's user may have no name
        return f"uid {os.getuid()}"
