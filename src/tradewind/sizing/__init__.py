"""From a model and how it is trained to fits: memory, FLOPs, step time, strategies, storage needs. Pure."""

from tradewind.sizing.answer import Sizing, fit_on_offers, size, study
from tradewind.sizing.request import OPTIMIZERS, STRATEGIES, Hardware, Request
from tradewind.sizing.search import Unfit, fit_on

__all__ = [
    "OPTIMIZERS",
    "STRATEGIES",
    "Hardware",
    "Request",
    "Sizing",
    "Unfit",
    "fit_on",
    "fit_on_offers",
    "size",
    "study",
]
