"""Where the data of a folder lies, how much it is, and how many samples: by names and sizes alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tradewind.app.starting.walking import File, Listing

IMAGES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")
_FORMATS = (
    *IMAGES, ".npy", ".npz", ".parquet", ".arrow", ".tar", ".tfrecord", ".h5", ".hdf5", ".lmdb", ".mdb", ".bin",
    ".jsonl", ".csv", ".tsv", ".txt", ".wav", ".flac", ".mp3", ".mp4", ".zip", ".gz", ".zst", ".pkl",
)  # fmt: skip
_LEAST_FILES, _LEAST_BYTES = 20, 1_000_000  # less than both is no data set, but a table or a picture
_NOT_DATA = frozenset({
    "src", "lib", "tests", "examples", "docs", "checkpoints", "ckpt", "out", "outputs", "logs", "runs", "node_modules",
    "venv", "env",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class DataFolder:
    """A folder of data, its files and bytes, at least these if the listing is not whole; ``travels``: with the job."""

    name: str
    files: int
    bytes: int
    travels: bool


def data_folders(listing: Listing) -> tuple[DataFolder, ...]:
    """The folders at the top that hold data, the largest first."""
    by_folder: dict[str, list[File]] = {}
    for file in listing.files:
        top, slash, _ = file.name.partition("/")
        if slash and top not in _NOT_DATA and not top.startswith(".") and file.name.lower().endswith(_FORMATS):
            by_folder.setdefault(top, []).append(file)
    found = [
        DataFolder(name, len(files), sum(file.bytes for file in files), any(file.travels for file in files))
        for name, files in by_folder.items()
    ]
    data = [each for each in found if each.files >= _LEAST_FILES or each.bytes >= _LEAST_BYTES]
    return tuple(sorted(data, key=lambda each: (-each.bytes, each.name)))


def images(listing: Listing, folder: str) -> tuple[str, int, int] | None:
    """Of the images to train on in ``folder``: where they lie, how many, and their mean bytes; None: nothing certain.

    They lie in ``train`` where there is such a folder. A listing that is not whole tells no number.
    """
    if not listing.complete:
        return None
    parts = Counter(file.name.split("/")[1] for file in listing.below(folder) if file.name.count("/") > 1)
    where = next((f"{folder}/{part}" for part in ("train", "training") if part in parts), folder)
    found = [file for file in listing.below(where) if file.name.lower().endswith(IMAGES)]
    if len(found) < _LEAST_FILES:
        return None
    return where, len(found), sum(file.bytes for file in found) // len(found)
