"""Webhooks of jobs."""

from dataclasses import dataclass, field
from uuid import UUID


@dataclass(frozen=True)
class WebhookKey:
    """The facts that a webhook's secret is derived from."""

    job_key: UUID
    rotation: int


@dataclass(frozen=True)
class Webhook:
    """The webhook of a job. `secret` is set only by a server or command that has the pepper, from which it is
    derived."""

    org_id: UUID
    dag: str
    job: str
    path: str
    job_key: UUID
    rotation: int
    secret: str | None = field(default=None, repr=False)

    @property
    def url_path(self) -> str:
        """The path of its endpoint on a server."""
        return f"/v1/webhooks/{self.org_id}{self.path}"


@dataclass(frozen=True)
class ReceivedRequest:
    """The task that a request to a webhook started, or that the same request has started before."""

    task_id: UUID
    created: bool
