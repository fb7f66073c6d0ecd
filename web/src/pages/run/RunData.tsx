import { downloadRun, useRunData } from "../../api/runs";
import type { RunResponse } from "../../api/schema";
import { Button } from "../../ui/Button";
import { Json } from "../../ui/Json";
import { Panel } from "../../ui/Page";
import { Loaded } from "../../ui/States";
import { Time } from "../../ui/Time";
import { useAct } from "../../ui/toast";

/** What went into a run, what came out, and what its tasks stored for each other. */
export function RunData({ run }: { run: RunResponse }) {
  const data = useRunData(run.id);
  const act = useAct();
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Panel title="Input">
        <Json value={run.input} none="The run was started without input." />
      </Panel>
      <Panel title="Output">
        <Json value={run.output} none={run.output_omitted ? "The output is too large to show." : "No output yet."} />
      </Panel>
      <Panel title="Metadata">
        <Json value={run.metadata} none="No metadata." />
      </Panel>
      <Panel title="Run data">
        <Loaded read={data}>
          {(found) =>
            found.items.length === 0 ? (
              <p className="text-sm text-muted">
                No task stored data; <code className="font-mono">ctx.data.put(key, value)</code> does.
              </p>
            ) : (
              <ul className="flex flex-col gap-4">
                {found.items.map((item) => (
                  <li key={item.id}>
                    <div className="mb-1 flex justify-between gap-2 text-sm">
                      <span className="font-mono text-xs [overflow-wrap:anywhere]">{item.key}</span>
                      <span className="text-xs text-muted">
                        <Time at={item.updated_at} />
                      </span>
                    </div>
                    <Json value={item.value} />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Panel>
      <div>
        <Button onClick={() => void act(() => downloadRun(run.id), "The run is saved.")}>
          Download the run as JSON
        </Button>
      </div>
    </div>
  );
}
