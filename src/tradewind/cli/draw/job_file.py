"""A draft of a job file → its text: every value with what its key means and where it was seen, the rest as examples."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tradewind import words
from tradewind.cli.draw.pen import wrapped

if TYPE_CHECKING:
    from tradewind.app.starting import Draft

WIDTH = 100
FLOW = "[]{},#&*!|>%@`'\""

# Sections in the order of the file, their keys each with an example for who does not say it; "": the section itself.
SECTIONS: dict[str, dict[str, Any]] = {
    "name": {},
    "run": {},
    "setup": {"": "pip install -r requirements.txt"},
    "model": {"preset": "resnet50"},
    "training": {"batch_size": 64, "samples": 50000, "epochs": 10, "precision": "bf16", "optimizer": "adamw"},
    "resources": {"accelerators": "A10:1"},
    "outputs": {"": ["./out"]},
    "checkpoint": {"path": "./checkpoints"},
    "schedule": {"deadline": "12h"},
    "budget": {"limit": "300 CNY"},
    "rehearse": {"preempt_at": ["25%", "60%"]},
}
ONE_KEY = {"model"}  # has exactly one key
UNMISSED = {"setup", "rehearse"}  # many jobs do without


def job_file(lang: str, draft: Draft, schema: str | None) -> str:
    """The text of ``job.yaml``; ``schema``: the file name of a JSON schema beside it, for editors."""
    first = [f"# yaml-language-server: $schema=./{schema}"] if schema else []
    head = _comment(words.say("job-file-head", lang)) + [
        f"#   {line}" for line in words.say("job-file-commands", lang).splitlines()
    ]
    parts = [_section(lang, section, draft) for section in SECTIONS if _shown(section, draft)]
    last = _comment(words.say("job-file-more", lang))
    return "\n\n".join("\n".join(lines) for lines in ([*first, *head], *parts, last)) + "\n"


def unsaid(draft: Draft) -> list[str]:
    """The keys that stand in the file as examples only, dotted."""
    return [
        f"{section}.{leaf}".rstrip(".")
        for section, examples in SECTIONS.items() if section not in UNMISSED and _shown(section, draft)
        for leaf in _examples(section, examples, draft)
    ]  # fmt: skip


def _shown(section: str, draft: Draft) -> bool:
    """All sections, but ``resources`` where the model tells what is needed."""
    return section != "resources" or bool(_said(section, draft)) or not _said("model", draft)


def _said(section: str, draft: Draft) -> dict[str, str]:
    """The dotted keys of ``section`` that the draft has, by what follows the dot."""
    return {key.partition(".")[2]: key for key in draft.values if key.partition(".")[0] == section}


def _examples(section: str, examples: dict[str, Any], draft: Draft) -> dict[str, Any]:
    said = _said(section, draft)
    if section in ONE_KEY and said:
        return {}
    return {leaf: example for leaf, example in examples.items() if leaf not in said}


def _section(lang: str, section: str, draft: Draft) -> list[str]:
    said, examples = _said(section, draft), _examples(section, SECTIONS[section], draft)
    about = _comment(words.keyed(section, lang))
    if "" in said:
        return [*about, _line(lang, section, draft, section)]
    if "" in examples:
        return [*about, f"# {section}: {flow(examples[''])}"]
    if not said:
        return [*about, f"# {section}: {flow(examples)}"]
    lines = [*about, f"{section}:"]
    for leaf in dict.fromkeys((*SECTIONS[section], *said)):
        if leaf not in said and leaf not in examples:
            continue
        lines += [f"  {line}" for line in _comment(words.keyed(f"{section}.{leaf}", lang))]
        given = leaf in said
        lines.append(f"  {_line(lang, leaf, draft, said[leaf]) if given else f'# {leaf}: {flow(examples[leaf])}'}")
    return lines


def _line(lang: str, name: str, draft: Draft, key: str) -> str:
    seen = draft.values[key]
    line = f"{name}: {flow(seen.value) if isinstance(seen.value, list | dict) else scalar(seen.value)}"
    place = f"{seen.file}:{seen.line}" if seen.line else seen.file
    return f"{line}  # {words.say('seen-in', lang, place=place)}" if place else line


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in wrapped(text, WIDTH - 4).splitlines()]


def flow(value: Any) -> str:
    """A value on one line: ``{a: 1, b: [x, y]}``; texts in quotes wherever YAML could mistake them."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(below)}" for key, below in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return json.dumps(value, ensure_ascii=False) if set(str(value)) & set(FLOW) else scalar(value)


def scalar(value: Any) -> str:
    """A number or text as YAML reads it back: plain where that is certain, else in quotes."""
    import yaml

    text = str(value)
    if not isinstance(value, str):
        return text
    try:
        plain = text.isprintable() and yaml.safe_load(f"a: {text}\n") == {"a": text}
    except yaml.YAMLError:
        plain = False
    return text if plain else json.dumps(text, ensure_ascii=not text.isprintable())
