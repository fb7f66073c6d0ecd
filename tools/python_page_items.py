"""The classes and functions on each reference page of the Python API."""

from dataclasses import dataclass

import tenuto.testing


@dataclass(frozen=True)
class Item:
    """A class or function on a page."""

    name: str
    module: str = ""  # default: the module from which `tenuto` exports the name
    variable: str = ""  # the name of an object of the class, in signatures
    hidden: str = ""  # members that are not for users
    create: bool = False  # users call the class
    like: str = ""  # the class whose members it has, without `await`
    bases: tuple[tuple[str, str], ...] = ()  # module and name of classes whose members it shows too


TEST_VARIABLES = {
    "Clock": "tn.clock",
    "Isolated": "tn",
    "SyncClock": "tn.clock",
    "SyncIsolated": "tn",
    "UnitContext": "ctx",
    "UnitSyncContext": "ctx",
}
TEST_HIDDEN = {"SyncIsolated": "connect isolated", "UnitContext": "fail_step unit_attempt"}
PAGES: dict[str, tuple[str, str, tuple[Item, ...]]] = {
    "python-app.md": (
        "Apps, tasks and steps",
        "Declares tasks: their options are in [Options](options.md#options-of-a-task).",
        (
            Item("App", variable="app", create=True),
            Item(
                "Task",
                variable="task",
                hidden="with_options kind signature result decode_result limited limits_of retry_after counts_failures"
                " check returns use_middleware check_return_type",
            ),
            Item("step"),
            Item("Step", hidden="pause_after"),
            Item("Limit", create=True),
            Item("Rate", create=True),
            Item("Fixed", create=True),
            Item("Exponential", create=True),
            Item("Retry", create=True),
            Item("Fail", create=True),
            Item("TaskFailure"),
        ),
    ),
    "python-clients.md": (
        "Clients",
        "Start and find runs. [Open a client](../howto/clients.md) says which of them to use.",
        (
            Item("connect"),
            Item("connect_sync"),
            Item(
                "Client",
                variable="tn",
                hidden="close_later direct start_requests build_addition run_of start_bulk operations dag_operations",
                bases=(
                    ("sdk.client.object_calls", "ObjectCalls"),
                    ("sdk.collections.attributes", "Collections"),
                    ("sdk.collections.dag_attributes", "DagAttributes"),
                ),
            ),
            Item("SyncClient", variable="tn", like="Client", hidden="renew client connect close_at_exit"),
            Item("RunCollection", "sdk.client.run_collection", "tn.runs"),
            Item("Schedules", "sdk.client.schedules", "tn.schedules", hidden="put_request"),
            Item("Schedule", "model.schedules"),
            Item("RunSummary", "model.monitoring"),
        ),
    ),
    "python-collections.md": (
        "What an org has",
        "Tasks, workers, queues, keys and more. A synchronous client has the same without `await`. [Look after an org]"
        "(../howto/look-after-an-org.md) shows how to use them.",
        (
            Item("TaskCollection", "sdk.collections.tasks", "tn.tasks"),
            Item("WorkerCollection", "sdk.collections.workers", "tn.workers"),
            Item("DispatcherCollection", "sdk.collections.workers", "tn.dispatchers"),
            Item("QueueCollection", "sdk.collections.queues", "tn.queues"),
            Item("LimitCollection", "sdk.collections.queues", "tn.limits"),
            Item("TypeCollection", "sdk.collections.queues", "tn.types"),
            Item("GroupCollection", "sdk.collections.groups", "tn.groups"),
            Item("BundleCollection", "sdk.collections.groups", "tn.bundles"),
            Item(
                "ApiKeyCollection",
                "sdk.collections.keys",
                "tn.keys",
                bases=(("sdk.collections.keys", "KeyCollection"),),
            ),
            Item(
                "WorkerKeyCollection",
                "sdk.collections.keys",
                "tn.worker_keys",
                bases=(("sdk.collections.keys", "KeyCollection"),),
            ),
            Item("CreatedKey", "sdk.operations.keys"),
            Item("OrgStatus", "model.overview"),
            Item("Count", "model.counts"),
        ),
    ),
    "python-dags.md": (
        "DAGs, jobs and datasets",
        "[Deploy a DAG](../howto/deploy-dags.md) shows how to use them. A synchronous client has them without `await`.",
        (
            Item("DagCollection", "sdk.collections.dags", "tn.dags"),
            Item("JobCollection", "sdk.collections.dags", "tn.jobs"),
            Item("DatasetCollection", "sdk.collections.datasets", "tn.datasets"),
        ),
    ),
    "python-runs.md": (
        "Runs",
        "Handles of started runs, and what they return.",
        (
            Item("Run", variable="run", hidden="build_many add_request"),
            Item("SyncRun", variable="run", like="Run"),
            Item("Runs", "sdk.client.run", "runs"),
            Item("Progress", variable="progress"),
            Item("RunStatus", "model.monitoring"),
            Item("TaskSummary", "model.monitoring"),
            Item("RemoteRunData", "sdk.client.run_data", "run.data"),
        ),
    ),
    "python-context.md": (
        "The context of a running task",
        "A function whose first parameter is `ctx` gets it: a `Context` if it is async, otherwise a `SyncContext`.",
        (
            Item(
                "Context",
                variable="ctx",
                hidden="start_all flush begin_step fail_step age_of_failure suspended_for earliest settle open_job",
                bases=(("sdk.context.durable_calls", "DurableCalls"),),
            ),
            Item("SyncContext", variable="ctx", like="Context", hidden="flush"),
            Item("Starting", "sdk.context.children", "child"),
            Item("Child", variable="child", hidden="context"),
            Item("SyncChild", variable="child", hidden="task task_id child wait"),
            Item("RunData", "sdk.context.run_data", "ctx.data", hidden="flush"),
            Item("RunningJob", "sdk.jobs.job", "ctx.job", hidden="files close published_briefly"),
            Item("RunningJobInput", "sdk.jobs.job", "input", hidden="is_partial"),
            Item("RunningJobOutput", "sdk.jobs.job", "output"),
            Item("DataObject"),
        ),
    ),
    "python-graphs.md": (
        "Graphs",
        "[Build graphs](../howto/graphs.md) explains them.",
        (
            Item("Graph", variable="g", create=True, hidden="vertices check_own place"),
            Item("Node", variable="node"),
            Item("chain"),
            Item("group"),
            Item("Composition", variable="composition", hidden="place"),
        ),
    ),
    "python-testing.md": (
        "tenuto.testing",
        "[Test your tasks](../howto/testing-your-tasks.md) shows how to use it.",
        tuple(
            Item(
                name,
                "testing",
                variable=TEST_VARIABLES.get(name, ""),
                hidden=TEST_HIDDEN.get(name, ""),
                create=name.startswith("Unit"),
            )
            for name in tenuto.testing.__all__
        ),
    ),
}
