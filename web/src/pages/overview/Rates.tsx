import type { ActivityRate } from "../../api/schema";
import { useRates } from "../../api/status";
import { Chart } from "../../ui/Chart";
import { Choice } from "../../ui/Filters";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { formatSeconds } from "../../ui/time";
import type { Range } from "./range";

type Period = "minute" | "hour" | "day";

const RANGES: Record<Range, [Period, number, number]> = {
  "1h": ["minute", 60, 60],
  "3h": ["minute", 180, 60],
  "7d": ["hour", 168, 3600],
  "90d": ["day", 90, 86_400],
};
const NAMES = [
  ["3h", "last 3 hours"],
  ["7d", "last 7 days"],
  ["90d", "last 90 days"],
] as const;

export function RangeChoice({ range, onChange }: { range: Range; onChange: (range: Range) => void }) {
  const value = range === "1h" ? undefined : range;
  return (
    <Choice
      label="Charts of the"
      all="last hour"
      options={NAMES}
      value={value}
      onChange={(next) => onChange((next ?? "1h") as Range)}
    />
  );
}

/** How much ended over time, and how long it took. */
export function Rates({ range }: { range: Range }) {
  const [period, count, seconds] = RANGES[range];
  const rates = useRates(period, count);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Panel title="Attempts that ended" flush aside={`per ${period}`}>
        <Loaded read={rates}>{(found) => <Throughput rates={filled(found.items, seconds, count)} />}</Loaded>
      </Panel>
      <Panel title="Run time and waiting time" flush aside="of completed attempts">
        <Loaded read={rates}>{(found) => <Latency rates={filled(found.items, seconds, count)} />}</Loaded>
      </Panel>
    </div>
  );
}

interface Point {
  at: number;
  rate: ActivityRate | undefined;
}

/** Every minute, hour or day of the range up to now; those without an end have no rate. */
function filled(rates: ActivityRate[], seconds: number, count: number): Point[] {
  const known = new Map(rates.map((rate) => [Date.parse(rate.starts_at) / 1000, rate]));
  const last = Math.floor(Date.now() / 1000 / seconds) * seconds;
  return Array.from({ length: count }, (_, index) => {
    const at = last - (count - 1 - index) * seconds;
    return { at, rate: known.get(at) };
  });
}

function Throughput({ rates }: { rates: Point[] }) {
  if (rates.every((point) => point.rate === undefined)) return <Nothing />;
  return (
    <Chart
      label="Attempts that ended over time"
      times={rates.map((point) => point.at)}
      format={(value) => (value >= 10_000 ? `${Math.round(value / 1000)} k` : String(Math.round(value * 10) / 10))}
      series={[
        { name: "completed", colour: "--ok", values: rates.map(({ rate }) => rate?.completed ?? 0) },
        { name: "failed", colour: "--bad", values: rates.map(({ rate }) => (rate?.failed ?? 0) + (rate?.lost ?? 0)) },
        { name: "retried", colour: "--warn", values: rates.map(({ rate }) => rate?.retried ?? 0) },
      ]}
    />
  );
}

function Latency({ rates }: { rates: Point[] }) {
  if (rates.every((point) => point.rate === undefined)) return <Nothing />;
  return (
    <Chart
      label="Run time and waiting time"
      times={rates.map((point) => point.at)}
      format={formatSeconds}
      series={[
        { name: "median run", colour: "--ok", values: rates.map(({ rate }) => rate?.p50_seconds ?? null) },
        { name: "95th percentile run", colour: "--info", values: rates.map(({ rate }) => rate?.p95_seconds ?? null) },
        { name: "mean wait", colour: "--warn", values: rates.map(({ rate }) => rate?.queue_seconds ?? null) },
      ]}
    />
  );
}

function Nothing() {
  return <Empty title="Nothing ended in this time." command="tenuto start app.task name=value" />;
}
