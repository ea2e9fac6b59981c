"""Trains a small convolutional net on handwritten digits, and survives being preempted at any moment.

Plain PyTorch, with three things added: a guard that turns SIGTERM into a flag, a checkpointer, and events. They also
work on their own: `python train.py`. Weights and metrics are written to ./out; the same seed always gives the same
weights, bit for bit, interrupted or not.
"""

from tradewind.training import Checkpointer, Events, PreemptionGuard, capture_rng, epoch_order, restore_rng

if __name__ == "__main__":
    # Before torch: its import takes seconds, and a SIGTERM that came during them would end us.
    events = Events()
    guard = PreemptionGuard(events)

import argparse
import hashlib
import json
import math
import os
import sys
import time
from pathlib import Path

try:
    import torch
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split
    from torch import Tensor, nn
    from torch.nn.functional import cross_entropy
except ModuleNotFoundError as missing:
    sys.exit(f"{missing.name} is not installed here. This example needs: pip install numpy scikit-learn torch")

BATCH = 64
PEAK_LR = 3e-3


def build_model() -> nn.Module:
    """Four 3 x 3 convolutions and one linear layer: 590,890 parameters."""

    def convolution(inputs: int, outputs: int) -> list[nn.Module]:
        return [nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU()]

    return nn.Sequential(
        *convolution(1, 96), *convolution(96, 96), nn.MaxPool2d(2),
        *convolution(96, 192), *convolution(192, 192), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(768, 10),
    )  # fmt: skip


def load_data() -> list[Tensor]:
    """Training images, test images, training labels, test labels: 1,437 and 360 of the 1,797 digits."""
    digits = load_digits()
    images, labels = digits.images / 16, digits.target
    parts = train_test_split(images, labels, test_size=360, stratify=labels, random_state=1234)
    return [torch.tensor(part, dtype=torch.int64 if part.ndim == 1 else torch.float32) for part in parts]


def train(model: nn.Module, images: Tensor, labels: Tensor, seed: int, epochs: int) -> int:
    """Trains to the end, from the newest checkpoint if there is one; returns the steps done."""
    steps_per_epoch = math.ceil(len(images) / BATCH)
    total_steps = epochs * steps_per_epoch
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK_LR)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=PEAK_LR, total_steps=total_steps)
    checkpointer = Checkpointer.from_env(events=events)

    def state() -> dict[str, object]:
        """All that the next step depends on."""
        return {
            "settings": {"seed": seed, "epochs": epochs},
            "position": {"epoch": step // steps_per_epoch, "batch": step % steps_per_epoch},
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "schedule": schedule.state_dict(),
            "rng": capture_rng(),
        }

    step = 0
    resumed = checkpointer.resume()
    if resumed:
        if resumed.state["settings"] != {"seed": seed, "epochs": epochs}:
            sys.exit(f"{checkpointer.folder} is of another training ({resumed.state['settings']}): move it away first")
        step = resumed.step
        model.load_state_dict(resumed.state["model"])
        optimizer.load_state_dict(resumed.state["optimizer"])
        schedule.load_state_dict(resumed.state["schedule"])
        restore_rng(resumed.state["rng"])
        print(f"resumed at step {step} of {total_steps}", flush=True)

    events.run_started(total_steps)
    model.train()
    begun, samples = time.monotonic(), 0
    while step < total_steps:
        if guard.requested:
            print(f"asked to stop: saving step {step}", flush=True)
            guard.exit_checkpointed(checkpointer.save(step, state(), wait=True))

        epoch, batch = divmod(step, steps_per_epoch)
        chosen = epoch_order(len(images), seed, epoch)[batch * BATCH : (batch + 1) * BATCH]
        logits = model(images[chosen].unsqueeze(1))
        loss = cross_entropy(logits, labels[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        step += 1

        samples += len(chosen)
        accuracy = (logits.argmax(1) == labels[chosen]).float().mean()
        samples_s = samples / (time.monotonic() - begun)
        events.step(step, total_steps, epoch=epoch, loss=loss, accuracy=accuracy, samples_s=samples_s)
        if step % (5 * steps_per_epoch) == 0 or step == total_steps:
            print(f"epoch {epoch + 1:3} of {epochs}  loss {loss:.4f}  {samples_s:.0f} samples/s", flush=True)
        if checkpointer.due(step):
            checkpointer.save(step, state())
    checkpointer.wait()
    return step


@torch.no_grad()
def accuracy_of(model: nn.Module, images: Tensor, labels: Tensor) -> float:
    """Share of the images whose digit the model finds."""
    model.eval()
    return float((model(images.unsqueeze(1)).argmax(1) == labels).float().mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=int(os.environ.get("DIGITS_EPOCHS", "35")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED", "0")))
    args = parser.parse_args()

    torch.set_num_threads(1)  # more threads would only wait for each other on a net this small
    torch.manual_seed(args.seed)
    images, test_images, labels, test_labels = load_data()
    model = build_model()
    step = train(model, images, labels, args.seed, args.epochs)

    test_accuracy = accuracy_of(model, test_images, test_labels)
    events.eval(step, test_accuracy=test_accuracy)
    weights = model.state_dict()
    sha256 = hashlib.sha256(b"".join(tensor.numpy().tobytes() for tensor in weights.values())).hexdigest()
    out = Path("out")
    out.mkdir(exist_ok=True)
    torch.save(weights, out / "weights.pt")
    (out / "metrics.json").write_text(json.dumps({"test_accuracy": test_accuracy, "sha256": sha256}) + "\n")
    events.emit("stopped", exit=0, step=step)
    print(f"test accuracy {test_accuracy:.2%}  weights sha256 {sha256[:12]}", flush=True)


if __name__ == "__main__":
    main()
