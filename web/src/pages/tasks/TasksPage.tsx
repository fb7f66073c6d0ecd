import { useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

import { useTasks } from "../../api/tasks";
import { Button } from "../../ui/Button";
import { DataTable } from "../../ui/DataTable";
import { Choice, TextFilter, Toggles } from "../../ui/Filters";
import { Page, Panel } from "../../ui/Page";
import { SavedViews } from "../../ui/SavedViews";
import { Empty, Loaded } from "../../ui/States";
import { PERIODS, sinceOf } from "../search";
import { TASK_COLUMNS } from "./columns";
import { TASK_STATUSES, tasksRoute, type TasksSearch, type TaskStatusName } from "./route";

export function TasksPage() {
  const search = tasksRoute.useSearch();
  const navigate = useNavigate({ from: "/tasks" });
  const change = useCallback(
    (next: Partial<TasksSearch>) =>
      void navigate({ search: (old: TasksSearch) => ({ ...old, ...next }), replace: true }),
    [navigate],
  );
  const query = useMemo(
    () => ({
      limit: 50,
      status: search.status,
      type: search.type,
      queue: search.queue,
      job: search.job,
      since: sinceOf(search.since),
    }),
    [search],
  );
  const tasks = useTasks(query);
  const filtered = Object.values(search).some(Boolean);
  return (
    <Page title="Tasks" about="All tasks of all runs, newest first. A filter searches the newest 10,000.">
      <div className="flex flex-wrap items-center gap-2">
        <Toggles
          label="States"
          options={TASK_STATUSES}
          value={search.status ?? []}
          onChange={(status) => change({ status: status.length > 0 ? (status as TaskStatusName[]) : undefined })}
        />
        <TextFilter label="Type" value={search.type} onChange={useCallback((type) => change({ type }), [change])} />
        <TextFilter label="Queue" value={search.queue} onChange={useCallback((queue) => change({ queue }), [change])} />
        <TextFilter
          label="Job"
          placeholder="Job: DAG/JOB"
          value={search.job}
          onChange={useCallback((job) => change({ job }), [change])}
        />
        <Choice
          label="Created"
          all="any time"
          options={PERIODS}
          value={search.since}
          onChange={(since) => change({ since })}
        />
        {filtered && <Button onClick={() => void navigate({ search: {}, replace: true })}>Clear filters</Button>}
        <SavedViews page="tasks" search={search} open={(view) => void navigate({ search: view })} />
      </div>
      <Panel flush>
        <Loaded read={tasks}>
          {() => (
            <DataTable
              label="Tasks"
              rows={tasks.rows}
              columns={TASK_COLUMNS}
              rowKey={(task) => task.id}
              open={(task) => void navigate({ to: "/tasks/$taskId", params: { taskId: task.id } })}
              more={{ has: tasks.hasNextPage, busy: tasks.isFetchingNextPage, load: tasks.fetchNextPage }}
              empty={
                filtered ? (
                  <Empty title="No task matches these filters." />
                ) : (
                  <Empty title="There are no tasks yet. Start one:" command="tenuto start app.task name=value" />
                )
              }
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}
