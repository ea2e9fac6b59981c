"""English: what is told of a simulation."""

# ruff: noqa: E501  one sentence, one line

from __future__ import annotations

TABLE: dict[str, str] = {
    # the head and what is simulated
    "head-simulation": "Simulation",
    "simulated-on-trace": "{runs} runs on windows of the trace {trace}, seed {seed}",
    "simulated-on-made-up": "{runs} runs on made-up markets, seed {seed}",
    "simulated-runs": "simulated {done} of {total} runs",
    "fact-simulated-work": "work",
    "fact-spot-pools": "spot",
    "fact-resort": "on-demand",
    "simulated-work": "{work} of training within {deadline} h · a start takes {start} min, at most {most}",
    "as-zone": "as {zone}",
    # the table
    "col-simulated": "policy",
    "col-mean-cost": "cost (9 of 10 runs)",
    "col-of-on-demand": "share",
    "col-finish": "done after",
    "col-machines-lost": "lost",
    "col-missed": "late",
    "rival-tradewind": "tradewind",
    "rival-uniform-progress": "uniform-progress",
    "rival-eager-next-region": "eager-next-region",
    "rival-last-moment": "last-moment",
    "rival-on-demand": "on-demand",
    "rival-bound": "nobody below",
    "plain-simulated": "cost {cost}, half of the runs below {median}, {share} of on-demand only, done after {finish}, machines lost: {lost}, late in {late} of {runs} runs",
    # the picture
    "head-costs": "How often which cost came",
    "head-finishes": "How often which hour of finish came",
    "mark-on-demand": "on-demand only: {cost}",
    "mark-bound": "nobody below {cost} on average",
    "mark-deadline": "deadline: {hours} h",
    # what it means
    "meaning-saves": "Under Tradewind's policy the machines of this job cost {cost} on average over {runs} runs: {gain} less than on-demand only.",
    "meaning-saves-nothing": "Under Tradewind's policy the machines of this job cost {cost} on average over {runs} runs: spot saves nothing worth the trouble here.",
    "meaning-never-late": "In none of {runs} runs was it late.",
    "meaning-cheaper": "Here {policy} cost {share} less, and was not late either.",
    "meaning-late": "{policy} was late in {share} of the runs; what was left then went on on-demand, and is in its cost.",
    "meaning-no-choice": "There is nothing for a policy to choose here: on-demand takes {hours} and costs {cost}.",
    # what the figures rest on
    "head-rests-on": "What this rests on",
    "simulated-no-spot-pool": "The plan holds no spot machine, neither chosen nor as a fallback: no market can take this job's machine away.",
    "simulated-too-short": "The market is looked at every {step} min: this job is over before a preemption matters, and a loss would cost one more start.",
    "simulated-deadline-assumed": "The job has no deadline: {hours} h are assumed, {stretch} times its work and {starts} starts, as the job itself would be patient.",
    "simulated-deadline-tight": "{work} h of work and a start of {start} min do not surely fit into {hours} h: nothing can be waited for.",
    "simulated-hours-of-slowest": "Hours are those of the slowest of these machines; the fastest takes {times} times less, and its price is reckoned so.",
    "simulated-trace-of-another-gpu": "The trace is of {gpu} and stands for {wanted}: its ups and downs are real, but not of this GPU.",
    "simulated-trace-of-other-nodes": "The trace is of {nodes} machines wanted together, the plan wants {wanted}.",
    "simulated-trace-repeated": "The trace is {hours} h long and is repeated to fill {wanted} h.",
    "simulated-market-trace": "Availability is measured, prices are the plan's and stay; windows overlap, so ranges are of this trace, not of the future.",
    "simulated-market-made-up": "Made-up markets follow hazards pooled over measured ones, zones by themselves, scaled by what is known of each offer; prices are the plan's and stay.",
    "simulated-rules": "Machines only, without disks and traffic. The market is looked at every {step} min, all zones for nothing; a loss repeats no work beyond a start; on-demand is always had.",
    "simulated-source": "Trace: {source}[[ ({licence})]].",
}
