"""A model's profile from its own code, by fake tensors in a process of its own. See README.md."""

from tradewind.tracing.key import content_key
from tradewind.tracing.process import ProcessTracer

__all__ = ["ProcessTracer", "content_key"]
