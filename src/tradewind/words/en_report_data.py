"""English: the report of a job as a page."""

# ruff: noqa: E501  one sentence, one line

from __future__ import annotations

TABLE: dict[str, str] = {
    "report-title": "Report of {name}", "report-made": "Made {at} by `tradewind show JOB --html FILE`. All times are UTC; ranges hold with 90 %.",
    "report-written": "report: {path}", "report-unwritten": "note: the report could not be written to {path}: {why}",
    # the head
    "report-when": "{job} · submitted {begun}[[ · ended {ended}]]",
    "report-verdict": "{ended}[[: {why}]][[; {broken}]]; {money}.",
    "report-ended-SUCCEEDED": "Succeeded after {span}", "report-ended-FAILED": "Failed after {span}", "report-ended-EXPIRED": "Expired after {span}",
    "report-ended-STOPPED": "Stopped after {span}, at step {steps}", "report-ended-not": "Still going on after {span}, at step {steps}",
    "report-broken": "interruptions: {count}[[, {seconds} without training]][[, {repeated} steps repeated]]",
    "report-money-rehearsed": "no money was spent[[, the planned offer would have billed {money}]]",
    "report-money-paid": "it cost {money}", "report-money-free": "nothing was billed: what it ran on has no price",
    "report-predicted": "predicted: {value}", "report-interruptions": "interruptions", "report-lost": "{span} without training",
    "report-repeated": "{count} steps repeated", "report-lost-unknown": "time without training: unknown", "report-repeated-unknown": "steps repeated: unknown", "report-none": "none", "report-open": "open", "report-cost": "cost",
    "report-cost-rehearsed": "cost, as the offer bills", "report-not-spent": "rehearsal: no money was spent", "report-steps": "step {steps}",
    "report-result": "result",
    # the times
    "report-times": "Time line", "report-times-described": "Lanes of what the job did, its checkpoints and what was rented: {lanes}. The tables below tell the same.",
    "report-times-from": "From the submit, {at}; attempts are numbered in their bars.", "report-deadline-beyond": "The deadline, {at}, lies outside the picture.",
    "report-lane-job": "the job", "report-lane-others": "other offers", "report-lane-beside": "{offer} (2)",
    "report-attempt-of": "{what}, attempt {attempt}", "report-phase-waiting": "waiting for a machine", "report-phase-starting": "starting",
    "report-phase-training": "training", "report-phase-ending": "ending", "report-phase-asked": "asked for", "report-phase-rented": "rented",
    "report-phase-silent": "silent, still paid", "report-phase-releasing": "being released",
    "report-checkpoint-at": "checkpoint[[ of step {step}]]: {state}", "report-sign-notice": "notice of a preemption", "report-sign-taken": "machine lost",
    "report-sign-refused": "refused", "report-sign-saved-complete": "complete checkpoint", "report-sign-saved-torn": "torn checkpoint",
    "report-sign-saved-unverified": "unverified checkpoint",
    # the training
    "report-training-head": "Training", "report-over-step": "{name} over steps", "report-over-time": "{name} over time",
    "report-measure-loss": "loss", "report-measure-accuracy": "accuracy", "report-measure-samples_per_second": "samples per second",
    "report-chart-described": "Lines: {lines}, through {points} points; their ends are told below.",
    "report-ends": "{name}: lowest {low}, highest {high}, last {last}", "report-logarithmic": "The scale of values is logarithmic.",
    "report-gap-step": "Shaded: steps done again; what the earlier attempt measured there is dotted.", "report-gap-time": "Shaded: time without training.",
    "report-every-sample": "Every sample is drawn: {samples}.",
    "report-thinned": "{samples} samples in {points} points: the line is their mean, the band reaches from the lowest to the highest.",
    "report-blanks": "{name}: {count} values were no numbers, the first at step {step}.",
    "report-journals-missing": "Attempts of which no journal came home, so that nothing of them is drawn: {count}.",
    "report-nothing-told": "The job told no steps and no evaluations, so there is nothing to draw. How a script does: docs/job-file.md, TRADEWIND_EVENTS.",
    "report-no-journal": "No journal of this job came home, so what it measured over time is not known.",
    # memory
    "report-memory": "Memory of one GPU", "report-memory-described": "Predicted peak {peak} on {gpu}, of which {usable} can be used.",
    "report-memory-means": "Predicted for {gpu}: {usable} of its {nominal} can be used. The line below the bar is the 90 % range of the peak.",
    "report-memory-measured": "Measured peak: {gib} were allocated at most (▼), without what the allocator holds and the runtime.", "report-memory-unmeasured": "Measured peak: unknown; no such GPU was measured.",
    "report-memory-parameters": "parameters", "report-memory-gradients": "gradients", "report-memory-optimizer": "optimizer state",
    "report-memory-activations": "activations", "report-memory-workspace": "workspace", "report-memory-cached": "held by the allocator", "report-memory-runtime": "runtime",
    "report-memory-peak": "peak on the device", "report-memory-usable": "usable", "report-col-part": "part", "report-col-gib": "GiB",
    "report-col-share": "share",
    # money, cost against time, prediction
    "report-no-money-spent": "This was a rehearsal on this computer: no money was spent. The sums are what the planned offer would have billed.",
    "report-nothing-rented": "Nothing was billed.", "report-more-lines": "and {count} more leases, counted in the sums",
    "report-front-means": "As it was planned: ✓ is the way that was chosen", "report-col-run": "run",
    # sources
    "report-sources": "Measured and estimated", "report-sources-mean": "Where each figure of this page comes from. What is not known is told as unknown.",
    "report-col-figure": "figure", "report-col-value": "value", "report-col-kind": "kind", "report-col-source": "source", "report-col-date": "as of",
    "report-kind-measured": "measured", "report-kind-listed": "listed", "report-kind-estimated": "estimated", "report-kind-assumed": "assumed",
    "report-kind-computed": "computed", "report-kind-told": "told by the job", "report-kind-unknown": "unknown",
    "report-planned-step": "one step, planned", "report-planned-memory": "peak memory, planned", "report-planned-time": "time, planned",
    "report-planned-cost": "cost, planned", "report-spot-life": "life of a spot machine", "report-range": "90 % range",
    "report-by-model": "the model and the GPU's data sheet", "report-by-plan": "the plan: step time, starts, expected losses, prices",
    "report-by-traces": "records of interruptions", "report-by-power": "the grid's carbon intensity and the GPU's power",
    "report-by-job": "the job's own events", "report-by-history": "the history: last step lost to first new step", "report-by-agent": "the agent on the machine, the most seen",
    "report-by-scale": "predicted ÷ measured seconds of a step", "report-by-bill": "measured time × time scale × listed price, by the offer's billing",
    "report-by-rates": "exchange rates of the catalog", "report-seen-step": "one step, here", "report-seen-steps": "last step",
    "report-seen-ram": "main memory of the job's processes", "report-seen-cpu": "processor cores in use", "report-seen-gpu-memory": "GPU memory, peak",
    "report-seen-here": "this computer, over all attempts", "report-seen-there": "where it ran, over all attempts", "report-no-gpu": "the job told none",
    "report-time-scale": "time scale of the rehearsal", "report-billed": "billed", "report-billed-rehearsed": "billed, if it had been rented", "report-rate": "exchange rate",
    # the tables
    "report-col-decision": "decision", "report-col-since": "after", "report-col-of": "of",
    "report-checkpoints-mean": "A complete checkpoint was verified by its manifest: every file is there with its checksum. An unverified one was copied when its files were still.",
    "report-events-of": "{count} events", "report-rows-between": "… {count} more …",
    "report-log-kept-back": "Left out, since the job was given secrets and its log may hold them: tradewind logs {job}",
    "report-by-exit": "by itself", "report-by-notice": "after the notice", "report-by-stop": "it was told to stop", "report-by-hard-end": "at its hard end",
    "report-by-setup": "by its setup", "report-by-file": "told on the machine",
    # the job
    "report-job": "The job and its environment", "report-run": "command", "report-training": "training", "report-planned-on": "planned offer",
    "report-ran-on": "ran on", "report-this-computer": "this computer", "report-versions": "versions", "report-image": "container",
    "report-names": "environment", "report-exit": "exit code", "report-plan": "plan", "report-plan-of": "{plan}, catalog of {date}",
}  # fmt: skip
