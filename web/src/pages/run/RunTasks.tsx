import { useNavigate } from "@tanstack/react-router";

import { useRunTasks } from "../../api/tasks";
import { DataTable } from "../../ui/DataTable";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { TASK_COLUMNS } from "../tasks/columns";

export function RunTasks({ runId }: { runId: string }) {
  const tasks = useRunTasks(runId);
  const navigate = useNavigate();
  return (
    <Panel flush>
      <Loaded read={tasks}>
        {() => (
          <DataTable
            label="Tasks of the run"
            rows={tasks.rows}
            columns={TASK_COLUMNS}
            rowKey={(task) => task.id}
            open={(task) => void navigate({ to: "/tasks/$taskId", params: { taskId: task.id } })}
            more={{ has: tasks.hasNextPage, busy: tasks.isFetchingNextPage, load: tasks.fetchNextPage }}
            empty={<Empty title="The run has no tasks." />}
          />
        )}
      </Loaded>
    </Panel>
  );
}
