import { useNavigate } from "@tanstack/react-router";

import { useDagGraph, useJobs } from "../../api/dags";
import type { JobNode } from "../../api/schema";
import { useMay } from "../../api/session";
import { Graph } from "../../ui/Graph";
import type { GraphEdge, GraphNode } from "../../ui/graphSizes";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";

/** The jobs of the current version and the datasets between them; a click opens a dataset. */
export function DagGraph({ name, yaml }: { name: string; yaml: string }) {
  const graph = useDagGraph(name, yaml);
  const jobs = useJobs(name);
  const navigate = useNavigate();
  const mayOpen = useMay("datasets:read");
  const paused = new Set(jobs.rows.filter((job) => job.paused_at !== null).map((job) => job.name));
  const open = (id: string) => {
    const [kind, ...rest] = id.split(" ");
    if (kind === "dataset" && mayOpen) void navigate({ to: "/datasets/$name", params: { name: rest.join(" ") } });
    else void navigate({ to: "/dags/$name", params: { name }, search: { tab: "jobs" } });
  };
  return (
    <Panel flush>
      <Loaded read={graph}>{(found) => <JobGraph jobs={found.jobs} paused={paused} open={open} />}</Loaded>
    </Panel>
  );
}

interface JobGraphProps {
  jobs: JobNode[];
  paused?: ReadonlySet<string>;
  open?: (id: string) => void;
  className?: string;
}

const NOBODY: ReadonlySet<string> = new Set();

/** Draws the jobs of a document: a job leads to the datasets that it publishes, and these to jobs that read them. */
export function JobGraph({ jobs, paused = NOBODY, open, className }: JobGraphProps) {
  if (jobs.length === 0) return <Empty title="The document has no jobs." />;
  const published = new Set(jobs.flatMap((job) => job.datasets));
  const others = new Set(
    jobs.flatMap((job) => job.reads.flatMap((read) => (read.dataset === null ? [] : [read.dataset]))),
  );
  const nodes: GraphNode[] = [
    ...jobs.map((job): GraphNode => ({
      id: `job ${job.name}`,
      title: job.name,
      about: paused.has(job.name) ? "paused" : `${job.activation} · ${job.operator}`,
      tone: paused.has(job.name) ? "warn" : "info",
    })),
    ...[...new Set([...published, ...others])].map((dataset): GraphNode => ({
      id: `dataset ${dataset}`,
      title: dataset,
      about: published.has(dataset) ? "dataset" : "dataset of another DAG",
      tone: "grey",
    })),
  ];
  return <Graph label="Graph of the DAG" nodes={nodes} edges={edgesOf(jobs)} open={open} className={className} />;
}

function edgesOf(jobs: JobNode[]): GraphEdge[] {
  return jobs.flatMap((job) => [
    ...job.datasets.map((dataset) => ({ from: `job ${job.name}`, to: `dataset ${dataset}` })),
    ...job.reads.map((read) => ({
      from: read.dataset === null ? `job ${read.job ?? ""}` : `dataset ${read.dataset}`,
      to: `job ${job.name}`,
      dashed: !read.triggers, // it is only read, and starts nothing
    })),
  ]);
}
