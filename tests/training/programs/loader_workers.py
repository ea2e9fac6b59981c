"""Reads through DataLoader workers; after a stop it still needs five batches of them to reach its step boundary."""

import sys

from tradewind.training import PreemptionGuard

guard = PreemptionGuard()
import torch  # noqa: E402
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

if __name__ == "__main__":
    torch.set_num_threads(1)
    data = TensorDataset(torch.arange(100_000).float())
    loader = DataLoader(data, num_workers=int(sys.argv[2]), multiprocessing_context=sys.argv[1])
    left = 5
    for number, _ in enumerate(loader):
        if number == 3:
            print("ready", flush=True)
        left -= guard.requested
        if not left:
            guard.exit_checkpointed()
