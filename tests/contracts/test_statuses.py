"""The lists of words of responses are those of the database."""

import re
from pathlib import Path
from typing import get_args

import pytest

from tenuto.dag.document_fields import (
    Activation,
    BufferSource,
    ContinuousSource,
    CronSource,
    ManualSource,
    WebhookSource,
)
from tenuto.model import statuses
from tenuto.model.errors import ERRORS

SQL = Path(__file__).parents[2] / "src" / "tenuto" / "sql"
TABLES = "".join(path.read_text() for path in sorted((SQL / "tables").iterdir()))
TRANSITIONS = (SQL / "runs" / "lifecycle" / "task_transitions.sql").read_text()


def words_of(table: str, column: str) -> set[str]:
    """The words that a constraint of the table allows in a column."""
    body = re.findall(rf"^create table tenuto\.{table} \((.*?)^\)", TABLES, re.DOTALL | re.MULTILINE)
    listed = re.findall(rf"check \(\s*{column} in \((.*?)\)", body[0], re.DOTALL)
    return set(re.findall(r"'(\w+)'", listed[0]))


@pytest.mark.parametrize(
    ("words", "table", "column"),
    [
        (statuses.ActorKind, "audit_log", "actor_kind"),
        (statuses.AlertKind, "alert_rules", "kind"),
        (statuses.AlertStatus, "alerts", "status"),
        (statuses.Activation, "jobs", "activation"),
        (statuses.BackfillStatus, "backfills", "status"),
        (statuses.CatchUp, "schedules", "catch_up"),
        (statuses.DagVersionStatus, "dag_versions", "status"),
        (statuses.DeployAction, "deploy_history", "action"),
        (statuses.Downstream, "backfills", "downstream"),
        (statuses.EffectKind, "outbox", "kind"),
        (statuses.EffectStatus, "outbox", "status"),
        (statuses.InvalidationStatus, "data_invalidations", "status"),
        (statuses.LimitScope, "limits", "scope"),
        (statuses.LineageConfidence, "lineage_methods", "confidence"),
        (statuses.LineageKind, "column_lineage", "kind"),
        (statuses.PlatformRole, "users", "platform_role"),
        (statuses.ReactionName, "event_reactions", "reaction"),
        (statuses.Reprocess, "backfills", "reprocess"),
        (statuses.SessionEnd, "sessions", "end_reason"),
        (statuses.StepKind, "task_steps", "kind"),
        (statuses.WaitReason, "waiting_tasks", "waits_for"),
        (statuses.WorkerStatusName, "workers", "status"),
    ],
)
def test_the_words_are_those_of_a_constraint(words: object, table: str, column: str) -> None:
    assert set(get_args(words)) == words_of(table, column)


@pytest.mark.parametrize(
    ("words", "entity"),
    [
        (statuses.RunStatusName, "run"),
        (statuses.TaskStatusName, "task"),
        (statuses.WorkerStatusName, "worker"),
        (statuses.DagVersionStatus, "DAG version"),
    ],
)
def test_the_states_are_those_of_the_transitions(words: object, entity: str) -> None:
    moves = re.findall(rf"\('{entity}',\s+(?:'(\w+)'|null),\s+'\w+',\s+'(\w+)'", TRANSITIONS)

    assert set(get_args(words)) == {state for move in moves for state in move if state}


def test_an_attempt_ends_with_an_outcome_that_is_listed() -> None:
    written = {
        outcome
        for file in (SQL / "runs").rglob("*.sql")
        for outcome in re.findall(r"_re(?:turn|lease)_attempts\(\w+, '(\w+)'", file.read_text())
    }

    assert {"snoozed", "waiting", "blocked", "interrupted", "forgotten"} == written
    final = {"completed", "failed", "cancelled", "skipped", "retrying", "lost"}
    assert set(get_args(statuses.AttemptOutcome)) == written | final | {"running"}
    of_workers = {"active", "draining", "terminated"}
    assert set(get_args(statuses.ChangeStatus)) == written | final | {"pending"} | of_workers


def test_the_words_of_documents_are_those_of_stored_jobs() -> None:
    assert set(get_args(Activation)) == set(get_args(statuses.Activation))
    sources = (CronSource, WebhookSource, ContinuousSource, ManualSource, BufferSource)
    kinds = {kind for source in sources for kind in get_args(source.model_fields["kind"].annotation)}
    assert set(get_args(statuses.SourceKind)) == kinds


def test_each_error_has_a_code_that_is_listed() -> None:
    assert {error.name for error in ERRORS} <= set(get_args(statuses.ProblemCode))
