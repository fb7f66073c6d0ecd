"""The bugs of changed metadata and of deleted tasks, and the test that notices each."""

from tests.planted.plant import Bug

RACES = "tests/races/test_metadata.py"
METADATA = "tests/sql/runs/lifecycle/test_set_metadata.py"
DELETE_TASK = "tests/sql/runs/retention/test_delete_task.py"
REFUSED = f"{METADATA}::test_what_cannot_be_set_is_refused_and_changes_nothing"

METADATA_BUGS = (
    Bug(
        "metadata_of_another_orgs_run_can_be_set",
        f"{REFUSED}[set_run]",
        (("runs/lifecycle/set_run_metadata.sql", r"\n    and r\.org_id = p_org_id", ""),),
    ),
    Bug(
        "metadata_of_another_orgs_task_can_be_set",
        f"{REFUSED}[set_task]",
        (("runs/lifecycle/set_task_metadata.sql", r"\n    and t\.org_id = p_org_id\n  on", "\n  on"),),
    ),
    Bug(
        "the_second_of_two_changes_undoes_the_first",
        f"{RACES}::test_two_callers_set_different_keys",
        (
            (
                "runs/lifecycle/set_task_metadata.sql",
                r"metadata = tenuto\._change_metadata\(v_what, m\.metadata, p_changes\)",
                "metadata = excluded.metadata",
            ),
        ),
    ),
    Bug(
        "metadata_of_a_deleted_task_stays",
        f"{RACES}::test_metadata_is_set_before_the_delete_or_not_at_all",
        (("runs/lifecycle/set_task_metadata.sql", r"\n  for key share;", ";"),),
    ),
    Bug(
        "a_task_is_deleted_while_a_retry_copies_its_run",
        f"{DELETE_TASK}::test_not_while_a_retry_copies_the_run",
        (
            (
                "runs/retention/delete_task.sql",
                r"if found then(\s+perform tenuto\._raise\('TN004', format\('run %s is being copied)",
                r"if false then\1",
            ),
        ),
    ),
    Bug(
        "a_task_of_an_open_run_is_deleted",
        f"{DELETE_TASK}::test_only_tasks_of_final_runs_and_not_the_one_that_began_it",
        (
            (
                "runs/retention/delete_task.sql",
                r"v_run := tenuto\._final_run\(p_org_id, v_run_id\);",
                "select r.* into v_run from tenuto.runs r where r.id = v_run_id;",
            ),
        ),
    ),
    Bug(
        "the_children_of_a_deleted_task_stay",
        f"{DELETE_TASK}::test_it_goes_with_everything_below_it",
        (("runs/retention/delete_task.sql", r"on t\.parent_id = b\.id", "on false"),),
    ),
    Bug(
        "the_run_data_of_a_deleted_task_stays",
        f"{DELETE_TASK}::test_run_data_that_it_wrote_goes_too",
        (("runs/retention/delete_task.sql", r"delete from tenuto\.run_data [^;]*;", ""),),
    ),
)
