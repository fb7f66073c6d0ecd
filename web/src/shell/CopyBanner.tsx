import { useCopyProblem } from "../api/status";
import { Command } from "../ui/Copy";

/** Says on every page that the database is a copy of an installation, on which nothing runs until it is adopted. */
export function CopyBanner() {
  const problem = useCopyProblem();
  if (problem === null) return null;
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center justify-between gap-2 border-b border-bad bg-bad-soft px-3 py-2 text-sm
        md:px-6"
    >
      <span>
        <strong>Nothing runs here:</strong> {problem}. Schedules, pools, deliveries and workers wait until an admin
        adopts it.
      </span>
      <Command text="tenuto db adopt --dry-run" />
    </div>
  );
}
