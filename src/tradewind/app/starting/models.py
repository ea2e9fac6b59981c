"""Which model a script trains, as far as its source tells: by name, by its config.json, or by a function of its own."""

from __future__ import annotations

import re

from tradewind.app.starting.code import HOLE, Call, Code
from tradewind.app.starting.signs import Seen
from tradewind.sizing import presets

_MAKERS = ("build_model", "make_model", "create_model", "get_model")
_NOT_THE_MODEL = re.compile(r"Tokenizer|Config|Processor|Extractor|Scheduler")


def model(code: Code, names: frozenset[str]) -> tuple[str, Seen] | None:
    """The key below ``model`` and its value; ``names``: the files of the folder. None: the source does not tell."""
    for call in code.calls:
        named = _named(call, names)
        if named is not None:
            return named[0], Seen(named[1], code.name, call.line)
    if "transformers" in code.imports and "config.json" in names:
        return "hf", Seen("config.json", "config.json")
    maker = next((name for name in _MAKERS if name in code.functions), None)
    parts = code.name.removesuffix(".py").split("/")
    if maker and all(part.isidentifier() for part in parts) and (code.guarded or not code.acts):
        module = ".".join(parts)
        return "entrypoint", Seen(f"{module}:{maker}", code.name, code.functions[maker])
    return None


def _named(call: Call, names: frozenset[str]) -> tuple[str, str] | None:
    given = next(
        (
            each
            for each in (*call.arguments[:1], call.keywords.get("model_name"))
            if type(each) is str and HOLE not in each
        ),
        None,
    )
    if call.name.endswith("timm.create_model") and given:
        preset = presets.find(given)
        return ("preset", preset.name) if preset else ("timm", given)
    if call.last == "from_pretrained" and given and not _NOT_THE_MODEL.search(call.name):
        config = f"{given.removeprefix('./').rstrip('/')}/config.json"
        preset = presets.find(given)
        return ("hf", config) if config in names else ("preset", preset.name) if preset else None
    if call.name.startswith(("torchvision.models.", "models.", "tv.models.")):
        preset = presets.find(call.last)
        return ("preset", preset.name) if preset else None
    return None


def pretrained(code: Code) -> Seen | None:
    """Where a trained model is loaded, if it is: the work is a fine-tuning then."""
    for call in code.calls:
        loads = call.last == "from_pretrained" and not _NOT_THE_MODEL.search(call.name)
        if loads or call.keywords.get("pretrained") is True:
            return Seen("finetune", code.name, call.line)
    return None
