"""Trains a small residual net on a folder of images, one folder a class, and survives being preempted at any moment.

Plain PyTorch. From Tradewind come a guard that turns SIGTERM into a flag, a checkpointer, events, and an order of
samples that seed and epoch decide, so that a training goes on in the middle of an epoch. Weights and metrics are in
./out.
"""

from tradewind.training import Checkpointer, Events, PreemptionGuard, capture_rng, epoch_order, restore_rng

if __name__ == "__main__":
    # Before torch: its import takes seconds, and a SIGTERM that came during them would end us.
    events = Events()
    guard = PreemptionGuard(events)

import argparse
import json
import math
import os
import sys
from pathlib import Path

try:
    import numpy
    import torch
    from PIL import Image
    from torch import Tensor, nn
    from torch.utils.data import DataLoader, Dataset
except ModuleNotFoundError as missing:
    sys.exit(f"{missing.name} is not installed here. This example needs: pip install numpy pillow scikit-learn torch")


class ImageFolder(Dataset[tuple[Tensor, int]]):
    """The images of FOLDER/CLASS/*.png: float32[3, height, width] in 0..1, and the class's place in the alphabet."""

    def __init__(self, folder: Path) -> None:
        self.classes = sorted(each.name for each in folder.iterdir() if each.is_dir())
        self.paths = [path for name in self.classes for path in sorted((folder / name).glob("*.png"))]

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        path = self.paths[index]
        with Image.open(path) as image:
            pixels = numpy.asarray(image.convert("RGB"), dtype=numpy.float32) / 255
        return torch.from_numpy(pixels).permute(2, 0, 1), self.classes.index(path.parent.name)


class Block(nn.Module):
    """Two 3 x 3 convolutions, added to a 1 x 1 of what came in."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.inner = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs),
        )  # fmt: skip
        self.short = nn.Conv2d(inputs, outputs, 1, stride=2, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.relu(self.inner(x) + self.short(x))


def build_model(classes: int = 10) -> nn.Module:
    """Three blocks and one linear layer: 75,562 parameters."""
    return nn.Sequential(
        Block(3, 16), Block(16, 32), Block(32, 64), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, classes)
    )


def train(model: nn.Module, images: ImageFolder, args: argparse.Namespace) -> int:
    """Trains to the end, from the newest checkpoint if there is one; returns the steps done."""
    steps_per_epoch = math.ceil(len(images) / args.batch_size)
    total_steps = args.epochs * steps_per_epoch
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, total_steps)
    checkpointer = Checkpointer.from_env(events=events)

    def state() -> dict[str, object]:
        """All that the next step depends on."""
        return {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "schedule": schedule.state_dict(),
            "rng": capture_rng(),
        }

    step = 0
    resumed = checkpointer.resume()
    if resumed:
        step = resumed.step
        model.load_state_dict(resumed.state["model"])
        optimizer.load_state_dict(resumed.state["optimizer"])
        schedule.load_state_dict(resumed.state["schedule"])
        restore_rng(resumed.state["rng"])
        print(f"resumed at step {step} of {total_steps}", flush=True)

    events.run_started(total_steps)
    model.train()
    while step < total_steps:
        epoch, done = divmod(step, steps_per_epoch)
        order = epoch_order(len(images), args.seed, epoch)[done * args.batch_size :]
        batches = DataLoader(images, args.batch_size, sampler=order.tolist(), num_workers=args.workers)
        for pixels, classes in batches:
            if guard.requested:
                print(f"asked to stop: saving step {step}", flush=True)
                guard.exit_checkpointed(checkpointer.save(step, state(), wait=True))
            logits = model(pixels)
            loss = nn.functional.cross_entropy(logits, classes)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            step += 1
            accuracy = (logits.argmax(1) == classes).float().mean()
            events.step(step, total_steps, epoch=epoch, loss=loss, accuracy=accuracy)
            if checkpointer.due(step):
                checkpointer.save(step, state())
        print(f"epoch {epoch + 1:3} of {args.epochs}  loss {loss:.4f}", flush=True)
    checkpointer.wait()
    return step


@torch.no_grad()
def accuracy_of(model: nn.Module, images: ImageFolder) -> float:
    """Share of the images whose class the model finds."""
    model.eval()
    right = sum(int((model(pixels).argmax(1) == classes).sum()) for pixels, classes in DataLoader(images, 256))
    return right / len(images)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--epochs", type=int, default=int(os.environ.get("EPOCHS", "20")))
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--workers", type=int, default=1, help="processes that read images")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if not (args.data / "train").is_dir():
        sys.exit(f"There are no images in {args.data}/train: draw them with `python make_data.py`")

    torch.set_num_threads(1)  # more threads would only wait for each other on a net this small
    torch.manual_seed(args.seed)
    images = ImageFolder(args.data / "train")
    model = build_model(len(images.classes))
    step = train(model, images, args)

    test_accuracy = accuracy_of(model, ImageFolder(args.data / "test"))
    events.eval(step, test_accuracy=test_accuracy)
    out = Path("out")
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "weights.pt")
    (out / "metrics.json").write_text(json.dumps({"test_accuracy": test_accuracy}) + "\n")
    events.emit("stopped", exit=0, step=step)
    print(f"test accuracy {test_accuracy:.2%}", flush=True)


if __name__ == "__main__":
    main()
