"""Both languages say the same, and there is a sentence for everything that the source raises, rejects or notes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest

import tradewind
from tradewind import words
from tradewind.app.jobfile.unreadable import SAYINGS
from tradewind.cli.draw.plan_reasons import ABOUT
from tradewind.cli.index import COMMANDS
from tradewind.domain import errors, states
from tradewind.domain.estimate import Source
from tradewind.domain.offer import PriceStatus, Purchase
from tradewind.domain.plan import Objective
from tradewind.nodes.ssh import faults
from tradewind.planning.constraints import LIMITS, WISHES
from tradewind.ports.cloud import Verdict
from tradewind.ports.compute import FaultKind

SOURCE = Path(tradewind.__path__[0])
TABLES = ("errors", "sayings", "catalog", "sizing", "plan", "simulation", "deciding", "reasons", "explain",
          "machines", "job_file", "init", "help", "clouds")  # fmt: skip
RAISED = {name for name, value in vars(errors).items()
          if isinstance(value, type) and issubclass(value, errors.TradewindError)}  # fmt: skip

# Codes that stand in a variable where they are raised, with the facts given there.
INDIRECT = {
    "cloud-unknown": {"name", "nearest"},
    "region-unknown": {"name", "nearest"},
    "batch-indivisible": {"batch_size", "gpus", "micro_batch"},
    "place-unknown": {"name", "nearest"},
    "own-cloud-unknown": {"name", "nearest"},
    "own-region-unknown": {"name", "nearest"},
    "own-machine-unknown": {"name", "nearest"},
    "own-purchase-unknown": {"name", "nearest"},
    "own-currency-unknown": {"name", "nearest"},
    "own-value-missing": {"column"},
    "own-price-unreadable": {"text"},
    "own-date-unreadable": {"text"},
    "refresh-nothing-told": {"cloud"},
    "refresh-not-positive": {"cloud", "count", "region", "instance_type", "price"},
    "refresh-told-twice": {"cloud", "count"},
    "refresh-currency-changed": {"cloud", "count", "old", "region", "instance_type", "price"},
    "refresh-half-gone": {"cloud", "before", "left"},
    "refresh-off-by-ten": {"cloud", "count", "ratio"},
    "model-sources-many": {"key", "given"},
    "model-source-missing": {"key", "given"},
    "host-key-unasked": {"target", "fingerprints", "command"},
    "host-key-other": {"target", "fingerprints", "command"},
    "key-missing": {"key"},
    "run-missing": {"key"},
    "python-incomplete": {"module", "python", "why"},
    "package-missing": {"module", "python", "why"},
} | {code: {"file", "problem"} for _, code, _ in SAYINGS}
# Where an error's code stands in a variable: each of them must be in INDIRECT, AWAY, or raised by name elsewhere.
IN_VARIABLES = {
    "app/jobfile/build.py", "app/jobfile/faults.py", "app/jobfile/readings.py", "app/jobfile/unreadable.py",
    "app/machines/answering.py", "app/machines/trusting.py", "catalog/own.py", "catalog/places.py", "cli/broken.py",
    "cli/commands/machines/check.py", "cli/faults.py", "sizing/search.py",
}  # fmt: skip
# Why a machine does not answer (``ports.transport.Unreachable``): each is an error of its own for people.
AWAY = ("host-key-changed", "host-key-unknown", "jump-key-unknown", "login-refused", "password-only",
        "passphrase-needed", "no-python", "no-bash", "no-space", "folder-refused", "host-unknown", "connection-refused",
        "timed-out", "too-many-connections", "cut", "ssh-config", "unreachable")  # fmt: skip
INDIRECT |= {code: {"target", "why"} for code in AWAY}
CHECKED = ("identity", "right", "quota", "clock", "network", "account", "region")  # codes of ``ports.cloud.Checked``
FAULTS = SOURCE / "app" / "jobfile"  # every fault of a job file also has its key


def table(name: str, lang: str) -> dict[str, str | tuple[str, ...]]:
    """One table; for ``errors`` all tables of errors, as ``words.error`` looks through them."""
    names = words.ERRORS if name == "errors" else (name,)
    tables = (import_module(f"tradewind.words.{lang}_{each}_data").TABLE for each in names)
    return {code: told for found in tables for code, told in found.items()}


def placeholders(sentence: str | tuple[str, ...]) -> set[str]:
    parts = (sentence,) if isinstance(sentence, str) else sentence
    return {name for part in parts for name in re.findall(r"\{(\w+)(?::\w+)?\}", part)}


@cache
def calls() -> tuple[tuple[Path, ast.Call], ...]:
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found += [(path, node) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return tuple(found)


def called(node: ast.Call) -> str:
    function = node.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def literal(node: ast.Call, place: int = 0) -> str | None:
    if len(node.args) <= place:
        return None
    argument = node.args[place]
    return argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else None


def makes_error(path: Path, node: ast.Call) -> bool:
    """Whether the call makes an error of ours: one of the tree, or a fault of a job file."""
    return called(node) in RAISED or (called(node) == "fault" and path.is_relative_to(FAULTS))


def raised() -> Iterator[tuple[str, str, set[str]]]:
    """Where an error is made, its code, and the facts it is given."""
    for path, node in calls():
        code = literal(node)
        if code is not None and makes_error(path, node):
            facts = {keyword.arg for keyword in node.keywords if keyword.arg} - {"where", "faults"}
            yield f"{path.name}:{node.lineno}", code, facts


def test_every_raised_code_has_sentences_in_both_languages() -> None:
    silent = {
        code: place for place, code, _ in raised() for lang in words.LANGUAGES if code not in table("errors", lang)
    }
    assert silent == {}
    assert len({code for _, code, _ in raised()}) > 40


def test_sentences_name_only_facts_that_are_given() -> None:
    given: dict[str, set[str]] = {code: set(facts) for code, facts in INDIRECT.items()}
    for _, code, facts in raised():
        given[code] = given.get(code, set()) | facts
    for lang in words.LANGUAGES:
        for code, sentence in table("errors", lang).items():
            assert code in given, f"nothing raises {code}"
            assert placeholders(sentence) <= given[code] | {"key"}, (lang, code)


def needed(sentence: str | tuple[str, ...]) -> set[str]:
    """The facts without which the sentence would have a gap: those outside ``[[…]]``."""
    parts = (sentence,) if isinstance(sentence, str) else sentence
    return placeholders(tuple(re.sub(r"\[\[.*?\]\]", "", part, flags=re.DOTALL) for part in parts))


def test_every_place_that_raises_gives_what_its_sentences_need() -> None:
    told, gaps = table("errors", "en"), {}
    for place, code, facts in raised():
        if gap := needed(told[code]) - facts - {"key"}:  # whoever reads a document adds the key
            gaps[f"{place} {code}"] = gap
    assert gaps == {}


def test_a_code_that_stands_in_a_variable_is_listed_and_has_sentences() -> None:
    found = {str(path.relative_to(SOURCE)) for path, node in calls()
             if makes_error(path, node) and node.args and literal(node) is None}  # fmt: skip
    assert found == IN_VARIABLES
    assert [code for code in INDIRECT for lang in words.LANGUAGES if code not in table("errors", lang)] == []


def test_no_code_has_sentences_in_two_tables() -> None:
    codes = [code for name in words.ERRORS for code in import_module(f"tradewind.words.en_{name}_data").TABLE]
    assert sorted(codes) == sorted(set(codes))


@pytest.mark.parametrize("name", TABLES)
def test_both_languages_say_the_same(name: str) -> None:
    english, chinese = table(name, "en"), table(name, "zh")
    assert english.keys() == chinese.keys()
    for code, sentence in english.items():
        assert placeholders(sentence) == placeholders(chinese[code]), code
        if isinstance(sentence, tuple):
            assert [bool(part) for part in sentence] == [bool(part) for part in chinese[code]], code


def test_chinese_is_chinese() -> None:
    letters = re.compile(r"[\u4e00-\u9fff]")
    for name in ("errors", "help", "reasons", "explain"):
        for code, sentence in table(name, "zh").items():
            first = sentence if isinstance(sentence, str) else sentence[0]
            listed = code.endswith("-example") or code in {"option-precision", "option-optimizer", "option-purchase"}
            assert listed or letters.search(first), code


def test_every_error_has_a_next_step_but_faults_that_stand_in_a_list() -> None:
    for code, sentence in table("errors", "en").items():
        assert sentence[2] or "{key}" in "".join(sentence), code


def known(code: str) -> bool:
    return all(words.known(code, lang) is not None for lang in words.LANGUAGES)


def test_everything_said_has_words() -> None:
    said = {literal(node) for path, node in calls() if called(node) == "say" and path.is_relative_to(SOURCE / "cli")}
    columns = {literal(node) for path, node in calls()
               if called(node) in {"Column", "head"} and path.is_relative_to(SOURCE / "cli")}  # fmt: skip
    assert {code for code in said | columns if code and not known(code)} == set()


@pytest.mark.parametrize(
    ("prefix", "values"),
    [
        ("state", list(states.JobState)),
        ("lease", list(states.LeaseState)),
        ("outcome", [*states.Outcome, "going-on"]),
        ("reason", list(states.EndReason)),
        ("ended", ["SUCCEEDED", "FAILED", "EXPIRED", "STOPPED"]),
        ("purchase", list(Purchase)),
        ("status", list(PriceStatus)),
        ("source", list(Source)),
        ("age", list(PriceStatus)),
        ("outcome", ["refreshed", "refused", "failed", "not_configured"]),
        ("checkpointing", ["none", "selective", "full"]),
        ("bottleneck", ["compute", "memory-bandwidth", "launch", "communication", "bubble", "data"]),
        ("memory", ["parameters", "gradients", "optimizer", "activations", "workspace", "runtime"]),
        ("way", ["activation-checkpointing", "more-gpus", "none"]),
        ("setup", ["too-small", "not-for-rent", "dear", "sensible", "unknown"]),
        ("storage", ["local-nvme", "block-ssd", "object-store", "distributed-file-system"]),
        ("sized", ["closed-form", "by-parameters", "trace-fallback", "anchored", "anchor-of-processor"]),
        ("guarantee", ["firm", "conditional"]),
        ("promise", [f"{whose}quota-{quota}" for whose in ("", "fallback-") for quota in ("none", "unknown")]),
        ("objective", get_args(Objective)),
        ("life", ["advisor", "trace", "assumed"]),
        ("hazard", ["advisor", "trace", "assumed"]),
        ("control", ["unknown"]),
        ("ranked", ["per-hour", "per-step"]),
        ("about", list(ABOUT)),
        ("apart", ["cloud", "region", "zone", "gpu", "purchase", "type"]),
        (
            "change",
            [
                "schedule.deadline",
                "schedule.max_duration",
                "budget.limit",
                "budget.purchase",
                "resources.nodes",
                "resources.accelerators",
                "resources.cpus",
                "placement.clouds",
                "placement.regions",
                "placement.residency",
                "training.activation_checkpointing",
            ],
        ),
        ("quota", ["ok", "none", "unknown"]),
        ("cloud-state", ["ready", "lacking", "unknown", "refused", "no-credentials", "extra-missing", "prices-only"]),
        ("credentials", ["environment", "profile", "role"]),
        ("verdict", get_args(Verdict)),
        ("rejected", ["not-configured", "price-not-told", "price-not-asked"]),
        ("remark", ["cloud-left-out"]),
        ("fault", get_args(FaultKind)),
        *((f"checked-{code}", get_args(Verdict)) for code in CHECKED),
        ("checkpoint", ["complete", "torn"]),
        ("unit", ["samples", "tokens"]),
        ("rival", ["tradewind", "uniform-progress", "eager-next-region", "last-moment", "on-demand", "bound"]),
        (
            "simulated",
            [
                "no-spot-pool",
                "too-short",
                "deadline-assumed",
                "deadline-tight",
                "hours-of-slowest",
                "trace-of-another-gpu",
                "trace-of-other-nodes",
                "trace-repeated",
            ],
        ),
        ("action", ["plan", "rent", "keep", "wait", "switch", "give-up", "interrupt", "stop"]),
        ("why", ["keep-spot", "take-spot", "move-spot", "wait", "take-on-demand", "keep-on-demand", "deadline"]),
        ("why", ["no-on-demand", "on-demand-refused", "nothing-to-be-had", "no-room-to-switch", "on-demand-only"]),
        ("why", ["length-unknown", "refused-for-good", "nothing-granted", "kept-in-hand", "left"]),
        ("part", ["compute", "storage", "egress", "setup", "preemption"]),
        ("kind", ["text", "number", "whole-number", "fraction", "truth", "list", "mapping", "nothing"]),
    ],
)
def test_every_value_has_a_word(prefix: str, values: Sequence[str]) -> None:
    assert [value for value in values if not known(f"{prefix}-{value}")] == []


def coded_in(room: str, *names: str) -> set[str]:
    """Codes that stand as text in these files of a room, with or without facts behind them."""
    found = set()
    for name in names:
        tree = ast.parse((SOURCE / room / name).read_text(encoding="utf-8"))
        parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values[1:]}
        found |= {match[0] for node in ast.walk(tree)
                  if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts
                  and (match := CODED.match(node.value))}  # fmt: skip
    return found


CODED = re.compile(r"[a-z]+(?:-[a-z0-9]+)*(?= [a-z_]+=)|[a-z]+(?:-[a-z0-9]+)+$")


def test_every_assumption_has_words_and_is_about_something() -> None:
    codes = coded_in("planning", "assumptions.py") - {"per-hour", "per-step"}
    assert len(codes) > 25 and codes == {code for about in ABOUT.values() for code in about}
    assert [code for code in sorted(codes) if not known(f"assumed-{code}")] == []


def test_every_promise_says_what_it_rests_on() -> None:
    codes = coded_in("planning", "placing.py", "outlook.py") - {"spot-with-fallback", "on-demand"}
    assert {"no-deadline", "upper-end-late", "last-resort-in-time"} <= codes
    assert [code for code in sorted(codes) if not known(f"promise-{code}")] == []


def test_every_rejection_has_words() -> None:
    codes = {literal(node) for path, node in calls() if called(node) == "Unfit" and "test" not in path.name}
    codes |= {*LIMITS, *WISHES, *coded_in("planning", "supply.py", "survey.py", "fits.py")}
    nearest = coded_in("planning", "constraints.py") - codes
    assert [code for code in sorted(filter(None, codes)) if not known(f"rejected-{code}")] == []
    assert "gib-short" in nearest
    assert [code for code in sorted(nearest) if not known(f"near-{code}")] == []


def test_every_way_of_not_answering_has_words() -> None:
    made = [node for _, node in calls() if called(node) == "Unreachable"]
    named = (each.value for node in made for each in node.keywords if each.arg == "code")
    codes = {str(literal(node, 1)) for node in made} | {str(each.value) for each in named
                                                        if isinstance(each, ast.Constant)}  # fmt: skip
    codes |= set(faults._WORDS)
    assert {"host-key-changed", "gone"} <= codes
    assert [code for code in sorted({*AWAY, *codes} - {"None"}) if not known(f"contact-{code}")] == []


def test_every_finding_of_a_machine_has_words() -> None:
    made = {literal(node) for path, node in calls() if called(node) == "_finding" and path.name == "findings.py"}
    codes = {*filter(None, made), "disk", "disk-low", "disk-full"}
    assert {"no-bash", "gpu-used", "clock-skew"} <= codes
    assert [code for code in sorted(codes) if not known(f"finding-{code}")] == []


def test_every_event_has_words() -> None:
    kinds = {literal(node) for _, node in calls() if called(node) in {"Note", "note", "_plain"}}
    kinds |= {literal(node, 3) for _, node in calls() if called(node) == "append_event"}
    assert {kind for kind in kinds if kind and not known(f"event-{kind}")} == set()


def test_every_command_has_help() -> None:
    assert [name for name in COMMANDS for lang in words.LANGUAGES if not words.helped(f"command-{name}", lang)] == []
