"""Under which heading of a command's help an option stands; those that are named nowhere stand under the first."""

from __future__ import annotations

FIRST = "options"
ALL = "options-of-all"  # what every command takes: told last

# Command → section (``section-NAME`` in the words of help) → options.
SECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "size": {
        "model": ("model", "task", "image_size", "sequence", "classes"),
        "hardware": ("gpu", "gpus", "nodes"),
        "training": ("batch_size", "micro_batch", "precision", "optimizer", "strategy", "adapter",
                     "activation_checkpointing", "attention", "compile", "channels_last"),
        "answer": ("max_batch", "explain", "no_trace", "batch_file", "workers"),
    },
    "offers": {
        "hardware": ("gpu", "gpus", "min_memory", "cuda", "rdma", "min_rdma", "nvlink"),
        "place": ("cloud", "region", "near", "residency", "max_carbon", "provider_tier"),
        "price": ("purchase", "max_price", "currency"),
        "answer": ("sort", "limit", "csv"),
    },
    "catalog-compare": {
        "price": ("region", "hours_per_month", "currency"),
        "owning": ("card_price", "card_watts", "server_share", "host_watts", "pue", "electricity", "hosting", "years",
                   "utilisation"),
    },
    "run": {
        "where": ("rehearse", "local", "on"),
        "money": ("yes", "max_cost"),
        "rehearsal": ("preempt_at", "trace", "trace_speed", "seed", "time_scale"),
        "submit": ("detach", "request_id"),
    },
}  # fmt: skip


def section_of(command: str, option: str) -> str:
    """The section in which an option of a command is told."""
    told = SECTIONS.get(command, {})
    return next((f"section-{name}" for name, options in told.items() if option in options), FIRST)
