"""The state that the loops of one dispatcher process share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from uuid import UUID

from tenuto.db.connection.pool import ConnectionPool
from tenuto.dispatcher.adoption import Adoption
from tenuto.dispatcher.effects import EffectRunner, Handler
from tenuto.dispatcher.fleet.control import Fleet
from tenuto.dispatcher.local_workers import LocalWorkers
from tenuto.model.keys import Peppers
from tenuto.model.run_data import CollectedObject
from tenuto.providers.base import Provider
from tenuto.storage.base import Store


@dataclass
class Dispatcher:
    """One process that runs the loops: its identity and its database connections."""

    id: UUID
    pool: ConnectionPool
    owner_pool: ConnectionPool  # keeps the role of the login, which may be allowed to vacuum
    address: str
    port: int  # the port of the metrics endpoint; 0: there is none
    org_id: UUID | None = None  # the org of the metrics and of the pools
    store: Store | None = None  # where large data objects are stored
    peppers: Peppers | None = None  # used to decrypt the signing key
    handlers: Mapping[str, Handler] = field(default_factory=dict[str, Handler])  # the handlers of effects, by kind
    # objects whose files must be deleted from the store
    collected: list[CollectedObject] = field(default_factory=list[CollectedObject])
    providers: Mapping[str, Provider] = field(default_factory=dict[str, Provider])  # the providers of pools, by name
    installation: str | None = None  # TENUTO_INSTALLATION
    adoption: Adoption = field(default_factory=Adoption)
    looked_from_bottom: float = -inf  # when move_floors last started from the bottom
    local_workers: LocalWorkers = field(default_factory=LocalWorkers)
    effects: EffectRunner = field(init=False)
    fleet: Fleet = field(init=False)

    @property
    def store_root(self) -> str | None:
        return None if self.store is None else self.store.root

    def __post_init__(self) -> None:
        self.effects = EffectRunner(self.pool, self.handlers, owner=str(self.id))
        self.fleet = Fleet(
            self.pool, self.id, self.providers, self.org_id, installation=self.installation, store=self.store_root
        )
