"""Models of transformers, made from a config.json alone."""

from __future__ import annotations

import json
import os
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from typing import Any

import torch
from torch import nn

from tradewind.domain.errors import BadInput, NotTraceable
from tradewind.domain.profile import Transformer
from tradewind.ports.tracer import TraceRequest
from tradewind.tracing.subject import Batch, Subject

PER_TOKEN = (
    "CausalLM",
    "MaskedLM",
    "LMHead",
    "Generation",
    "TokenClassification",
    "CTC",
)  # of models: a label for each token
DEFAULT_SEQUENCE = 2048  # tokens, when neither the request nor the config says fewer


def hf_subject(path: str, request: TraceRequest) -> Subject:
    """The model whose ``config.json``, or the folder of it, is at ``path``.

    Raises:
        BadInput: ``hf-config-missing``, ``hf-config-broken``.
        NotTraceable: ``trace-needs-library`` when transformers is not installed, ``architecture-unknown``
            (architecture, nearest, version) when it does not know the model type.
    """
    values = _read(Path(request.workdir) / path)
    os.environ["HF_HUB_OFFLINE"] = "1"  # a config names all that is needed; nothing is fetched
    try:
        import transformers
    except ImportError as error:
        raise NotTraceable("trace-needs-library", library="transformers", why=error) from error
    kind = str(values["model_type"])
    if kind not in transformers.CONFIG_MAPPING:
        nearest = ", ".join(get_close_matches(kind, transformers.CONFIG_MAPPING, 3, 0.6))
        raise NotTraceable("architecture-unknown", file=path, architecture=kind, nearest=nearest,
                           version=transformers.__version__)  # fmt: skip
    try:
        config: Any = transformers.AutoConfig.for_model(**values)
    except (KeyError, ValueError, TypeError) as error:
        raise BadInput("hf-config-broken", file=path, why=error) from error
    if getattr(config, "is_encoder_decoder", False) and getattr(config, "decoder_start_token_id", None) is None:
        config.decoder_start_token_id = config.pad_token_id = 0  # only where the padding begins
    if hasattr(config, "use_cache"):
        config.use_cache = False
    if request.classes is not None:
        config.num_labels = request.classes
    module = _model(transformers, config, values, request)
    dimensions = _dimensions(config, _sequence(config, request))
    return Subject(module, *_inputs(module, config, request), transformer=dimensions)


def _read(path: Path) -> dict[str, Any]:
    file = path / "config.json" if path.is_dir() else path
    try:
        values = json.loads(file.read_text())
    except OSError as error:
        raise BadInput("hf-config-missing", file=file, why=error.strerror) from error
    except ValueError as error:
        raise BadInput("hf-config-broken", file=file, why=error) from error
    if not isinstance(values, dict) or "model_type" not in values:
        raise BadInput("hf-config-broken", file=file, why="it has no model_type")
    return values


def _model(transformers: Any, config: Any, values: dict[str, Any], request: TraceRequest) -> nn.Module:
    """The class that the config names, else the one that its type stands for."""
    named = next((getattr(transformers, name, None) for name in values.get("architectures") or ()), None)
    attention = "eager" if request.attention == "eager" else "sdpa"
    for implementation in dict.fromkeys((attention, "eager")):
        try:
            options = {"attn_implementation": implementation, "dtype": torch.float32}
            if named is not None:
                return named._from_config(config, **options)  # type: ignore[no-any-return]
            return transformers.AutoModel.from_config(config, **options)  # type: ignore[no-any-return]
        except ValueError as error:
            if "attention" not in str(error) and "sdpa" not in str(error):
                raise
    raise BadInput("hf-config-broken", file=request.model, why="no attention that the model supports")


def _sequence(config: Any, request: TraceRequest) -> int:
    longest = _text(config, "max_position_embeddings", "n_positions", "max_target_positions", "n_ctx")
    return request.sequence or min(DEFAULT_SEQUENCE, longest or DEFAULT_SEQUENCE)


def _text(config: Any, *names: str) -> int | None:
    """The first of ``names`` that the config of the text part has."""
    part = config.get_text_config() if hasattr(config, "get_text_config") else config
    found = (getattr(part, name, None) for name in names)
    return next((int(value) for value in found if isinstance(value, int) and value > 0), None)


def _inputs(module: nn.Module, config: Any, request: TraceRequest) -> tuple[Any, Any, int | None]:
    """(batch maker, loss, tokens of a sample): inputs by the model's main input, labels by its own loss."""
    main = getattr(module, "main_input_name", "input_ids")
    accepted = signature(module.forward).parameters
    sequence = _sequence(config, request)
    sample, tokens = _sample(main, config, sequence, request)
    labelled = "labels" in accepted and request.task != "infer"
    name = type(module).__name__
    per_token = any(word in name for word in PER_TOKEN)

    def batch(samples: int) -> tuple[Batch, Any]:
        dtype = torch.long if main == "input_ids" else torch.float32
        inputs = {main: torch.zeros(samples, *sample, dtype=dtype)}
        if main != "input_ids" and "decoder_input_ids" in accepted and not labelled:
            inputs["decoder_input_ids"] = torch.zeros(samples, sequence, dtype=torch.long)
        if labelled:
            shape = (samples, sequence) if per_token else (samples,)
            inputs["labels"] = torch.zeros(*shape, dtype=torch.long)
        return ((), inputs), None

    return batch, _loss, tokens


def _sample(main: str, config: Any, sequence: int, request: TraceRequest) -> tuple[tuple[int, ...], int | None]:
    """(shape of one sample, its tokens)."""
    if main == "input_ids":
        return (sequence,), sequence
    if main == "pixel_values":
        size = getattr(config, "image_size", None) or 224
        height, width = size if isinstance(size, (tuple, list)) else (size, size)
        return request.image_size or (getattr(config, "num_channels", 3), height, width), None
    if main == "input_features":
        return (getattr(config, "num_mel_bins", 80), 2 * getattr(config, "max_source_positions", 1500)), None
    return (16000 * 10,), None  # a waveform of ten seconds


def _loss(output: Any, _: Any) -> torch.Tensor:
    """The model's own loss; of a model without one the mean of its first output."""
    own = getattr(output, "loss", None)
    if own is not None:
        return own  # type: ignore[no-any-return]
    tensor: torch.Tensor = output[0]
    return tensor.float().mean()


def _dimensions(config: Any, sequence: int) -> Transformer | None:
    """The dimensions of the text part; None for what is no transformer."""
    layers = _text(config, "num_hidden_layers", "n_layer", "num_layers", "encoder_layers")
    hidden = _text(config, "hidden_size", "n_embd", "d_model")
    heads = _text(config, "num_attention_heads", "n_head", "encoder_attention_heads")
    if not (layers and hidden and heads):
        return None
    return Transformer(
        layers=layers, hidden=hidden, heads=heads,
        kv_heads=_text(config, "num_key_value_heads", "multi_query_group_num") or heads,
        head_size=_text(config, "head_dim") or hidden // heads,
        ffn=_text(config, "moe_intermediate_size", "intermediate_size", "n_inner", "ffn_dim", "d_ff") or 4 * hidden,
        vocabulary=_text(config, "vocab_size") or 0, sequence=sequence,
        experts=_text(config, "num_local_experts", "num_experts", "n_routed_experts") or 1,
        experts_active=_text(config, "num_experts_per_tok") or 1,
    )  # fmt: skip
