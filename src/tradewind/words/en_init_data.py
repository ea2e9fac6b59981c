"""English: the first job file: its comments, the questions before it, what was seen, what comes next."""

# ruff: noqa: E501  one sentence, one line

from __future__ import annotations

TABLE: dict[str, str] = {
    # the file
    "job-file-head": "What Tradewind is to run, what that needs, and within which limits. Written by `tradewind init` from what lies in this folder; it is yours to change. What is commented out is an example.",
    "job-file-commands": "tradewind plan job.yaml             where, until when, for how much; spends nothing\n"
    "tradewind run job.yaml --rehearse   the real run on this computer, as if it were rented",
    "job-file-more": "There are more keys, such as data, placement, image, env, secrets and ports: `tradewind init --schema` describes them all.",
    "seen-in": "seen in {place}",
    # questions
    "ask-overwrite": "{path} is there already. Write over it? [y/N]",
    "ask-which-command": "Which command trains? Its number, or another command; Enter takes the first.",
    "ask-command": "No training script is seen here. Which command trains? (such as: python train.py)",
    "ask-resources-accelerators": "The model is not seen. Which GPU, and how many? (A10:1, A100-80GB:1..8; Enter: not known yet)",
    "ask-schedule-deadline": "Within what time must it have ended? (12h, 2d; Enter: no deadline)",
    "ask-budget-limit": "What may it cost at most? (300 CNY, 40 USD; Enter: no limit)",
    # what came of it
    "init-written": "{path} is written.",
    "init-copied": "The example {example} is in {path}: {files}",
    "init-given": "given",
    "init-next": "Next",
    "init-missing": "Not seen, and in the file as examples: {keys}",
    "init-others": "Other commands that may be the training: {commands}",
    "init-packages": "Not installed in this Python, and needed by the example: pip install {packages}",
    "init-model-missing": "Neither a model nor a GPU is told: a plan needs `model`, `resources`, or a measurement by `tradewind calibrate job.yaml`.",
    "init-step-plan": "where, until when, for how much",
    "init-step-rehearse": "the real run on this computer, as if it were rented",
    "init-step-calibrate": "measure 30 steps here",
    "col-init-key": "key",
    "col-init-value": "value",
    "col-init-place": "seen in",
    "at-least": "at least {count}",
    # beside it
    "init-remark-scripts-unreadable": "Passed over, for it is not Python: {names}",
    "init-remark-folder-large": "The folder is large: its first {files} files were looked at.",
    "init-remark-workdir-heavy": "{bytes} in {files} files would travel with each job, more than the 500 MB or 20,000 files that may: name in .gitignore what stays, and fetch data from a bucket in `setup` or `run`.",
    "init-remark-data-travels": "{folder}/ ({bytes}; files: {files}) is taken for data; it travels with each job.",
    "init-remark-data-stays": "{folder}/ ({bytes}; files: {files}) is taken for data; .gitignore keeps it here, so the job must find it elsewhere: make or fetch it in `setup`.",
    "init-remark-environment-yml": "{file} was seen, but conda is not set up on rented machines: put what the job needs into requirements.txt, or name a container in `image`.",
}
