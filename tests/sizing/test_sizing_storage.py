"""What the data asks of a disk."""

from __future__ import annotations

import pytest
from sizing_makers import plain, sheet

from tradewind.sizing import Request, study
from tradewind.sizing.storage import storage_for


def test_work_and_storage_of_a_run() -> None:
    request = Request((plain(1e6, 1e6),), 100, samples=1050, epochs=3, sample_bytes=1_000_000,
                      gpus=(sheet("A100-80GB"),))  # fmt: skip
    answer = study(request)
    assert answer.total_steps == 33  # eleven a pass, the last one partial
    assert answer.flops_total == request.profiles[0].step_flops * 1050 * 3
    assert answer.storage.size_gb == pytest.approx(1.05)
    rate = answer.fits[0].throughput_per_second.value
    assert answer.storage.min_throughput_gb_s == pytest.approx(rate / 1000)
    assert answer.storage.samples_per_second == pytest.approx(rate)


# samples, bytes of one, samples/s → kind. A general SSD volume reads 1.05 GB/s and holds 16 TiB; a node has 30 TB.
KINDS = [
    (1_281_167, 110_000, 2_500, "block-ssd"),  # ImageNet on one GPU: 141 GB, 0.28 GB/s
    (1_281_167, 110_000, 20_000, "local-nvme"),  # on eight: 2.2 GB/s
    (1_000_000_000, 110_000, 20_000, "object-store"),  # 110 TB
    (1_000_000_000, 110_000, 100, "object-store"),
    (20_000_000_000, 110_000, 100, "distributed-file-system"),  # 2.2 PB
]


@pytest.mark.parametrize(("samples", "size", "rate", "kind"), KINDS)
def test_the_kind_of_storage_follows_from_size_and_rate(samples: int, size: int, rate: float, kind: str) -> None:
    request = Request((plain(1e6),), 8, samples=samples, epochs=1, sample_bytes=size)
    assert storage_for(request, rate).kind == kind


def test_images_are_decoded_and_copied_first() -> None:
    request = Request((plain(1e6),), 8, samples=1_281_167, epochs=1, sample_bytes=110_000)
    found = storage_for(request, 2_500)
    assert found.decode_workers == 20  # 125 images a core
    assert found.first_copy_hours == pytest.approx(141 / 3600, rel=0.01)  # 141 GB at 1 GB/s
    text = Request((plain(1e6, tokens=2048),), 8, samples=10, epochs=1, sample_bytes=4_000)
    assert storage_for(text, 2_500).decode_workers is None


def test_what_is_not_known_is_not_told() -> None:
    assert set(storage_for(Request((plain(1e6),), 8), None).to_json().values()) == {None}
    assert storage_for(Request((plain(1e6),), 8, sample_bytes=10), 5).size_gb is None
