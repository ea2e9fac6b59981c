"""The names under which people know a machine: its type and its families, however they are spelt."""

from __future__ import annotations

import re

# Series that a cloud names as one, though its types' families differ. Huawei: P2 are the types p2s, p2v and p2vs,
# Ascend what carries its own chips.
_SERIES = {("huawei", "p2s"): "P2", ("huawei", "p2v"): "P2", ("huawei", "p2vs"): "P2", ("huawei", "ai1"): "Ascend",
           ("huawei", "ai1s"): "Ascend", ("huawei", "modelarts-d910"): "Ascend",
           ("huawei", "modelarts-snt9"): "Ascend", ("huawei", "modelarts-snt9b"): "Ascend"}  # fmt: skip
# Standard_NC24ads_A100_v4: the series NC, its size 24, features ads, and what tells it from other NCs. A second
# letter (NCC40ads) is a kind of the series.
_AZURE = re.compile(r"Standard_(?P<series>N[A-Z])[A-Z]?\d+(?P<features>[a-z]*)_?(?P<rest>.*)")
# a2-highgpu-8g: machines of one family and class differ in the last word.
_GCP = re.compile(r"(?P<line>[a-z]\d+[a-z]*-[a-z]+)-\d+g?(?:-.*)?")


def plain(name: str) -> str:
    """The name without case, spaces, hyphens and underscores, and without the prefixes that only an API needs."""
    return re.sub(r"^(?:ecs\.|standard)", "", re.sub(r"[\s\-_]+", "", name.casefold()))


def family_names(cloud: str, family: str | None, instance_type: str) -> dict[str, str]:
    """The families that a machine belongs to, its cloud's and how people call them: plain name to spelling."""
    names = [family or "", _SERIES.get((cloud, family or ""), "")]
    if match := _AZURE.fullmatch(instance_type):
        series, features, rest = match["series"], match["features"], match["rest"]
        names += [series, f"{series}_{rest}", f"{series}{features}_{rest}"]
    elif match := _GCP.fullmatch(instance_type):
        names.append(match["line"])
    return {plain(name): name for name in names if name}
