"""English: coded reasons of plans, decisions, leases and events."""

from __future__ import annotations

TABLE: dict[str, str] = {
    # what bounds a step
    "bottleneck-compute": "compute", "bottleneck-memory-bandwidth": "memory bandwidth",
    "bottleneck-launch": "kernel launches", "bottleneck-communication": "communication", "bottleneck-data": "data",
    "bottleneck-bubble": "pipeline bubble",
    # decisions and their reasons
    "action-plan": "planned", "action-rent": "rent a machine", "action-wait": "wait", "action-interrupt": "interrupted",
    "action-stop": "stop", "why-resume": "to resume", "why-reclaimed": "the machine was reclaimed",
    "why-exited": "exit code {exit}[[, {cause:ended}]]", "why-killed": "killed[[, exit code {exit}]]",
    "ended-setup": "of setup", "ended-notice": "after the notice of a preemption", "ended-stop": "after a stop",
    "ended-hard-end": "at the hard end",
    "why-vanished": "the machine vanished", "why-lost": "the machine was lost", "why-stopped": "stopped by the user",
    # why leases ended
    "reason-done": "done", "reason-stopped": "stopped", "reason-reclaimed": "reclaimed", "reason-vanished": "vanished",
    "reason-boot-timeout": "did not boot in time", "reason-refused-late": "refused late", "reason-budget": "budget",
    "reason-expired": "hard end", "reason-surplus": "surplus", "reason-orphan": "orphan",
    # events
    "event-job-submitted": "submitted", "event-job-planned": "planned", "event-job-acquiring": "acquiring",
    "event-job-waiting": "waiting", "event-job-preparing": "preparing", "event-job-running": "running",
    "event-job-interrupted": "interrupted", "event-job-ended": "run ended", "event-job-closed": "closed",
    "event-job-stopping": "stopping", "event-job-state": "state", "event-job-expired": "expired",
    "event-lease-intended": "lease intended", "event-lease-requested": "lease requested",
    "event-lease-accepted": "lease accepted", "event-lease-refused": "lease refused",
    "event-lease-running": "lease runs", "event-lease-notice": "notice", "event-lease-releasing": "releasing",
    "event-lease-released": "released", "event-lease-unwanted": "no longer wanted", "event-lease-suspect": "silent",
    "event-lease-unknown": "answer lost", "event-agent-started": "agent started", "event-run-started": "run started",
    "event-run-ended": "run ended", "event-training-started": "training started", "event-evaluated": "evaluated",
    "event-checkpoint-stored": "checkpoint stored", "event-checkpoint-rejected": "checkpoint rejected",
    "event-checkpoint-failed": "checkpoint failed", "event-notice-seen": "notice seen", "event-resumed": "resumed",
    "event-training-again": "training again", "event-time-scale": "time scale", "event-stop-sent": "SIGTERM sent",
    "event-stop-asked": "stop asked", "event-outputs-fetched": "outputs fetched", "event-setup-ended": "setup ended",
    "event-outputs-damaged": "outputs damaged", "event-preemption-not-reached": "preemption not reached",
    "event-job-unplaced": "no machine was had", "event-job-unprepared": "could not be prepared",
    "event-lease-delayed": "delayed", "event-lease-not-ending": "does not end", "event-lease-surplus": "surplus lease",
    "event-checkpoint-skipped": "checkpoint skipped", "event-restarted": "started again on the same node",
    "event-lease-adopted": "adopted: it had no row", "event-lease-orphaned": "it was there after its lease was closed",
    "event-lease-auth": "credentials refused", "event-epoch-raised": "epoch raised",
    "event-clock-jumped": "the clock jumped", "event-limit-reached": "a limit is reached",
    "event-checkpoint-interval": "checkpoint interval changed",
    "event-outputs-lost": "outputs lost",
    # what set a hard end
    "limit-max-lifetime": "max_lifetime", "limit-max-duration": "max_duration",
    "limit-budget": "the budget", "limit-deadline": "the deadline",
}  # fmt: skip
