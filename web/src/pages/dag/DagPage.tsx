import { useNavigate } from "@tanstack/react-router";

import { useDag } from "../../api/dags";
import type { DagVersionText } from "../../api/schema";
import { Page } from "../../ui/Page";
import { Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Tabs } from "../../ui/Tabs";
import { Time } from "../../ui/Time";
import { DagGraph } from "./DagGraph";
import { DeleteDag } from "./DeleteDag";
import { Editor } from "./Editor";
import { History } from "./History";
import { Jobs } from "./Jobs";
import { dagRoute, type DagTab } from "./route";
import { Versions } from "./Versions";

const TABS: readonly (readonly [DagTab, string])[] = [
  ["graph", "Graph"],
  ["jobs", "Jobs"],
  ["versions", "Versions"],
  ["history", "History"],
  ["yaml", "Editor"],
];

export function DagPage() {
  const { name } = dagRoute.useParams();
  const { tab = "graph" } = dagRoute.useSearch();
  const navigate = useNavigate({ from: "/dags/$name" });
  const dag = useDag(name);
  return (
    <Page
      title={name}
      about={dag.data === undefined ? "DAG" : <Summary dag={dag.data} />}
      actions={dag.data !== undefined && <DeleteDag name={name} />}
    >
      <Tabs
        label="Parts of the DAG"
        tabs={TABS}
        value={tab}
        onChange={(next) => void navigate({ search: { tab: next }, replace: true })}
      />
      <Loaded read={dag}>
        {(found) => (
          <>
            <Warnings texts={found.warnings} />
            {tab === "graph" && <DagGraph name={name} yaml={found.yaml} />}
            {tab === "jobs" && <Jobs dag={name} />}
            {tab === "versions" && <Versions name={name} current={found} />}
            {tab === "history" && <History name={name} />}
            {tab === "yaml" && <Editor key={found.yaml_hash} text={found.yaml} name={name} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Which jobs of the current version no worker can run. */
function Warnings({ texts }: { texts: string[] }) {
  return (
    <>
      {texts.map((text) => (
        <p key={text} role="status" className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          {text}
        </p>
      ))}
    </>
  );
}

function Summary({ dag }: { dag: DagVersionText }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <StatusBadge status={dag.status} />
      version {dag.version}, deployed <Time at={dag.created_at} />
    </span>
  );
}
