"""Data of a job file that lie in object stores: in whose, in which region, how much."""

from __future__ import annotations

from tradewind.domain.workload import Workload
from tradewind.planning.ask import Dataset

# Scheme of a source -> the cloud whose object store that is.
STORES = {
    "oss": "alibaba", "s3": "aws", "s3a": "aws", "gs": "gcp", "cos": "tencent", "cosn": "tencent", "obs": "huawei",
    "az": "azure", "abfs": "azure", "abfss": "azure", "wasbs": "azure",
}  # fmt: skip


def datasets_of(workload: Workload) -> tuple[Dataset, ...]:
    """The data that lie in object stores. Where just one has no size, the samples of the training are taken to be it.

    What is copied is sent once to each machine; what is mounted or streamed, in every epoch, while the work goes on.
    """
    training = workload.training
    stored = [(each, cloud) for each in workload.data if (cloud := STORES.get(each.source.partition("://")[0].lower()))]
    lone = sum(each.size_gb is None for each, _ in stored) == 1
    samples_gb = training.samples * training.sample_bytes / 1e9 if training.samples and training.sample_bytes else None
    return tuple(
        Dataset(
            source=each.source,
            cloud=cloud,
            region=each.region,
            gb=each.size_gb or (samples_gb if lone else None),
            reads=1 if each.mode == "copy" else training.epochs or 1,
            copied=each.mode == "copy",
            size_assumed=each.size_gb is None,
        )
        for each, cloud in stored
    )
