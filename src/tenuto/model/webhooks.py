"""Webhooks of jobs."""

from dataclasses import dataclass, field
from uuid import UUID


@dataclass(frozen=True)
class WebhookKey:
    """The values from which a webhook's secret is derived."""

    job_key: UUID
    rotation: int


@dataclass(frozen=True)
class Webhook:
    """The webhook of a job. `secret` is set only in a server or command that has the pepper, because it is derived from
    the pepper."""

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
    """The task that a request to a webhook started. `created` is False if the same request had started it before."""

    task_id: UUID
    created: bool
