import "uplot/dist/uPlot.min.css";

import { useEffect, useRef } from "react";
import uPlot from "uplot";

import { formatLocal } from "./time";

export interface Series {
  name: string;
  /** A colour token of styles.css, such as `--ok`. */
  colour: string;
  values: (number | null)[];
}

interface ChartProps {
  label: string;
  /** Unix times in seconds, in order. */
  times: number[];
  series: Series[];
  format: (value: number) => string;
}

const HEIGHT = 180;

const DAY_SECONDS = 86_400;

function shownTime(seconds: number): string {
  return formatLocal(new Date(seconds * 1000), "short");
}

/** Dates, or times of the day with the date below the first one of each day. */
function shownTicks(ticks: number[], increment: number): string[] {
  let shown = "";
  return ticks.map((tick) => {
    const [date = "", clock = ""] = shownTime(tick).split(" ");
    if (increment >= DAY_SECONDS) return date;
    const text = date === shown ? clock : `${clock}\n${date}`;
    shown = date;
    return text;
  });
}

/** The places of values without a neighbour, which have no line: they are drawn as points. */
function alone(values: (number | null)[]): number[] {
  const isMissing = (index: number) => (values[index] ?? null) === null;
  return values.flatMap((_, index) =>
    !isMissing(index) && isMissing(index - 1) && isMissing(index + 1) ? [index] : [],
  );
}

/** Values over time as lines; the legend shows those under the pointer. */
export function Chart({ label, times, series, format }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const data = JSON.stringify([times, series]);
  useEffect(() => {
    const place = element.current;
    if (place === null) return;
    const draw = () => {
      const style = getComputedStyle(document.documentElement);
      const colour = (name: string) => style.getPropertyValue(name).trim();
      const font = `11px ${getComputedStyle(place).fontFamily}`;
      const axis = {
        font,
        stroke: colour("--muted"),
        grid: { stroke: colour("--line"), width: 1 },
        ticks: { show: false },
      };
      return new uPlot(
        {
          width: place.clientWidth,
          height: HEIGHT,
          cursor: { points: { size: 6 } },
          legend: { markers: { fill: (_, index) => colour(series[index - 1]?.colour ?? "--muted") } },
          scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
          axes: [
            { ...axis, space: 80, values: (_, ticks, __, ___, increment) => shownTicks(ticks, increment) },
            { ...axis, size: 56, values: (_, ticks) => ticks.map(format) },
          ],
          series: [
            { label: "at", value: (_, at: number | null) => (at === null ? "" : shownTime(at)) },
            ...series.map((one) => ({
              label: one.name,
              stroke: colour(one.colour),
              width: 2,
              points: { show: false, filter: () => alone(one.values) },
              value: (_: uPlot, value: number | null, __: number, index: number | null) =>
                index === null ? "" : value === null ? "–" : format(value),
            })),
          ],
        },
        [times, ...series.map((one) => one.values)],
        place,
      );
    };
    let chart = draw();
    const again = () => {
      chart.destroy();
      chart = draw();
    };
    const width = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: HEIGHT }));
    width.observe(place);
    const theme = new MutationObserver(again);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      width.disconnect();
      theme.disconnect();
      chart.destroy();
    };
  }, [data]); // eslint-disable-line react-hooks/exhaustive-deps -- the data is compared by its content
  return (
    <div ref={element} role="img" aria-label={label} className="min-h-[212px] overflow-hidden px-2 pt-3 pb-2 text-xs" />
  );
}
