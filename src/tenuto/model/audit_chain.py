"""Verifies an audit chain: finds entries that were edited, deleted, inserted, moved or cut off, and where."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tenuto.model.audit import AuditRecord, Chain, Head, SignedHead, chained_hash

MAX_UNSEALED = timedelta(minutes=5)  # a dispatcher normally seals an entry within seconds


@dataclass(frozen=True)
class Finding:
    """One defect of the chain at a position. `kind` is edited, missing, inserted, rewritten, cut or unsealed."""

    kind: str
    seq: int
    what: str


@dataclass
class Verifier:
    """Checks a chain record by record. `heads` are signed heads with verified signatures, from this database or from
    copies kept elsewhere."""

    anchor_seq: int = 0
    anchor_hash: bytes = b""
    heads: Iterable[SignedHead | Head] = ()
    findings: list[Finding] = field(default_factory=list[Finding])

    def __post_init__(self) -> None:
        self._expected = self.anchor_seq + 1
        self._previous: bytes | None = self.anchor_hash
        self._last = self.anchor_hash
        self._heads: dict[int, set[bytes]] = {}
        self._prunes: set[tuple[int, str] | None] = set()
        for head in self.heads:
            self._heads.setdefault(head.seq, set()).add(head.hash)
        self._compare(self.anchor_seq, self.anchor_hash)

    def add(self, record: AuditRecord) -> None:
        """Check the next record. Records must be passed in the order of their positions."""
        if record.seq < self._expected:
            if record.seq > self.anchor_seq:
                self._find("inserted", record.seq, f"entry {record.id} has the same position as another entry")
            return
        if record.seq > self._expected:
            self._find("missing", self._expected, f"entries {self._expected} to {record.seq - 1} are missing")
            self._previous = None
        if self._previous is not None and chained_hash(self._previous, record) != record.hash:
            self._find("edited", record.seq, f"entry {record.id} was changed after it was sealed")
        self._compare(record.seq, record.hash)
        if (record.entity, record.action) == ("audit", "prune"):
            self._prunes.add(_anchor(record.changes))
        self._previous = self._last = record.hash
        self._expected = record.seq + 1

    def finish(self, chain: Chain | None, now: datetime) -> list[Finding]:
        """Return all findings. Called after the last record. `chain` is the end of the chain according to the database,
        or None if the database was not queried."""
        last = self._expected - 1
        beyond = [seq for seq in self._heads if seq > last]
        if self.anchor_seq and (self.anchor_seq, self.anchor_hash.hex()) not in self._prunes:
            self._find(
                "missing", 1, f"entries up to {self.anchor_seq} are missing, and no entry records that they were pruned"
            )
        if beyond:
            self._find("cut", last + 1, f"the chain ends at {last}, but entry {max(beyond)} was signed")
        if chain is not None:
            self._compare_end(chain, last, now)
        return self.findings

    def _compare(self, seq: int, hash: bytes) -> None:
        if seq and self._heads.get(seq, {hash}) != {hash}:
            self._find("rewritten", seq, f"entry {seq} was signed with another hash: the chain before it was changed")

    def _compare_end(self, chain: Chain, last: int, now: datetime) -> None:
        if chain.seq > last:
            self._find("cut", last + 1, f"the chain ends at {last}, not at {chain.seq}")
        elif chain.seq < last or (chain.hash != self._last and last > self.anchor_seq):
            self._find(
                "inserted", last, f"the chain ends at {last}, but was sealed up to {chain.seq}, or with another hash"
            )
        if chain.strays:
            self._find("inserted", last + 1, f"{chain.strays} entries were not written by write_audit")
        if chain.unsealed_since is not None and now - chain.unsealed_since > MAX_UNSEALED:
            self._find(
                "unsealed", last + 1, f"{chain.unsealed} entries have not been sealed since {chain.unsealed_since}"
            )

    def _find(self, kind: str, seq: int, what: str) -> None:
        self.findings.append(Finding(kind, seq, what))


def _anchor(changes: str) -> tuple[int, str] | None:
    """Returns the anchor in the changes of a `prune` entry, or None if there is none."""
    try:
        new = json.loads(changes)["anchor"]["new"]
        return new["seq"], new["sum"]
    except (ValueError, KeyError, TypeError):
        return None
