"""English: decisions about a job's machines, why they were made, and a change of its limits."""

# ruff: noqa: E501  one sentence, one line

from __future__ import annotations

TABLE: dict[str, str] = {
    "action-keep": "keep", "action-switch": "switch", "action-give-up": "give up",
    "rent-pool": "rent {pool}", "keep-pool": "keep {pool}", "switch-pool": "switch to {pool}",
    # why: the spot policy
    "why-keep-spot": "nothing else is worth the change[[ (slack {slack_hours} h)]]",
    "why-take-spot": "it is expected to be the cheapest way to be in time[[ (slack {slack_hours} h)]]",
    "why-move-spot": "it is cheaper by more than the move costs[[ (slack {slack_hours} h)]]",
    "why-wait": "waiting is expected to be cheaper than anything that is to be had[[ (slack {slack_hours} h)]]",
    "why-take-on-demand": "on-demand is expected to be the cheapest way to be in time[[ (slack {slack_hours} h)]]",
    "why-keep-on-demand": "on-demand is expected to stay the cheapest way to be in time[[ (slack {slack_hours} h)]]",
    "why-deadline": "the deadline leaves no time for anything that may be taken away[[ (slack {slack_hours} h, a start may take {reserve_hours} h)]]",
    "why-no-on-demand": "no on-demand machine may be rented for this job; the deadline is not safe",
    # why: what could be had
    "why-on-demand-refused": "on-demand is wanted and refused everywhere; this is what is to be had",
    "why-nothing-to-be-had": "every pool refused just now[[: {tried}]]",
    "why-kept-in-hand": "waiting may be cheaper; what runs is kept until another machine is in hand",
    "why-no-room-to-switch": "the budget does not hold a second machine beside this one, and there is no time to leave it first",
    "why-length-unknown": "nobody knows how long the job is: the cheapest that is to be had",
    "why-on-demand-only": "no spot pool is left",
    "why-refused-for-good": "refused everywhere for reasons that waiting does not cure[[: {tried}]]",
    "why-nothing-granted": "no machine was granted for {hours} h[[: {tried}]]",
    "why-left": "it goes on on another machine", "why-switch": "to the machine that was made ready",
    "why-next-pool": "in the next pool",
    # what comes next
    "head-next": "What next", "next-if-lost": "If this machine is lost: {what}",
    "next-on-demand-by": "On-demand at the latest by {at}", "next-decided": "Decided again {at}",
    "next-at-risk": "The deadline is at risk: it depends on a machine that nobody grants now.",
    "head-replayed": "Decisions, made again", "replayed-same": "From the same facts the same is decided now.",
    "replayed-other": "From the same facts this version decides: {what}",
    "col-option": "what else", "col-expected-cost": "expected cost of the rest",
    "option-none": "wait", "option-od": "on-demand", "option-spot": "spot",
    # extend
    "extended": "{name}: new limits", "fact-deadline": "deadline", "fact-budget": "budget", "fact-hard-end": "hard end",
    "budget-line": "{limit}: {spent} spent, {held} held for what runs",
    "hard-end-line": "{lease} ends {at} at the latest, as it was granted",
    "hard-end-follows": "Before that end the job checkpoints, and goes on on the next machine.",
    # events
    "event-job-decided": "decided", "event-deadline-at-risk": "the deadline is at risk", "event-job-switching": "the next machine is made ready",
    "event-job-switch-refused": "the next machine was refused; this one is kept", "event-job-leaving": "leaves this machine by a checkpoint",
    "event-job-extended": "limits changed",
}  # fmt: skip
