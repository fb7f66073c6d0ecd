import { useDagVersion } from "../../api/dags";
import { Loaded } from "../../ui/States";
import { diffLines, type DiffLine } from "./diffLines";

const LOOKS: Record<DiffLine["kind"], [string, string]> = {
  same: ["", " "],
  added: ["bg-ok-soft text-ok", "+"],
  removed: ["bg-bad-soft text-bad", "-"],
  gap: ["text-muted", " "],
};

/** The lines of the documents of two versions that differ. */
export function TextDiff({ name, versions }: { name: string; versions: { old: number; new: number } }) {
  const before = useDagVersion(name, versions.old);
  const after = useDagVersion(name, versions.new);
  return (
    <Loaded read={before}>
      {(old) => <Loaded read={after}>{(now) => <Lines lines={diffLines(old.yaml, now.yaml)} />}</Loaded>}
    </Loaded>
  );
}

function Lines({ lines }: { lines: DiffLine[] }) {
  if (lines.length === 0) return <p className="text-sm text-muted">The documents are the same.</p>;
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label="Lines that differ"
      className="max-h-[60vh] overflow-auto rounded-md bg-page py-2 font-mono text-xs leading-5"
    >
      {lines.map((line, index) => (
        <div key={index} className={`w-fit min-w-full px-3 whitespace-pre ${LOOKS[line.kind][0]}`}>
          {LOOKS[line.kind][1]} {line.text}
        </div>
      ))}
    </div>
  );
}
