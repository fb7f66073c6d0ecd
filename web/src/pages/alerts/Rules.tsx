import { useState } from "react";

import { useAlertRules, useDeleteRule, useSilenceRule } from "../../api/alerts";
import type { AlertRule } from "../../api/schema";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import { DataTable, type Column } from "../../ui/DataTable";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Time } from "../../ui/Time";
import { formatSeconds } from "../../ui/time";
import { useAct } from "../../ui/toast";
import { CreateRule } from "./CreateRule";

const SILENCE_SECONDS = 3600;

const COLUMNS: Column<AlertRule>[] = [
  { name: "Rule", cell: (rule) => <span className="font-medium">{rule.name}</span> },
  { name: "Fires if", cell: meaningOf, className: "min-w-48" },
  { name: "Delivers to", cell: (rule) => rule.destination ?? "nowhere", wide: true },
  { name: "State", cell: (rule) => <State rule={rule} /> },
];

function meaningOf(rule: AlertRule): string {
  const time = formatSeconds(rule.seconds);
  const failures = rule.threshold === 1 ? "fails once" : `fails ${rule.threshold} times`;
  return {
    job_failures: `${rule.target ?? "any job"} ${failures} within ${time}`,
    dataset_age: `${rule.target ?? "a dataset"} has no commit for ${time}`,
    dead_effects:
      rule.threshold === 1 ? "a side effect failed for good" : `${rule.threshold} side effects failed for good`,
    no_worker: `tasks of ${rule.target ?? "any queue"} wait ${time} for a worker`,
    job_alerts: `${rule.target ?? "a job with alert_evaluate"} finds something`,
    pool_trouble: `${rule.target ?? "any pool"} has had problems for ${time}`,
  }[rule.kind];
}

function isSilenced(rule: AlertRule): boolean {
  return rule.silenced_until !== null && Date.parse(rule.silenced_until) > Date.now();
}

function State({ rule }: { rule: AlertRule }) {
  if (!isSilenced(rule)) return <StatusBadge status="active" />;
  return (
    <span className="inline-flex items-center gap-2">
      <StatusBadge status="silenced" tone="warn" />
      <span className="text-xs text-muted">
        ends <Time at={rule.silenced_until} />
      </span>
    </span>
  );
}

/** The rules that find alerts: create, silence, delete. */
export function Rules() {
  const rules = useAlertRules();
  const mayWrite = useMay("alerts:write");
  const [creating, setCreating] = useState(false);
  const actions: Column<AlertRule> = { name: "Actions", cell: (rule) => <Actions rule={rule} /> };
  return (
    <Panel title="Rules" flush aside={mayWrite && <Button onClick={() => setCreating(true)}>Create a rule</Button>}>
      <Loaded read={rules}>
        {() => (
          <DataTable
            label="Rules"
            rows={rules.rows}
            columns={mayWrite ? [...COLUMNS, actions] : COLUMNS}
            rowKey={(rule) => rule.name}
            more={{ has: rules.hasNextPage, busy: rules.isFetchingNextPage, load: rules.fetchNextPage }}
            empty={<Empty title="There are no rules yet." command="tenuto alerts set failures job_failures" />}
          />
        )}
      </Loaded>
      {creating && <CreateRule close={() => setCreating(false)} />}
    </Panel>
  );
}

function Actions({ rule }: { rule: AlertRule }) {
  const silence = useSilenceRule();
  const remove = useDeleteRule();
  const confirm = useConfirm();
  const act = useAct();
  const path = { name: rule.name };
  const ask = async () => {
    const agreed = await confirm({
      title: `Delete the rule ${rule.name}?`,
      happens: "The rule no longer opens alerts, and its open alerts are resolved.",
      undo: "This cannot be undone; create the rule again.",
      action: "Delete the rule",
      danger: true,
    });
    if (agreed) await act(() => remove.mutateAsync({ path }), `${rule.name} is deleted.`);
  };
  const silent = isSilenced(rule);
  const seconds = silent ? 0 : SILENCE_SECONDS;
  const done = silent ? `${rule.name} delivers again.` : `${rule.name} delivers nothing for an hour.`;
  return (
    <div className="flex flex-wrap gap-1">
      <Button onClick={() => void act(() => silence.mutateAsync({ path, body: { seconds } }), done)}>
        {silent ? "End the silence" : "Silence for 1 h"}
      </Button>
      <Button kind="danger" onClick={() => void ask()}>
        Delete
      </Button>
    </div>
  );
}
