import type { DatasetChange, JobChange, Rebuild } from "../../api/schema";
import { StatusBadge, type Tone } from "../../ui/Status";
import { formatCount } from "../../ui/time";

const TONES: Record<string, Tone> = {
  added: "ok",
  removed: "bad",
  data: "warn",
  rebuilt: "warn",
  moved: "warn",
};

// What a kind of change means for a job.
const KINDS: Record<string, string> = { data: "computed again", metadata: "not computed again" };

export interface ChangeSet {
  jobs: JobChange[];
  datasets: DatasetChange[];
  unchanged_jobs: number;
  warnings: string[];
  rebuilds?: Rebuild[];
  denied?: string[];
}

/** What a deploy changes, or what differs between two versions: jobs, datasets, and what is computed again. */
export function Changes({ changes }: { changes: ChangeSet }) {
  const rebuilds = new Map((changes.rebuilds ?? []).map((rebuild) => [rebuild.job, rebuild]));
  return (
    <div className="flex flex-col gap-3 text-sm">
      {(changes.denied ?? []).map((reason) => (
        <p key={reason} role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-bad">
          This deploy is refused: {reason}
        </p>
      ))}
      {changes.warnings.map((warning) => (
        <p key={warning} className="rounded-md bg-warn-soft px-3 py-2 text-warn">
          {warning}
        </p>
      ))}
      {changes.jobs.length === 0 && changes.datasets.every((change) => change.kind === "reused") ? (
        <p>Nothing changes: all {changes.unchanged_jobs} jobs are the same.</p>
      ) : (
        <>
          <ul className="flex flex-col gap-2">
            {changes.jobs.map((change) => (
              <JobRow key={change.job} change={change} rebuild={rebuilds.get(change.job)} />
            ))}
          </ul>
          <p className="text-muted">
            {changes.unchanged_jobs === 1
              ? "1 job stays as it is."
              : `${formatCount(changes.unchanged_jobs)} jobs stay as they are.`}
          </p>
        </>
      )}
      {changes.datasets.length > 0 && (
        <ul className="flex flex-col gap-1.5 border-t border-line pt-3">
          {changes.datasets.map((change) => (
            <li key={change.dataset} className="flex flex-wrap items-center gap-2">
              <StatusBadge status={change.kind} tone={TONES[change.kind] ?? "grey"} />
              <span className="font-medium">{change.dataset}</span>
              {change.renamed_from !== null && <span className="text-muted">was {change.renamed_from}</span>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function JobRow({ change, rebuild }: { change: JobChange; rebuild: Rebuild | undefined }) {
  const reasons = [
    change.fields.length > 0 ? `changes ${change.fields.join(", ")}` : "",
    change.because_of.length > 0 ? `because of ${change.because_of.join(", ")}` : "",
    change.renamed_from === null ? "" : `was ${change.renamed_from}`,
    rebuild === undefined ? "" : costOf(rebuild),
  ];
  return (
    <li className="flex flex-wrap items-center gap-2">
      <StatusBadge status={KINDS[change.kind] ?? change.kind} tone={TONES[change.kind] ?? "grey"} />
      <span className="font-medium">{change.job}</span>
      <span className="text-muted">{reasons.filter((reason) => reason !== "").join("; ")}</span>
    </li>
  );
}

function costOf(rebuild: Rebuild): string {
  if (rebuild.tasks === null) return "an unknown number of tasks";
  return `${formatCount(rebuild.tasks)} ${rebuild.tasks === 1 ? "task" : "tasks"}`;
}
