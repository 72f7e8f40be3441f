"""Draws a replay as an SVG: cost and nodes over time against the demand."""

import importlib
from pathlib import Path
from typing import Any

from rehearsal.consolidation.costs import Bill, bills
from rehearsal.consolidation.trace import Trace

STYLE = {
    # The same trace gives the same bytes.
    "svg.hashsalt": "frugal-eks",
    # Text stays text: smaller, and a reader's own font.
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
# An opaque ground: legible in a dark README as in a light one. Colours that the colour-blind tell
# apart (Okabe and Ito), each with a dash or a weight of its own.
GROUND, INK, FAINT = "#ffffff", "#24292f", "#d0d7de"
MEASURED, FIXED, BOUND, NODES, PODS = "#0072b2", "#d55e00", "#009e73", "#0072b2", "#8c6d00"


def draw(trace: Trace, file: Path) -> None:
    """Writes the picture; `file` ends with .svg."""
    # Half a second and 60 MB that only a picture needs.
    matplotlib: Any = importlib.import_module("matplotlib")
    figures: Any = importlib.import_module("matplotlib.figure")

    with matplotlib.rc_context(STYLE):
        figure = figures.Figure(figsize=(9, 5.2), facecolor=GROUND, layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        _costs(above, trace)
        _nodes(below, trace)
        for axes in (above, below):
            _steps(axes, trace)
            _plain(axes)
        figure.suptitle(
            f"{trace.workload}: Karpenter's nodes in {trace.region}, list prices of "
            f"{trace.prices_of}",
            color=INK,
            fontsize=11,
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        metadata = {"Date": None, "Creator": None}
        figure.savefig(file, format="svg", facecolor=GROUND, metadata=metadata)


def _costs(axes: Any, trace: Trace) -> None:
    by_name = {bill.name: bill for bill in bills(trace)}
    minutes = [*(moment.at / 60 for moment in trace.moments), trace.end / 60]
    costs = [moment.cost for moment in trace.moments]
    axes.step(
        minutes, [*costs, *costs[-1:]], where="post", color=MEASURED, lw=2.2, label="measured"
    )
    axes.fill_between(minutes, [*costs, *costs[-1:]], step="post", color=MEASURED, alpha=0.12)
    _scenes(axes, trace, by_name["no consolidation"], FIXED, "-.")
    if bound := by_name.get("lower bound"):
        _scenes(axes, trace, bound, BOUND, "--")
    axes.set_ylabel("USD an hour", color=INK)
    axes.legend(loc="upper left", frameon=False, ncols=3, labelcolor=INK)
    axes.set_ylim(0, 1.3 * max([*costs, *by_name["no consolidation"].scenes], default=1) or 1)


def _scenes(axes: Any, trace: Trace, bill: Bill, color: str, dashes: str) -> None:
    """Draws what another way would cost, step by step."""
    begins = [scene.began / 60 for scene in trace.scenes]
    rates = [*bill.scenes, *bill.scenes[-1:]]
    axes.step(
        [*begins, trace.end / 60],
        rates,
        where="post",
        color=color,
        lw=1.4,
        ls=dashes,
        label=bill.name,
    )


def _nodes(axes: Any, trace: Trace) -> None:
    minutes = [*(moment.at / 60 for moment in trace.moments), trace.end / 60]
    nodes = [len(moment.nodes) for moment in trace.moments]
    pods = [moment.pods for moment in trace.moments]
    axes.step(
        minutes,
        [*pods, *pods[-1:]],
        where="post",
        color=PODS,
        lw=1.6,
        ls="--",
        label="pods asked for",
    )
    axes.step(minutes, [*nodes, *nodes[-1:]], where="post", color=NODES, lw=2.2, label="nodes")
    axes.set_ylim(0, 1.35 * max([*nodes, *pods], default=1) or 1)
    axes.set_ylabel("nodes, pods", color=INK)
    axes.set_xlabel("minutes", color=INK)
    axes.legend(loc="upper left", frameon=False, ncols=2, labelcolor=INK)


def _steps(axes: Any, trace: Trace) -> None:
    """Draws a line at the beginning of each step, with its name above the picture."""
    for scene in trace.scenes:
        axes.axvline(scene.began / 60, color=FAINT, lw=0.8, zorder=0)
        if axes.get_subplotspec().is_first_row():
            axes.annotate(
                scene.title,
                (scene.began / 60, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(2, 3),
                textcoords="offset points",
                fontsize=8,
                color=INK,
            )


def _plain(axes: Any) -> None:
    axes.set_facecolor(GROUND)
    axes.tick_params(colors=INK)
    axes.set_xlim(left=0)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(INK)
