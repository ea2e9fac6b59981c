"""Machines rented at clouds, in English: why one is not reached, what its cloud tells it."""
# ruff: noqa: E501  one sentence a line

from __future__ import annotations

TABLE: dict[str, str] = {
    "contact-no-address": "its cloud has given it no address yet",
    "contact-gpus-missing": "it has fewer GPUs than were ordered",
    "contact-gpus-busy": "something else uses its GPUs",
    "event-rebalance-seen": "a reclaim has become likely",
    "event-boot-console": "its console said last",
    "event-notice-unknown": "notices of a reclaim cannot be heard",
    # a job that clouds refused: what to do
    "next-refused-quota": "→ ask the cloud for more (`tradewind clouds check CLOUD` tells which quota and where), or name other GPUs",
    "next-refused-auth": "→ give the identity the rights that `tradewind clouds policy CLOUD` prints; `tradewind clouds check CLOUD` tells which are missing",
    "next-refused-money": "→ pay the account's bill, or add a way to pay; then run again",
    "next-refused-price_cap": "→ run again: it is planned anew with the prices of then; or raise the budget",
    "next-refused-capacity": "→ name more regions, clouds or GPUs; or run again later",
    "next-refused-invalid": "→ `tradewind explain LEASE` has the whole request's story; check clouds.yaml (image, network, role)",
}
