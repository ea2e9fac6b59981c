"""Installs the guard, says so, imports torch, and ends as preempted when a stop came meanwhile."""

from tradewind.training import PreemptionGuard

guard = PreemptionGuard()
print("guarded", flush=True)
import torch  # noqa: E402

print("imported", torch.__version__, flush=True)
if guard.requested:
    guard.exit_checkpointed()
