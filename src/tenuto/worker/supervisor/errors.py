"""The errors that end a worker."""


class WorkerRefused(Exception):
    """The worker cannot run with these settings. The message says what to do."""


class WorkerFailed(Exception):
    """One of the first processes of the worker could not start, because a start-up hook failed."""
