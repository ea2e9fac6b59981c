"""How long sizing takes: warm answers without a trace, traces of small and large models, many questions at once.

    python benchmarks/sizing_speed.py            all but the last
    python benchmarks/sizing_speed.py --batch    a file of 1,000 questions about 100 models: cold, then cached; minutes

A trace is a whole `tradewind size` from its start in a fresh home, with the peak memory of its largest process.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from installation import TRADEWIND
from measure import process, seconds_of, tell
from sizing.truths import rows

from tradewind.app.sizes import answers, flags
from tradewind.app.sizes.profiles import Profiles
from tradewind.app.sizes.traces import Traces
from tradewind.tracing.key import content_key
from tradewind.tracing.process import ProcessTracer

WARM, WARM_ROUNDS = ("preset:resnet50", "preset:llama-3-8b", "preset:llama-3-70b", "params:7e9"), 15
WARM_MS = 50.0
# (layers, hidden, heads, feed-forward) of Llama 3: Meta's model cards (2024).
LLAMA_3 = {"8B": (32, 4096, 32, 14336), "70B": (80, 8192, 64, 28672)}
TRACE_S = {"resnet50": 5.0, "llama-3-8B": 30.0, "llama-3-70B": 90.0}
PEAK_GIB = 4.0
MODELS, QUESTIONS, BATCH_S, WORKERS = 100, 1000, 600.0, 2
GPUS = ("T4", "V100-16GB", "RTX-3090", "A10", "L4", "L40S", "A100-40GB", "A100-80GB", "H100-80GB", "RTX-4090")


def main() -> None:
    """Print every figure."""
    warm()
    with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder:
        traced(Path(folder))
        if "--batch" in sys.argv[1:]:
            batch(Path(folder))


def warm() -> None:
    """One question about every GPU of the data sheets, in a process that has answered before."""
    with Profiles(Traces(Path()), ProcessTracer, content_key, lambda _: None) as profiles:  # nothing is traced
        for model in WARM:
            workload, overrides = flags.asked({"model": model, "gpu": "all", "micro_batch": 8})
            ask = partial(answers.study, workload, overrides, profiles)
            ask()
            taken = sorted(1e3 * seconds_of(ask) for _ in range(WARM_ROUNDS))
            tell(f"sizing-speed/warm/{model}", "ms", statistics.median(taken), WARM_MS, most=round(taken[-1], 1))


def traced(folder: Path) -> None:
    """A model traced for one GPU, from nothing."""
    asked = {"resnet50": ("--model", "timm:resnet50", "--image-size", "224")}
    for size in LLAMA_3:
        asked[f"llama-3-{size}"] = ("--model", f"hf:{_config(folder, size)}", "--sequence", "2048")
    for name, words in asked.items():  # the smallest first: memory is told as the most of all so far
        run = [TRADEWIND, "size", *words, "--gpu", "A100-80GB", "--gpus", "8", "--micro-batch", "1", "--precision",
               "amp-bf16", "--activation-checkpointing", "none", "--json"]  # fmt: skip
        seconds = seconds_of(process(run, {"TRADEWIND_HOME": str(folder / name)}))
        peak = getrusage(RUSAGE_CHILDREN).ru_maxrss / 2**20
        tell(f"sizing-speed/traced/{name}", "s", seconds, TRACE_S[name])
        tell(f"sizing-speed/traced/{name}/peak", "GiB", peak, PEAK_GIB)


def _config(folder: Path, size: str) -> Path:
    layers, hidden, heads, ffn = LLAMA_3[size]
    path = folder / size / "config.json"
    path.parent.mkdir()
    path.write_text(json.dumps({
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu", "hidden_size": hidden,
        "intermediate_size": ffn, "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": 8,
        "vocab_size": 128256, "max_position_embeddings": 8192, "rms_norm_eps": 1e-5, "rope_theta": 500000.0,
        "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    }), encoding="utf-8")  # fmt: skip
    return path


def batch(folder: Path) -> None:
    """Every question answered, with nothing known before; then again, with every trace there."""
    asked = folder / "questions.jsonl"
    asked.write_text("".join(json.dumps(each) + "\n" for each in islice(_questions(), QUESTIONS)), encoding="utf-8")
    command = [TRADEWIND, "size", "--batch-file", str(asked), "--workers", str(WORKERS), "--json"]
    env = {**os.environ, "TRADEWIND_HOME": str(folder / "batch")}
    for name in ("cold", "cached"):
        with (folder / name).open("w+b") as out:
            run = partial(subprocess.run, command, env=env, check=True, stdin=subprocess.DEVNULL, stdout=out)
            seconds = seconds_of(run)
            out.seek(0)
            lines = [json.loads(line) for line in out]
        faults = sum("error" in line for line in lines)
        tell(f"sizing-speed/batch/{name}", "s", seconds, BATCH_S, rows=len(lines), errors=faults, models=MODELS)


def _questions() -> Iterator[dict[str, object]]:
    """Models of the truths that were measured lately, spread over them, each on every GPU."""
    newest = sorted({(row["model"].partition("/")[2], row["image_or_seq"]) for row in rows()
                     if row["model"].startswith("timm/") and row["date"] >= "2024"})  # fmt: skip
    for name, size in newest[:: len(newest) // MODELS][:MODELS]:
        for gpu in GPUS:
            yield {"model": f"timm:{name}", "image_size": int(size), "gpu": gpu, "precision": "amp-fp16",
                   "micro_batch": 8, "activation_checkpointing": "none"}  # fmt: skip


if __name__ == "__main__":
    main()
