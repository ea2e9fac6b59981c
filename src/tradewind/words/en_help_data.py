"""English: help of commands, arguments and options."""

# ruff: noqa: E501  one sentence, one line

from __future__ import annotations

TABLE: dict[str, str] = {
    "usage": "Usage:", "options": "Options", "arguments": "Arguments",
    "group-plan": "Plan", "group-run": "Run", "group-money": "Money", "group-nodes": "Nodes", "group-team": "Team",
    "command-tradewind": "Rents GPU servers for deep learning and sees a training job through, from one file.",
    "command-tradewind-more": "size → plan → lease → prepare → run → watch → recover → account → release",
    "command-tradewind-example": "Try it at no cost:  tradewind run job.yaml --rehearse",
    "command-size": "What a model needs: GPU memory, step time, throughput, on every GPU asked for.",
    "command-size-more": "A flag that is given is obeyed, never silently improved.",
    "command-size-example": "tradewind size job.yaml --gpu A10,L4\n"
                            "tradewind size --model params:7e9 --batch-size 8 --precision bf16 --gpu A100-80GB --gpus 1..8",
    "command-offers": "What is for rent, cheapest first, from the shipped catalog.",
    "command-offers-more": "Every price says when it was listed. No account is asked.",
    "command-offers-example": "tradewind offers --gpu A100-80GB --gpus 8 --cloud alibaba,aws",
    "command-plan": "Where a job would run, when it would end, what it would cost.",
    "command-plan-more": "Asks no cloud and spends nothing. Exit 3 when nothing fits, with what would have to change.",
    "command-plan-example": "tradewind plan job.yaml",
    "command-run": "Run a job to its end, through preemptions.",
    "command-run-more": "With --rehearse it runs on this computer, priced and preempted as the planned offer would be. "
                        "Ctrl-C detaches; the job goes on.",
    "command-run-example": "tradewind run job.yaml --rehearse --preempt-at 25%,60%\ntradewind run job.yaml --local",
    "command-ps": "The jobs, newest first.", "command-show": "Everything known of one job.",
    "command-logs": "What a job wrote.", "command-wait": "Wait for a job's end; the exit code tells it.",
    "command-wait-more": "0 succeeded · 5 failed · 6 expired · 8 stopped · 9 the timeout ran out.",
    "command-stop": "Stop a job: a last checkpoint, then release everything.",
    "command-leases": "What is rented now. Empty only when every place was listed.",
    "command-sweep": "Look everywhere for what is ours; end what has no purpose.",
    "command-cost": "Money by lease, and what on-demand would have cost.",
    "argument-file": "the job file", "argument-job": "a job's id, its beginning, or its name",
    "option-lang": "language: en or zh (default: of the locale)", "option-version": "print the version",
    "option-help": "show this help", "option-json": "one JSON value on stdout, prose on stderr",
    "option-model": "preset:NAME, timm:NAME, hf:PATH, entrypoint:FILE:FUNCTION, or params:7e9",
    "option-gpu": "GPU by any data-sheet name; repeat it, or a comma list, or all",
    "option-gpus": "number of GPUs in all: 8, or a range 1..8", "option-nodes": "number of machines",
    "option-micro-batch": "samples per GPU and pass, or auto", "option-batch-size": "samples per optimizer step, in all",
    "option-precision": "fp32 tf32 amp-fp16 amp-bf16 fp16-true bf16-true fp8 int8 int4",
    "option-optimizer": "sgd sgd-plain adam adamw adamw-8bit lion adafactor lamb",
    "option-cloud": "only this cloud; repeat it, or a comma list", "option-region": "only this region",
    "option-purchase": "on_demand, spot, …", "option-limit": "at most so many",
    "option-rehearse": "run here as if on the planned offer; spends nothing",
    "option-local": "just run here, without a plan or a price", "option-detach": "return once the job is submitted",
    "option-yes": "do not ask; needs a limit where money is spent", "option-max-cost": 'most that may be spent: "30 CNY"',
    "option-request-id": "the same id gives the same job, never a second one",
    "option-preempt-at": "inject preemptions: shares of all steps, or seconds of training",
    "option-time-scale": "planned-offer seconds that one second here stands for (auto: predicted ÷ measured)",
    "option-all": "ended ones too", "option-follow": "go on until the job has ended",
    "option-timeout": "give up after this time: 30s, 10m", "option-end": "end what has no purpose",
    "option-rehearsals": "rehearsals too", "option-currency": "totals in this currency, at a dated rate",
}  # fmt: skip
