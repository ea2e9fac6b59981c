"""English: errors of traces and of simulations, by code as (what happened, why, next step)."""

from __future__ import annotations

TABLE: dict[str, tuple[str, str, str]] = {
    "trace-without-rehearse": (
        "--trace needs --rehearse",
        "A trace is replayed in rehearsals only.",
        "Add --rehearse; or ask what would happen on it, without running: tradewind simulate JOB.yaml --trace …",
    ),
    "needs-trace": (
        "{option} needs --trace",
        "It says how a trace is replayed.",
        "Add --trace NAME, or leave {option} out.",
    ),
    "trace-speed-unreadable": (
        "--trace-speed: `{text}` is no speed",
        "",
        "Give auto, or the trace's seconds in one second here, at most {most}: --trace-speed 600",
    ),
    # spot traces, simulate
    "trace-unknown": (
        "No trace is called `{name}`, and no such file exists",
        "[[Nearest: {nearest}. ]]Shipped: {known}.",
        "Give one of these names, or the path of a .csv or .npz file (docs/simulate.md).",
    ),
    "trace-file-unreadable": ("{file} cannot be read", "{cause}", "Check the path, and that you may read it."),
    "trace-file-large": ("{file} is larger than {limit_mb} MB", "", "Cut the trace, or take a coarser interval."),
    "trace-file-not-text": (
        "{file} is neither CSV in UTF-8 nor an .npz file",
        "",
        "docs/simulate.md shows both kinds.",
    ),
    "trace-file-faulty": (
        "{count} faults in {file}: the trace is not used",
        "",
        "Mend these lines; docs/simulate.md has an example.",
    ),
    "trace-file-empty": ("It holds no row of a zone.", "", "Add rows: zone,tick,available."),
    "trace-file-long": ("It has more than {limit} ticks in all zones.", "", "Cut it, or take a coarser interval."),
    "trace-column-missing": ("The column `{column}` is missing.", "", "There are: {known}."),
    "trace-row-short": ("{cells} cells, not {wanted}.", "", "Every row has a cell for each column."),
    "trace-comment-wrong": (
        "`# {key}: {text}` is no positive number.",
        "",
        "Write it above the rows: # {key}: 300",
    ),
    "trace-tick-wrong": (
        "`{text}` is not the next tick of {zone}.",
        "",
        "A zone begins at tick 0, and its ticks grow from row to row.",
    ),
    "trace-tick-late": ("{zone} goes on beyond the {ticks} ticks of the file.", "", "Correct `# ticks:`."),
    "trace-available-wrong": ("`{text}` is neither 1 nor 0.", "", "1: could be had; 0: could not."),
    "trace-price-wrong": ("`{text}` is no price.", "", "USD an hour for one node, or an empty cell."),
    "trace-npz-damaged": ("{file} is damaged, or no .npz file of numpy", "{cause}", "Write it anew with numpy.savez."),
    "trace-array-missing": (
        "{file} has no array `{name}`",
        "",
        "docs/simulate.md lists the arrays that a trace has.",
    ),
    "trace-array-wrong": (
        "{file}: the array `{name}` cannot be used",
        "Its shape is {shape}; {wanted} of finite numbers are wanted.",
        "docs/simulate.md lists the arrays that a trace has.",
    ),
    "trace-meta-wrong": (
        "{file}: `{key}` in `meta` is missing or cannot be used",
        "",
        "docs/simulate.md shows what `meta` says.",
    ),
    "trace-and-market": (
        "--trace and --market exclude each other",
        "A market is either measured or made up.",
        "Give one of them.",
    ),
    "seed-and-market": (
        "--seed is for traces",
        "Made-up markets have their seed in --market.",
        "Give --market SEED alone.",
    ),
    "policy-unknown": (
        "No policy is called `{name}`",
        "[[Nearest: {nearest}. ]]There are: {known}.",
        "Give one or several of these, with commas.",
    ),
    "simulate-nothing-fits": (
        "The plan finds nothing to simulate",
        "No machine satisfies what the job file asks for.",
        "tradewind plan says what would have to change.",
    ),
    "simulate-no-on-demand": (
        "The plan holds no on-demand machine to fall back on",
        "Without one no deadline can be kept, and there is nothing to compare with.",
        "Allow on-demand (budget.purchase: auto), or raise budget.limit.",
    ),
}
