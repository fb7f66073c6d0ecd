import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";

import { useDestinations, useEffects, useReplay } from "../../api/outbox";
import type { EffectSummary } from "../../api/schema";
import { useMay } from "../../api/session";
import { useStatus } from "../../api/status";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import { Copy } from "../../ui/Copy";
import { DataTable, useSelection, type Column, type Selection } from "../../ui/DataTable";
import { Choice, TextFilter } from "../../ui/Filters";
import { Block, Json } from "../../ui/Json";
import { Figure, Page, Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Time } from "../../ui/Time";
import { formatCount, formatSeconds } from "../../ui/time";
import { useAct } from "../../ui/toast";
import { EFFECT_STATUSES, outboxRoute, type EffectStatusName, type OutboxSearch } from "./route";

const COLUMNS: Column<EffectSummary>[] = [
  { name: "State", cell: (effect) => <StatusBadge status={effect.status} /> },
  { name: "Kind", cell: (effect) => <span className="font-medium">{effect.kind}</span> },
  { name: "Destination", cell: (effect) => (effect.destination === "" ? "–" : effect.destination), wide: true },
  { name: "Attempts", cell: (effect) => effect.attempts, numeric: true },
  { name: "Created", cell: (effect) => <Time at={effect.created_at} /> },
  { name: "Next", cell: (effect) => <Next effect={effect} />, wide: true },
  {
    name: "Last error",
    cell: (effect) => <span className="line-clamp-2 text-bad [overflow-wrap:anywhere]">{effect.last_error}</span>,
    className: "max-w-96",
  },
  {
    name: "Payload",
    cell: (effect) => <span className="block truncate font-mono text-xs">{JSON.stringify(effect.payload)}</span>,
    wide: true,
    className: "max-w-72",
  },
];

function Next({ effect }: { effect: EffectSummary }) {
  return <Time at={effect.status === "pending" ? effect.available_at : null} />;
}

export function OutboxPage() {
  const search = outboxRoute.useSearch();
  const navigate = useNavigate({ from: "/outbox" });
  const change = useCallback(
    (next: Partial<OutboxSearch>) =>
      void navigate({ search: (old: OutboxSearch) => ({ ...old, ...next }), replace: true }),
    [navigate],
  );
  const effects = useEffects(search.status, search.kind);
  const status = useStatus();
  const oldest = status.data?.oldest_effect_seconds;
  const selection = useSelection();
  const mayWrite = useMay("outbox:write");
  const shown = effects.rows.find((effect) => String(effect.id) === search.effect);
  return (
    <Page title="Outbox" about="Side effects that are delivered to other systems; dead ones failed for good.">
      <div className="grid grid-cols-3 gap-3 md:max-w-2xl">
        <Figure name="Pending" value={formatCount(status.data?.outbox_pending ?? 0)} />
        <Figure name="Oldest waits for" value={typeof oldest === "number" ? formatSeconds(oldest) : "–"} />
        <Figure
          name="Dead"
          value={formatCount(status.data?.outbox_dead ?? 0)}
          bad={(status.data?.outbox_dead ?? 0) > 0}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Choice
          label="State"
          options={EFFECT_STATUSES}
          value={search.status}
          onChange={(next) => change({ status: next as EffectStatusName | undefined })}
        />
        <TextFilter label="Kind" value={search.kind} onChange={useCallback((kind) => change({ kind }), [change])} />
        {mayWrite && <Replay effects={effects.rows} selection={selection} />}
      </div>
      {shown !== undefined && <Details effect={shown} close={() => change({ effect: undefined })} />}
      <Panel flush>
        <Loaded read={effects}>
          {() => (
            <DataTable
              label="Side effects"
              rows={effects.rows}
              columns={COLUMNS}
              rowKey={(effect) => String(effect.id)}
              open={(effect) => change({ effect: search.effect === String(effect.id) ? undefined : String(effect.id) })}
              selection={mayWrite ? selection : undefined}
              selectable={(effect) => effect.status === "dead"}
              more={{ has: effects.hasNextPage, busy: effects.isFetchingNextPage, load: effects.fetchNextPage }}
              empty={
                <Empty title="No side effect matches." command="tenuto destinations --help">
                  Tasks publish side effects; an admin declares where they go.
                </Empty>
              }
            />
          )}
        </Loaded>
      </Panel>
      <DestinationList />
    </Page>
  );
}

/** One side effect in full: what is delivered, and why it was not. */
function Details({ effect, close }: { effect: EffectSummary; close: () => void }) {
  return (
    <Panel title={`Side effect ${effect.id}`} aside={<Button onClick={close}>Close</Button>}>
      <div className="flex flex-col gap-3">
        {effect.last_error !== null && <Block text={effect.last_error} />}
        <Json value={effect.payload} none="It has no payload." />
        {effect.key !== null && (
          <p className="text-sm">
            <span className="text-muted">Key </span>
            <Copy text={effect.key} />
          </p>
        )}
      </div>
    </Panel>
  );
}

function Replay({ effects, selection }: { effects: EffectSummary[]; selection: Selection }) {
  const replay = useReplay();
  const confirm = useConfirm();
  const act = useAct();
  const dead = effects.filter((effect) => selection.keys.has(String(effect.id)) && effect.status === "dead");
  const count = dead.length === 1 ? "1 dead side effect" : `${dead.length} dead side effects`;
  const ask = async () => {
    const agreed = await confirm({
      title: `Deliver ${count} again?`,
      happens: "Dead side effects become pending and are delivered now, with new attempts.",
      undo: "A delivery cannot be undone; the receiver sees the same key and can ignore a second delivery.",
      action: "Deliver again",
    });
    if (!agreed) return;
    const ids = dead.map((effect) => effect.id);
    if (await act(() => replay.mutateAsync({ body: { ids } }), `Delivering ${count} again.`)) selection.set([]);
  };
  if (dead.length === 0) return null;
  return (
    <Button busy={replay.isPending} onClick={() => void ask()}>
      Deliver {count} again
    </Button>
  );
}

function DestinationList() {
  const destinations = useDestinations();
  return (
    <Panel title="Destinations" flush>
      <Loaded read={destinations}>
        {(found) => (
          <DataTable
            label="Destinations"
            rows={found.items}
            rowKey={(destination) => destination.name}
            columns={[
              { name: "Name", cell: (destination) => destination.name },
              { name: "URL", cell: (destination) => <span className="font-mono text-xs">{destination.url}</span> },
              { name: "Changed", cell: (destination) => <Time at={destination.updated_at} />, wide: true },
            ]}
            empty={<Empty title="No destination is declared." />}
          />
        )}
      </Loaded>
    </Panel>
  );
}
