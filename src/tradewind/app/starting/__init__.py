"""A start in a folder: what lies in it, read and never run, as a draft of its job file; and the shipped examples."""

from tradewind.app.starting.drafting import Draft, Look, Remark, draft, look
from tradewind.app.starting.signs import Seen

__all__ = ["Draft", "Look", "Remark", "Seen", "draft", "look"]
