import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { useDatasets } from "../../api/datasets";
import { useExportQuery, useRunQuery } from "../../api/sql";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { CodeArea } from "../../ui/code/CodeArea";
import { useSqlCompletion } from "../../ui/code/useSqlCompletion";
import { Page, Panel } from "../../ui/Page";
import { ResultTable } from "../../ui/ResultTable";
import { Empty, Failure, Loaded } from "../../ui/States";
import { useAct } from "../../ui/toast";
import { queryRoute } from "./route";

const MAX_ROWS = 1000;

/** One SELECT over datasets, as they are or as they were. The query is in the URL; it runs when it is sent. */
export function QueryPage() {
  const search = queryRoute.useSearch();
  const navigate = useNavigate({ from: "/query" });
  const [sql, setSql] = useState(search.sql ?? "");
  const [asOf, setAsOf] = useState(search.as_of ?? "");
  const run = useRunQuery();
  const save = useExportQuery();
  const act = useAct();
  const body = { sql, as_of: asOf.trim() === "" ? null : asOf.trim(), max_rows: MAX_ROWS };
  const send = () => {
    if (sql.trim() === "") return;
    void navigate({ search: { sql, as_of: body.as_of ?? undefined }, replace: true });
    run.mutate(body);
  };
  return (
    <Page title="Query" about="One SELECT over datasets by name; it reads committed data only, and changes nothing.">
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_16rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <CodeArea
            label="SQL"
            text={sql}
            onChange={setSql}
            onSubmit={send}
            rows={6}
            complete={useSqlCompletion(sql)}
          />
          <div className="flex flex-wrap items-center gap-2">
            <Button kind="primary" busy={run.isPending} disabled={sql.trim() === ""} onClick={send}>
              Run <kbd className="font-sans text-xs opacity-80">Ctrl ↵</kbd>
            </Button>
            <Button
              busy={save.isPending}
              disabled={sql.trim() === ""}
              onClick={() =>
                void act(() => save.mutateAsync({ ...body, max_rows: 100_000 }), "The result is saved as result.csv.")
              }
            >
              Export CSV
            </Button>
            <label className="ml-auto flex items-center gap-2 text-sm text-muted">
              As of
              <input
                value={asOf}
                onChange={(event) => setAsOf(event.target.value)}
                onKeyDown={(event) => event.key === "Enter" && send()}
                placeholder="now, shop@2, an id or a time"
                className="h-8 w-64 max-w-full rounded-md border border-line bg-panel px-2 text-sm text-text"
              />
            </label>
          </div>
          {run.error !== null && <Failure error={run.error} />}
          {run.data !== undefined && (
            <Panel flush>
              <ResultTable result={run.data} />
            </Panel>
          )}
        </div>
        <Catalog choose={(name) => setSql(`select * from "${name}" limit 100`)} />
      </div>
    </Page>
  );
}

/** The datasets to choose from; a click writes a query of one. */
function Catalog({ choose }: { choose: (name: string) => void }) {
  if (!useMay("datasets:read")) return null;
  return <Names choose={choose} />;
}

function Names({ choose }: { choose: (name: string) => void }) {
  const datasets = useDatasets();
  return (
    <Panel title="Datasets" flush>
      <Loaded read={datasets}>
        {() =>
          datasets.rows.length === 0 ? (
            <Empty title="There are no datasets yet." />
          ) : (
            <ul className="max-h-96 overflow-y-auto p-2">
              {datasets.rows.map((dataset) => (
                <li key={dataset.id}>
                  <button
                    type="button"
                    onClick={() => choose(dataset.name)}
                    className="w-full truncate rounded-md px-2 py-1.5 text-left text-sm hover:bg-raised"
                  >
                    {dataset.name}
                    <span className="text-muted"> · {dataset.dag}</span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}
