"""Learns on which of three spiral arms a point lies.

A script as it may lie in any folder: it saves with torch.save now and then, and begins at the newest file it finds. It
knows nothing of preemptions, nor of who starts it.
"""

import argparse
import math
import os
import sys
import time
from pathlib import Path

try:
    import torch
    from torch import nn
except ModuleNotFoundError as missing:
    sys.exit(f"{missing.name} is not installed here. This example needs: pip install torch")

ARMS = 3


def build_model() -> nn.Module:
    """Three hidden layers of 256: 133,123 parameters."""
    return nn.Sequential(
        nn.Linear(2, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(),
        nn.Linear(256, ARMS),
    )  # fmt: skip


def spirals(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Points in the plane, and the arm of each."""
    chance = torch.Generator().manual_seed(seed)
    arms = torch.randint(ARMS, (count,), generator=chance)
    radius = torch.rand(count, generator=chance).sqrt()
    angle = 9 * radius + arms * 2 * math.pi / ARMS + 0.1 * torch.randn(count, generator=chance)
    return torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1), arms


def newest(folder: Path) -> Path | None:
    """The checkpoint with the highest step, if there is one."""
    return max(folder.glob("step-*.pt"), default=None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=int(os.environ.get("EPOCHS", "15")))
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--checkpoint-dir", type=Path, default=Path("checkpoints"))
    parser.add_argument("--save-seconds", type=float, default=float(os.environ.get("SAVE_SECONDS", "5")))
    args = parser.parse_args()

    torch.set_num_threads(1)  # more threads would only wait for each other on a net this small
    torch.manual_seed(0)
    points, arms = spirals(50_000, seed=1)
    model = build_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    steps_per_epoch = math.ceil(len(points) / args.batch_size)
    total = args.epochs * steps_per_epoch

    step = 0
    args.checkpoint_dir.mkdir(parents=True, exist_ok=True)
    saved = newest(args.checkpoint_dir)
    if saved:
        state = torch.load(saved, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        step = state["step"]
        print(f"resumed from {saved.name}", flush=True)

    begun, first = time.monotonic(), step
    saved_at = begun
    while step < total:
        epoch, batch = divmod(step, steps_per_epoch)
        order = torch.randperm(len(points), generator=torch.Generator().manual_seed(epoch))
        for chosen in order.split(args.batch_size)[batch:]:
            loss = nn.functional.cross_entropy(model(points[chosen]), arms[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if time.monotonic() - saved_at > args.save_seconds:
                state = {"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()}
                torch.save(state, args.checkpoint_dir / f"step-{step:06d}.pt")
                saved_at = time.monotonic()
        if (epoch + 1) % 3 == 0:
            pace = (step - first) / (time.monotonic() - begun)
            print(f"epoch {epoch + 1:3} of {args.epochs}  loss {loss:.4f}  {pace:.0f} steps/s", flush=True)

    points, arms = spirals(5_000, seed=2)
    with torch.no_grad():
        accuracy = float((model(points).argmax(1) == arms).float().mean())
    torch.save(model.state_dict(), "model.pt")
    print(f"{accuracy:.2%} of {len(points)} new points are right", flush=True)


if __name__ == "__main__":
    main()
