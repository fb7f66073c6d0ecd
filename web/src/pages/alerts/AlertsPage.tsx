import { useNavigate } from "@tanstack/react-router";

import { useAcknowledge, useAlerts } from "../../api/alerts";
import type { Alert } from "../../api/schema";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { DataTable, type Column } from "../../ui/DataTable";
import { Choice } from "../../ui/Filters";
import { Page, Panel } from "../../ui/Page";
import { Person } from "../../ui/Person";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Time } from "../../ui/Time";
import { useAct } from "../../ui/toast";
import { ALERT_STATUSES, alertsRoute, type AlertStatusName } from "./route";
import { Rules } from "./Rules";
import { Subject } from "./Subject";

const COLUMNS: Column<Alert>[] = [
  { name: "State", cell: (alert) => <StatusBadge status={alert.status} /> },
  { name: "What", cell: (alert) => <Subject alert={alert} />, className: "min-w-48" },
  { name: "Rule", cell: (alert) => alert.rule, wide: true },
  { name: "Since", cell: (alert) => <Time at={alert.first_at} /> },
  { name: "Seen", cell: (alert) => <Time at={alert.last_at} />, wide: true },
  { name: "Acknowledged by", cell: (alert) => <Person id={alert.acknowledged_by} />, wide: true },
];

export function AlertsPage() {
  const { status } = alertsRoute.useSearch();
  const navigate = useNavigate({ from: "/alerts" });
  const alerts = useAlerts(status);
  const mayWrite = useMay("alerts:write");
  const actions: Column<Alert> = { name: "Actions", cell: (alert) => <Acknowledge alert={alert} /> };
  return (
    <Page
      title="Alerts"
      about="Problems that rules found. An alert is resolved when its rule no longer finds the problem."
      actions={
        <Choice
          label="State"
          options={ALERT_STATUSES}
          value={status}
          onChange={(next) => void navigate({ search: { status: next as AlertStatusName | undefined }, replace: true })}
        />
      }
    >
      <Panel flush>
        <Loaded read={alerts}>
          {() => (
            <DataTable
              label="Alerts"
              rows={alerts.rows}
              columns={mayWrite ? [...COLUMNS, actions] : COLUMNS}
              rowKey={(alert) => alert.id}
              more={{ has: alerts.hasNextPage, busy: alerts.isFetchingNextPage, load: alerts.fetchNextPage }}
              empty={<Empty title={status === undefined ? "There are no alerts." : `No alert is ${status}.`} />}
            />
          )}
        </Loaded>
      </Panel>
      <Rules />
    </Page>
  );
}

function Acknowledge({ alert }: { alert: Alert }) {
  const acknowledge = useAcknowledge();
  const act = useAct();
  if (alert.status !== "firing") return null;
  const path = { alert_id: alert.id };
  return (
    <Button onClick={() => void act(() => acknowledge.mutateAsync({ path }), "You acknowledged the alert.")}>
      Acknowledge
    </Button>
  );
}
