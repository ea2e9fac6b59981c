"""A loop whose steps rest, or multiply matrices, for about so many milliseconds; it saves where it is when told to go.

LOOP_STEPS=300 and LOOP_REST_MS=50, or LOOP_MATMULS=4 for work instead of rest, are its environment.
"""

from tradewind.training import Checkpointer, Events, PreemptionGuard

if __name__ == "__main__":
    events = Events()
    guard = PreemptionGuard(events)

import os
import time

import torch

SIZE = 384


def main() -> None:
    """Step to the end, from the newest checkpoint if there is one."""
    steps, rest = int(os.environ["LOOP_STEPS"]), float(os.environ.get("LOOP_REST_MS", "0")) / 1e3
    matmuls = int(os.environ.get("LOOP_MATMULS", "0"))
    torch.set_num_threads(1)
    checkpointer = Checkpointer.from_env(events=events)
    resumed = checkpointer.resume()
    weights = resumed.state["weights"] if resumed else torch.eye(SIZE)
    events.run_started(total_steps=steps)
    for step in range(resumed.step if resumed else 0, steps):
        if guard.requested:
            guard.exit_checkpointed(checkpointer.save(step, {"weights": weights}, wait=True))
        time.sleep(rest)
        for _ in range(matmuls):
            weights = weights @ torch.eye(SIZE)
        events.step(step + 1, steps)
        if checkpointer.due(step + 1):
            checkpointer.save(step + 1, {"weights": weights})
    checkpointer.wait()


if __name__ == "__main__":
    main()
