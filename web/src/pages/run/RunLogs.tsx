import { useRunLogs } from "../../api/runs";
import { LogLines } from "../../ui/LogLines";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";

export function RunLogs({ runId, open }: { runId: string; open: boolean }) {
  const logs = useRunLogs(runId, open);
  return (
    <Panel flush>
      <Loaded read={logs}>
        {() =>
          logs.rows.length === 0 ? (
            <Empty title="No task has logged anything.">
              Workers keep what tasks log with <code className="font-mono">ctx.log</code> or the logging module.
            </Empty>
          ) : (
            <LogLines
              lines={logs.rows.map((line) => ({
                key: `${line.task_id}-${line.attempt}-${line.line_no}`,
                at: line.logged_at,
                level: line.level,
                source: line.task,
                taskId: line.task_id,
                message: line.message,
                fields: line.fields,
              }))}
              more={logs.hasNextPage ? () => void logs.fetchNextPage() : undefined}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
