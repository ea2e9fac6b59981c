"""Draws scikit-learn's 1,797 handwritten digits as PNG images: data/train/0 … 9 and data/test/0 … 9."""

import sys
from collections import Counter
from pathlib import Path

try:
    import numpy
    from PIL import Image
    from sklearn.datasets import load_digits
except ModuleNotFoundError as missing:
    sys.exit(f"{missing.name} is not installed here. This example needs: pip install numpy pillow scikit-learn torch")

SIDE = 32
EVERY = 5  # the fifth, tenth … image of a digit is kept for the test


def main() -> None:
    digits = load_digits()
    seen: Counter[int] = Counter()
    for pixels, digit in zip(digits.images, digits.target, strict=True):
        seen[int(digit)] += 1
        part = "test" if seen[int(digit)] % EVERY == 0 else "train"
        folder = Path("data", part, str(digit))
        folder.mkdir(parents=True, exist_ok=True)
        image = Image.fromarray((pixels * 255 / 16).astype(numpy.uint8))
        image.resize((SIDE, SIDE), Image.Resampling.BICUBIC).save(folder / f"{seen[int(digit)]:03d}.png")
    print(f"{seen.total()} images in data/", flush=True)


if __name__ == "__main__":
    main()
