"""Preset: a model known by name, whose profile needs no trace."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tradewind.domain.precision import Precision
from tradewind.domain.profile import ModelProfile, Transformer
from tradewind.sizing.closed_forms import transformer_profiles
from tradewind.sizing.presets import networks, transformers
from tradewind.sizing.presets.traced import traced_profile


@dataclass(frozen=True, slots=True)
class Preset:
    """A model known by name.

    Attributes:
        row: its dimensions, or what was traced.
    """

    row: networks.Row | transformers.Row

    @property
    def name(self) -> str:
        """As it is shown."""
        return self.row.name

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names that mean it."""
        return self.row.aliases

    @property
    def parameters(self) -> int:
        """As published."""
        return self.row.published

    @property
    def source(self) -> str:
        """Who published its dimensions, and when."""
        return f"{self.row.source}, {self.row.date}"

    @property
    def reference(self) -> str | None:
        """What to ask a tracer for where :meth:`profile` has no answer; None for transformers, which have them all."""
        return self.row.reference if isinstance(self.row, networks.Row) else None

    @property
    def transformer(self) -> Transformer | None:
        """The dimensions; None for networks traced beforehand."""
        return self.row.transformer if isinstance(self.row, transformers.Row) else None

    def profile(
        self,
        *,
        task: str = "train",
        precision: str = "fp32",
        activation_checkpointing: str = "none",
        attention: str = "auto",
        image_size: tuple[int, int, int] | None = None,
        sequence: int | None = None,
        classes: int | None = None,
        adapter: str = "none",
    ) -> ModelProfile | None:
        """The profile of one shape of the question; None when that shape needs a trace.

        Args:
            image_size: channels, height, width; None: the network's own. ``sequence``: tokens of one sample.

        Raises:
            ValueError: no such precision.
            BadInput: ``adapter-unknown``.
        """
        kind = Precision(precision)
        if isinstance(self.row, transformers.Row):
            dims = _long_enough(self.row.transformer, sequence)
            profiles = transformer_profiles(dims, name=f"preset:{self.name}", task=task, precision=kind,
                                            attention=attention, adapter=adapter, sequence=sequence)  # fmt: skip
            ways = {each.activation_checkpointing: each for each in profiles}
            return ways.get("none" if task == "infer" else activation_checkpointing)
        if adapter != "none":
            return None
        return traced_profile(self.row, task, kind, activation_checkpointing, attention, image_size, classes)


def _long_enough(dims: Transformer, sequence: int | None) -> Transformer:
    """The dimensions, with more learned positions when samples are longer than those there are."""
    if not dims.positions or not sequence:
        return dims
    return replace(dims, positions=max(dims.positions, sequence))
