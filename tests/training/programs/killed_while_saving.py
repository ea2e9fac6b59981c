"""Kills a saving loop at random moments, ten times, and after each checks what can be resumed.

Torch is imported once; each loop is a fork. A loop writes a byte when a save is complete; its end comes after a random
number of those and a random moment more.
"""

import os
import random
import select
import signal
import sys
from typing import Any

import torch

from tradewind.training import Checkpointer

SIZE = 50_000


def state_of(step: int) -> dict[str, Any]:
    generator = torch.Generator().manual_seed(step)
    return {"weights": torch.randn(SIZE, generator=generator), "step": step}


def save_for_ever(step: int, told: int) -> None:
    checkpointer = Checkpointer("checkpoints", keep_last=1, milestone_every=0)
    resumed = checkpointer.resume()
    assert (resumed.step if resumed else 0) == step
    while True:
        step += 1
        assert checkpointer.save(step, state_of(step), wait=True)
        os.write(told, b".")


def kill_one(step: int, chance: random.Random) -> int:
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        save_for_ever(step, writes)
    os.close(writes)
    wanted, seen = chance.randint(0, 4), 0
    while seen < wanted:
        seen += len(os.read(reads, wanted - seen))
    select.select([], [], [], chance.uniform(0, 0.02))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    seen += sum(len(more) for more in iter(lambda: os.read(reads, 64), b""))
    os.close(reads)
    return seen


def main(seed: int) -> None:
    torch.set_num_threads(1)
    chance = random.Random(seed)
    step = 0
    for _ in range(10):
        complete = step + kill_one(step, chance)
        resumed = Checkpointer("checkpoints").resume()
        step = resumed.step if resumed else 0
        assert complete <= step <= complete + 1, (complete, step)
        if resumed:
            assert not resumed.rejected, resumed.rejected
            assert resumed.state["step"] == step
            assert torch.equal(resumed.state["weights"], state_of(step)["weights"])
        assert not any(name.startswith(".") for name in (os.listdir("checkpoints") if resumed else []))
    print("reached", step)


main(int(sys.argv[1]))
