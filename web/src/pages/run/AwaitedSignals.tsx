import type { AwaitedSignal } from "../../api/schema";
import { Time } from "../../ui/Time";

/** A signal with the value that its task expects: `answer (integer)`. */
export function describeSignal(signal: AwaitedSignal): string {
  return signal.expects === null ? signal.name : `${signal.name} (${signal.expects})`;
}

/** The signals that tasks of a run wait for, each with the end of its wait. */
export function AwaitedSignals({ signals }: { signals: AwaitedSignal[] }) {
  return (
    <ul>
      {signals.map((signal) => (
        <li key={signal.task_id}>
          Signal {describeSignal(signal)}
          {signal.until !== null && (
            <>
              {" until "}
              <Time at={signal.until} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
