"""From a model and how it is trained to fits: memory, FLOPs, step time, strategies, storage needs. Pure."""

from tradewind.sizing.answer import Sizing, explained, fit_on_offers, size, study
from tradewind.sizing.closed_forms import from_parameters, transformer_profiles
from tradewind.sizing.layout import Layout
from tradewind.sizing.memory import Budget
from tradewind.sizing.request import CHECKPOINTING, LADDER, OPTIMIZERS, STRATEGIES, Hardware, Request
from tradewind.sizing.search import Unfit, fit_on

__all__ = [
    "CHECKPOINTING",
    "LADDER",
    "OPTIMIZERS",
    "STRATEGIES",
    "Budget",
    "Hardware",
    "Layout",
    "Request",
    "Sizing",
    "Unfit",
    "explained",
    "fit_on",
    "fit_on_offers",
    "from_parameters",
    "size",
    "study",
    "transformer_profiles",
]
