"""Draws the days of fleet_sim.py."""

from math import ceil

COLORS = {"tenuto": "#0a7d4b", "wgp": "#c0392b", "keda": "#2471a3", "ray": "#b9770e"}


def draw(days: dict[str, dict[str, tuple[list[int], list[int]]]]) -> str:
    """Return an SVG: one panel per day, demand as an area, the capacity of each rule as a line. `days`: demand and
    capacity at each step, by day and rule."""
    wide, high, gap = 900, 150, 46
    parts: list[str] = []
    for row, (name, rules) in enumerate(days.items()):
        top = 40 + row * (high + gap)
        demand = rules["tenuto"][0]
        peak = max(max(capacity) for _, capacity in rules.values()) or 1
        count = max(len(capacity) for _, capacity in rules.values())
        every = max(1, ceil(count / wide))

        def line(values: list[int], *, top: int = top, peak: int = peak, count: int = count, every: int = every) -> str:
            points = [(at * wide / count, top + high - min(values[at], peak) * high / peak)
                      for at in range(0, len(values), every)]  # fmt: skip
            return " ".join(f"{50 + x:.0f},{y:.0f}" for x, y in points)

        parts.append(f'<text x="50" y="{top - 8}">{name}: machines, up to {peak}</text>')
        parts.append(f'<polygon fill="#ddd" points="50,{top + high} {line(demand)} {50 + wide},{top + high}"/>')
        parts += [
            f'<polyline fill="none" stroke="{COLORS[rule]}" stroke-width="1.3" points="{line(capacity)}"/>'
            for rule, (_, capacity) in rules.items()
        ]
    legend = "".join(
        f'<text x="{50 + 110 * no}" y="18" fill="{color}">{rule}</text>'
        for no, (rule, color) in enumerate(COLORS.items())
    )
    size = f'width="{wide + 80}" height="{60 + len(days) * (high + gap)}"'
    style = '<style>text{font:13px sans-serif}</style><rect width="100%" height="100%" fill="#fff"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{style}{legend}{"".join(parts)}</svg>\n'
