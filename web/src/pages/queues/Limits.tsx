import { useState } from "react";

import { useLimits, useResetLimit, useSetLimit } from "../../api/queues";
import type { LimitStatus } from "../../api/schema";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import { DataTable, type Column } from "../../ui/DataTable";
import { Field, FormDialog, SelectField } from "../../ui/Form";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { formatCount, formatSeconds } from "../../ui/time";
import { useAct } from "../../ui/toast";

type Scope = "queue" | "key";

interface Chosen {
  scope: Scope;
  key: string;
  size: string;
}

const COLUMNS: Column<LimitStatus>[] = [
  { name: "Limit", cell: (limit) => `${limit.scope} ${limit.key}` },
  { name: "In use", cell: (limit) => `${formatCount(limit.used)} of ${formatCount(limit.size)}`, numeric: true },
  { name: "Per", cell: (limit) => (limit.seconds === null ? "at a time" : formatSeconds(limit.seconds)) },
  { name: "Waiting", cell: (limit) => formatCount(limit.waiting), numeric: true },
  {
    name: "",
    cell: (limit) => (limit.overridden ? <StatusBadge status="overridden" tone="info" /> : null),
    wide: true,
  },
];

/** How many tasks run or start at a time; a size that is set here stays until it is reset. */
export function Limits() {
  const limits = useLimits();
  const mayWrite = useMay("queues:write");
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const actions: Column<LimitStatus> = {
    name: "Actions",
    cell: (limit) => <Actions limit={limit} change={setChosen} />,
  };
  return (
    <Panel
      title="Limits"
      flush
      aside={
        mayWrite && <Button onClick={() => setChosen({ scope: "queue", key: "", size: "10" })}>Set a limit</Button>
      }
    >
      <Loaded read={limits}>
        {() => (
          <DataTable
            label="Limits"
            rows={limits.rows}
            columns={mayWrite ? [...COLUMNS, actions] : COLUMNS}
            rowKey={(limit) => `${limit.scope} ${limit.key}`}
            more={{ has: limits.hasNextPage, busy: limits.isFetchingNextPage, load: limits.fetchNextPage }}
            empty={<Empty title="No limits are in use." command="tenuto limits set queue default 10" />}
          />
        )}
      </Loaded>
      {chosen !== null && <SetLimit chosen={chosen} close={() => setChosen(null)} />}
    </Panel>
  );
}

function Actions({ limit, change }: { limit: LimitStatus; change: (chosen: Chosen) => void }) {
  const reset = useResetLimit();
  const confirm = useConfirm();
  const act = useAct();
  if (limit.scope === "rate") return null; // declared where tasks are, and nowhere else
  const scope: Scope = limit.scope;
  const ask = async () => {
    const agreed = await confirm({
      title: `Reset the limit of ${limit.scope} ${limit.key}?`,
      happens: "The limit then has the size that workers declare, or else the size that the next start passes.",
      undo: "You can set a size again.",
      action: "Reset the limit",
    });
    if (agreed) await act(() => reset.mutateAsync({ path: { scope, key: limit.key } }), "The limit is reset.");
  };
  return (
    <div className="flex flex-wrap gap-1">
      <Button onClick={() => change({ scope, key: limit.key, size: String(limit.size) })}>Change</Button>
      {limit.overridden && <Button onClick={() => void ask()}>Reset</Button>}
    </div>
  );
}

function SetLimit({ chosen, close }: { chosen: Chosen; close: () => void }) {
  const set = useSetLimit();
  const [scope, setScope] = useState(chosen.scope);
  const [key, setKey] = useState(chosen.key);
  const [size, setSize] = useState(chosen.size);
  return (
    <FormDialog
      title="Set a limit"
      about="At most this many of the tasks that declare the limit run at a time, on all workers, until it is reset."
      action="Set the limit"
      done={`At most ${size} tasks of ${scope} ${key} run at a time.`}
      close={close}
      submit={() => set.mutateAsync({ path: { scope, key }, body: { size: Number(size) } })}
    >
      <SelectField
        label="Of"
        value={scope}
        options={[["queue", "a queue"], ["key", "a key"]] as const}
        onChange={setScope}
      />
      <Field label="Name" required autoFocus value={key} onChange={setKey} />
      <Field label="Tasks at a time" type="number" min={1} required value={size} onChange={setSize} />
    </FormDialog>
  );
}
