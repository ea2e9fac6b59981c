"""English: why a lease is open, and why a lease or a job stands where it does, one sentence or two each."""

# ruff: noqa: E501  one sentence, one line

from __future__ import annotations

TABLE: dict[str, str] = {
    # why a lease is open, in a line
    "open-job": "job {job} is {state:state}", "open-job-ended": "job {job} has ended ({state:state}); nothing needs it",
    "open-network": "machines there are reached over it; it goes an hour after the last of them",
    "open-no-job": "its job {job} is not known here", "open-nobody": "no job is known for it",
    "open-ending": "being released: {reason:reason}",
    "open-not-ending": "does not end: {tries} tries so far ({reason:reason})",
    "open-auth": "the credentials of {account} are refused: it can neither be looked at nor ended",
    "open-unknown": "the launch's answer was lost: it counts as paid until it is found or proved absent",
    "open-suspect-own": "no contact: what runs there goes on, at the latest until its hard end",
    "last-heard": "last heard {when}",
    "open-suspect": "it does not answer: it counts as paid until its cloud says that it is gone",
    "open-stray-no-row": "no row explains it; the supervisor adopts it from its tags",
    "open-stray-surplus": "a second machine of its lease, or its job goes on without it; it is ended",
    "open-stray-tombstoned": "it came, or stayed, after its lease was closed; it is ended",
    "open-stray-left-behind": "it was left by a machine that ended; it is ended",
    "open-stray-expired": "it outlived its hard end; it is ended",
    # a lease explained, by its state
    "explain-lease-INTENDED": "It is written down, and nothing was asked for yet. The order is sent {wake}.",
    "explain-lease-REQUESTED": "The order was sent and its answer is awaited. If no answer is written down, it is looked for by its token and never sent again.",
    "explain-lease-REQUESTED-delayed": "The order did not take effect[[ ({error})]]. The same bytes are sent again {wake}; sent so far: {sends}.",
    "explain-lease-UNKNOWN": "The launch's answer was lost[[ ({error})]]: it is looked for by its token, {looks} of {of} looks found nothing; next look {wake}. Nothing is sent again until then, and it counts as paid.",
    "explain-lease-PENDING": "The cloud has it ({cloud_id})[[ and it costs {price} an hour]]; it has not answered yet. Looked at {wake}; it ends at the latest {hard_end}.",
    "explain-lease-RUNNING": "It runs[[ and costs {price} an hour]][[, for {job}, which is {job_state:state}]]. Looked at {wake}; it ends at the latest {hard_end}[[, set by {limit:limit}]], even if nobody looks.[[ Its cloud takes it away {reclaim_at}.]]",
    "explain-lease-SUSPECT": "It does not answer[[, last heard {contact}]][[ ({error})]]. As far as its cloud has told it runs[[, and costs {price} an hour]]. Silence proves nothing: its cloud is asked again {wake}.",
    "explain-lease-RELEASING": "It is being ended[[ ({reason})]]. It counts as paid until the complete list of its cloud has it no more; looked at {wake}.",
    "explain-lease-RELEASING-overdue": "It should have ended and has not: {tries} tries[[, the last: {error}]]. It counts as paid; there is no last try, and the next one is {wake}.",
    "explain-lease-RELEASED": "It ended[[ ({reason})]] and the complete list of its cloud had it no more. It costs nothing.",
    "explain-lease-RELEASED-unsent": "It was given up before anything was asked for. It cost nothing.",
    "explain-lease-REFUSED": "Nothing was rented[[: {error}]]. If something should still appear under its token, the sweep ends it.",
    "explain-lease-auth": "The credentials of {account} are refused[[ ({error})]]. It can neither be looked at nor ended until they are mended, and counts as paid; its hard end is {hard_end}. Tried again {wake}.",
    # a job explained, by its state
    "explain-job-QUEUED": "It is submitted. Its plan is taken up {wake}.",
    "explain-job-PLANNED": "Its plan stands. The first machine is written down and asked for {wake}.",
    "explain-job-ACQUIRING": "A machine is being rented for attempt {attempt}[[: {lease} is {lease_state:lease}]]. Looked at {wake}.",
    "explain-job-WAITING": "It waits[[: {why}]]. Tried again {wake}; nothing is rented meanwhile.",
    "explain-job-PREPARING": "Its work and its agent are being put on {lease}[[, which is {lease_state:lease}]]. Looked at {wake}.[[ Just now: {why}.]]",
    "explain-job-RUNNING": "Attempt {attempt} runs[[ on {lease}]][[, at step {step}]]. What it writes is read {wake}.[[ Just now: {why}.]]",
    "explain-job-INTERRUPTED": "Attempt {attempt} was cut short[[: {why}]]. It goes on from its newest complete checkpoint; the next step is taken {wake}.",
    "explain-job-FINISHING": "Its run is over[[ ({outcome:outcome})]]. It ends when all that was rented for it is seen gone; open: {open}. Looked at {wake}.",
    "explain-job-STOPPING": "It is being stopped: a last checkpoint, then what was rented is released; open: {open}. Looked at {wake}.",
    "explain-job-SUCCEEDED": "It ended well, and nothing is rented for it.",
    "explain-job-FAILED": "It failed[[: {why}]]. Nothing is rented for it; its log: tradewind logs.",
    "explain-job-EXPIRED": "It came to a limit[[: {why}]]. Its checkpoints are kept, and nothing is rented for it.",
    "explain-job-STOPPED": "It was stopped. Its checkpoints are kept, and nothing is rented for it.",
}  # fmt: skip
