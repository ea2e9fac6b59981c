"""GPU names and data sheets: one canonical id a GPU, its forms, and the aliases by which others call it.

A canonical id names the memory where one name has several (``A100-80GB``, ``A100-40GB``), so the bare name (``A100``)
resolves to nothing: guessing would halve the memory. A GPU may be known by id and have no data sheet; plans then
reject it. ``gpus_data.csv`` holds the sheets, ``gpus_names_data.csv`` the ids, usual forms and aliases.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
_VENDORS = re.compile(r"^(?:nvidia|tesla|geforce|amd|instinct|huawei)+")
_PEAKS = {
    "fp32": "fp32_tflops", "tf32": "tf32_tflops", "fp16": "fp16_tflops", "bf16": "bf16_tflops",
    "fp8": "fp8_tflops", "int8": "int8_tops",
}  # fmt: skip
_FORMS = (("SXM", r"sxm[2-6]"), ("SXM", "sxm"), ("PCIe", "pcie"))  # sxm4 before sxm: A100-SXM4-80GB
_FORM_WORDS = re.compile(r"sxm[2-6]?|pcie")

# Names that clouds use for hardware that cannot be resolved, as written in the catalog, and why.
#   label-unexplained  the vendor's own label; which chip it is, the vendor does not say
#   not-a-gpu          an accelerator that runs neither CUDA nor ROCm
#   graphics-only      a rendering part, not meant for training
#   not-mapped         the source does not say which GPU the machine has
REASONS: dict[str, str] = {
    "": "not-mapped",
    "A910E": "label-unexplained",
    "A910X": "label-unexplained",
    "A910Z": "label-unexplained",
    "G39": "label-unexplained",
    "G49": "label-unexplained",
    "G49E": "label-unexplained",
    "G59": "label-unexplained",
    "GA107": "label-unexplained",  # a chip that several cards carry
    "GPU A": "label-unexplained",
    "GPU-H-96GB": "label-unexplained",
    "GPU-H-e-141GB": "label-unexplained",
    "Gaudi1": "not-a-gpu",
    "Hanguang-800": "not-a-gpu",
    "Intel-SG1": "graphics-only",
    "L20N": "label-unexplained",
    "Lovelace-24GB": "label-unexplained",
    "PPU 810": "not-a-gpu",
    "vGPU8": "label-unexplained",
}

_SHARED = {"rtx6000": ("Quadro-RTX-6000", "RTX-6000-Ada", "RTX-PRO-6000")}  # one name on cards of three generations


@dataclass(frozen=True, slots=True)
class Gpu:
    """The data sheet of one GPU in one form; None: not on the sheet.

    Attributes:
        id: canonical id (``A100-80GB``); ``form`` is ``SXM``, ``PCIe`` … or None where there is but one.
        peak_tflops: dense peak by kind of arithmetic: keys ``fp32 tf32 fp16 bf16 fp8 int8`` (int8 in TOPS).
        bandwidth_gb_s: of its memory.
        link_gb_s: GPU to GPU, both directions together; 0: none.
        min_cuda: first CUDA that knows the architecture (``11.8``); ``last_cuda_major`` the last that still does.
        min_driver_linux: driver of that first CUDA; a later card of the architecture may need a later one.
    """

    id: str
    form: str | None
    vendor: str
    architecture: str
    compute_capability: str | None
    memory_gib: float
    bandwidth_gb_s: float | None
    peak_tflops: dict[str, float]
    link: str | None
    link_gb_s: float | None
    tdp_w: float | None
    notes: str
    source: str
    min_cuda: str | None
    last_cuda_major: int | None
    min_driver_linux: str | None


def resolve(name: str) -> tuple[str, str | None] | None:
    """Canonical id and form of the GPU that ``name`` means; None when unknown or ambiguous.

    Case, spaces, hyphens, underscores, dots, slashes and brackets do not count; vendor words (NVIDIA, Tesla, GeForce,
    AMD, Instinct, Huawei) may lead; ``SXM``, ``SXM4``, ``PCIe`` may stand anywhere; ``80G`` and ``80GiB`` mean 80GB.
    The form is None when the name does not say it, or when the GPU has but one.
    """
    for key, form in _readings(_plain(name)):
        if found := _aliases().get(key):
            gpu, own = found
            return gpu, (own or form if _usual_forms()[gpu] else None)
    return None


def reason(name: str) -> str | None:
    """Why a cloud's name does not resolve: a code of :data:`REASONS`; None when no reason is known."""
    return _reasons().get(_plain(name))


def data_sheet(gpu: str, form: str | None = None) -> Gpu | None:
    """The data sheet of a GPU by canonical id; None when there is none for it in that form.

    Without ``form``: the form usual in rented machines, which is SXM where both exist, except PCIe for the P100 and
    the Server edition for the RTX PRO 6000. A GPU of one form has that sheet whatever is asked.
    """
    sheets = _sheets().get(gpu, ())
    if len(sheets) == 1 and sheets[0].form is None:
        return sheets[0]
    wanted = form or _usual_forms().get(gpu)
    return next((sheet for sheet in sheets if sheet.form == wanted), None)


def all_gpus() -> tuple[Gpu, ...]:
    """Every data sheet, by id; of one GPU the forms stand together."""
    return tuple(sheet for sheets in _sheets().values() for sheet in sheets)


def gpu_ids() -> tuple[str, ...]:
    """Every canonical id in alphabetical order, also of GPUs without a data sheet."""
    return tuple(_usual_forms())


def shared_by(name: str) -> tuple[str, ...]:
    """Canonical ids that share the bare ``name``, mostly cards that differ in memory only; empty unless several do."""
    keys = {key for key, _ in _readings(_plain(name))}
    if cards := next((_SHARED[key] for key in keys if key in _SHARED), ()):
        return cards
    split = ((gpu, re.fullmatch(r"(.+)-\d+GB", gpu)) for gpu in gpu_ids())
    sharing = tuple(gpu for gpu, match in split if match and _plain(match[1]) in keys)
    return sharing if len(sharing) > 1 and resolve(name) is None else ()


def nearest(name: str, n: int = 3) -> list[str]:
    """At most ``n`` canonical ids that ``name`` may have meant, the likeliest first; empty when nothing is near."""
    from difflib import SequenceMatcher  # only needed when something was misspelt

    wanted = _FORM_WORDS.sub("", _VENDORS.sub("", _plain(name)))
    if not wanted:
        return []
    found = resolve(name)
    scores = {gpu: SequenceMatcher(None, wanted, _plain(gpu)).ratio() for gpu in gpu_ids()}
    alike = sorted((gpu for gpu, score in scores.items() if score >= 0.6), key=lambda gpu: (-scores[gpu], gpu))
    begins = [gpu for gpu in gpu_ids() if _plain(gpu).startswith(wanted)]
    return list(dict.fromkeys([*([found[0]] if found else ()), *shared_by(name), *begins, *alike]))[:n]


def _plain(name: str) -> str:
    return re.sub(r"[\s\-_./()]+", "", name.casefold())


def _readings(plain: str) -> Iterator[tuple[str, str | None]]:
    """The keys under which a plain name may be listed, with the form each reading takes out of it."""
    bare = _VENDORS.sub("", plain)
    for text in (plain, bare, re.sub(r"(\d)gi?b?$", r"\1gb", bare)):
        yield text, None
        for form, pattern in _FORMS:
            rest, hits = re.subn(pattern, "", text)
            if hits == 1:
                yield rest, form
                yield re.sub(r"(\d)gi?b?$", r"\1gb", rest), form


@cache
def _aliases() -> dict[str, tuple[str, str | None]]:
    table: dict[str, tuple[str, str | None]] = {}
    for row in _rows("gpus_names_data.csv"):
        for alias in (row["id"], *filter(None, row["aliases"].split("; "))):
            name, _, form = alias.partition("=")
            if table.setdefault(_plain(name), (row["id"], form or None))[0] != row["id"]:
                raise ValueError(f"{name} is an alias of two GPUs")
    return table


@cache
def _usual_forms() -> dict[str, str | None]:
    return {row["id"]: row["usual_form"] or None for row in _rows("gpus_names_data.csv")}


@cache
def _reasons() -> dict[str, str]:
    return {_plain(name): why for name, why in REASONS.items()}


@cache
def _sheets() -> dict[str, tuple[Gpu, ...]]:
    sheets: dict[str, tuple[Gpu, ...]] = {}
    for row in _rows("gpus_data.csv"):
        sheets[row["id"]] = (*sheets.get(row["id"], ()), _sheet(row))
    return sheets


def _sheet(row: dict[str, str]) -> Gpu:
    return Gpu(
        id=row["id"],
        form=row["form"] or None,
        vendor=row["vendor"],
        architecture=row["architecture"],
        compute_capability=row["compute_capability"] or None,
        memory_gib=float(row["memory_gib"]),
        bandwidth_gb_s=_number(row["bandwidth_gb_s"]),
        peak_tflops={kind: float(row[column]) for kind, column in _PEAKS.items() if row[column]},
        link=row["link"] or None,
        link_gb_s=_number(row["link_gb_s"]),
        tdp_w=_number(row["tdp_w"]),
        notes=row["notes"],
        source=row["source"],
        min_cuda=row["min_cuda"] or None,
        last_cuda_major=int(row["last_cuda_major"]) if row["last_cuda_major"] else None,
        min_driver_linux=row["min_driver_linux"] or None,
    )


def _number(text: str) -> float | None:
    return float(text) if text else None


def _rows(file: str) -> list[dict[str, str]]:
    with (_HERE / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))
