"""Partitions that exist in the inputs of a job but not in its output."""

from dataclasses import dataclass
from uuid import UUID

from tenuto.model.statuses import MissingState


@dataclass(frozen=True)
class MissingPartition:
    """A partition that is not committed, although the partition `input_partition` of the input `input` is committed.
    `reason` says why. `task_id`: its newest task. `is_fixable`: a task can be started for this partition, and nothing
    else will start one."""

    partition: str | None
    input: str
    input_partition: str | None
    state: MissingState
    reason: str
    task_id: UUID | None
    is_fixable: bool


@dataclass(frozen=True)
class Reconciliation:
    """Missing partitions of a dataset, found among the next `looked_at` partitions of its inputs. Pass `next` as
    `after` to continue; it is None at the end."""

    missing: list[MissingPartition]
    looked_at: int
    next: str | None
