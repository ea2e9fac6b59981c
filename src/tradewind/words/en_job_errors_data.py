"""English: errors of job files as (what happened, why, next step). Faults of keys have only the first two."""

from __future__ import annotations

TABLE: dict[str, tuple[str, str, str]] = {
    "job-file-missing": ("No such file: {path}", "", "Check the path, or have one written: tradewind init"),
    "job-file-is-folder": ("{path} is a folder", "A job file is wanted.", "Give the file: {path}/job.yaml"),
    "job-file-is-no-file": (
        "{path} is no file",
        "It is a device or a socket.",
        "Give a job file: a YAML text of some dozens of lines.",
    ),
    "job-file-unwritten": (
        "Nobody writes into the pipe {path}",
        "It was open for a second, and its other end was not.",
        "Give a file, or start what writes first.",
    ),
    "job-file-unreadable": ("{path} cannot be read", "{why}", "Check that you may read it."),
    "job-file-too-large": (
        "{path} is too large for a job file: {size_mb} MB",
        "It has some dozens of lines; {limit_mb} MB are the limit.",
        "Check the path: data and code belong into `workdir`.",
    ),
    "job-file-not-text": (
        "This is not UTF-8 text",
        "The byte {byte} cannot stand here.[[ The file looks like {encoding}.]]",
        "Save it as UTF-8[[: iconv -f {encoding} -t UTF-8 {quoted} > utf-8.yaml]]",
    ),
    "job-file-empty": ("The job file says nothing", "It has no keys.", "Add at least `run: python train.py`."),
    "job-file-not-mapping": (
        "The job file is not a mapping of keys",
        "It begins with a list or a bare text.",
        "Write keys: `run: python train.py`.",
    ),
    "job-invalid": (
        "[[{file}: ]]the job cannot be read; faults: {count}",
        "",
        "Correct what stands above; `tradewind init` writes a file whose comments say what each key means.",
    ),
    "yaml-tab": ("A tab where YAML wants spaces", "YAML indents with spaces only.", "Replace the tab with spaces."),
    "yaml-many-documents": (
        "More than one document in the file",
        "A `---` begins another one.",
        "Keep one job a file.",
    ),
    "yaml-unreadable": ("This is not YAML", "{problem}", "Correct the line; texts with `: ` or `#` need quotes."),
    "yaml-too-deep": (
        "The job file is nested too deeply",
        "Here begins more than any job file has.",
        "A job file has at most three levels.",
    ),
    "yaml-too-large": (
        "The job file has more than {limit} values",
        "Here stands the first beyond them.",
        "A job file has some dozens; check the path: data belongs into `workdir`.",
    ),
    "yaml-too-many-aliases": (
        "The job file grows beyond {limit} values once its aliases are followed",
        "",
        "Write values out instead of `*`.",
    ),
    "yaml-quote-open": ("This quote is not closed", "", "Close it with the same quote, on the same line."),
    "yaml-bracket-open": (
        "This bracket is not closed, or a comma is missing in it",
        "",
        "Close it, and put commas between what stands in it.",
    ),
    "yaml-colon-inside": (
        "A `:` that YAML cannot place",
        "It stands in a text, or on a line indented deeper than the one before.",
        "Put the text in quotes: run: 'echo a: b'. Or begin the line where its neighbours begin.",
    ),
    "yaml-colon-missing": (
        "This line is no key",
        "It has no `:` followed by a blank.",
        "Write a key and a value: `run: python train.py`.",
    ),
    "yaml-indent": (
        "This line begins where no other does",
        "YAML reads from the indentation what belongs together.",
        "Begin it exactly where its neighbours begin.",
    ),
    "yaml-quotes-needed": (
        "A text may not begin like this",
        "In YAML & * ! | > ' \" % @ ` [ ] { } - mean something at the begin of a text.",
        "Put the text in quotes: run: './train.sh'",
    ),
    "yaml-escape": (
        "A \\ that begins nothing known",
        'In "double quotes" a \\ begins a special character.',
        "Use 'single quotes': there a \\ is just a \\.",
    ),
    "yaml-character": (
        "A character that cannot stand in YAML: {character}",
        "It is a control character, or no character at all.",
        "Delete it.",
    ),
    "yaml-merge": (
        "`<<` does not merge here[[: `{key}`]].",
        "This is YAML 1.2, which has no merge.",
        "Write the keys out.",
    ),
    "character-unusable": ("`{key}` holds {character}.", "No program can be given this character.", "Delete it."),
    "key-unknown": ("`{key}`: no such key.[[ Did you mean `{nearest}`?]]", "", ""),
    "key-missing": ("`{key}` is missing.", "", ""),
    "run-missing": ("`{key}` is missing.", "It is the command that trains.", "Add: `run: python train.py`"),
    "key-twice": ("`{key}` stands twice.", "It stands first on line {first}.", ""),
    "key-not-text": ("A key that is not text.", "[[It is in `{key}`.]]", ""),
    "type-wrong": ("`{key}`: {wanted:kind} is wanted, not {got:kind}.", "", ""),
    "number-with-unit": ("`{key}`: `{text}` is no plain number.", "Digits alone are wanted: no unit, no comma.", ""),
    "number-out-of-range": ("`{key}`: {value} is out of range.", "It must be {limit}.", ""),
    "value-empty": ("`{key}` is empty.", "", ""),
    "value-too-long": ("`{key}` is too long.", "It has at most {limit} letters.", ""),
    "value-wrong": ("`{key}` cannot be used.", "{why}", ""),
    "duration-unreadable": (
        "[[`{key}`: ]]`{text}` is no span of time.[[ Did you mean {nearest}?]]",
        "",
        "Write a number with its unit: 12h, 90m, 2d, 15s, 1h30m.",
    ),
    "duration-out-of-range": (
        "[[`{key}`: ]]`{text}` is out of range.",
        "",
        "Write more than nothing, and at most {days}d.",
    ),
    "deadline-gone": (
        "`{key}`: `{text}` is over.",
        "It is {now} now.",
        "Write a later instant, or a span of time that counts from the submit: 12h.",
    ),
    "money-unreadable": (
        "[[`{key}`: ]]`{text}` is no sum of money.[[ Did you mean `{nearest}`?]]",
        "",
        "Write an amount and its currency: 300 CNY or 45.50 USD.",
    ),
    "money-out-of-range": (
        "[[`{key}`: ]]`{text}` is out of range.",
        "",
        "Write more than nothing, and at most {most}.",
    ),
    "currency-none": (
        "[[`{key}`: ]]no currency is called `{name}`.[[ Did you mean `{nearest}`?]]",
        "",
        "Write an amount and its currency: 300 CNY or 45.50 USD.",
    ),
    "choice-unknown": (
        "[[`{key}`: ]]`{value}` is none of the choices.[[ Did you mean `{nearest}`?]]",
        "Choices: {choices}.",
        "",
    ),
    "name-unusable": ("`{key}`: not a usable name.", "A name has 1 to {limit} letters, without / and \\.", ""),
    "env-name-unusable": (
        "`{key}`: `{text}` is no name of a variable.",
        "Letters, digits and _ only, no digit first.",
        "",
    ),
    "image-unreadable": ("`{key}`: `{text}` names no image.", "Write docker:IMAGE or machine:NAME.", ""),
    "residency-unreadable": (
        "`{key}`: `{text}` names no place.",
        "Write a two-letter country (CN, DE), EU or EEA.",
        "",
    ),
    "instant-unreadable": (
        "[[`{key}`: ]]`{text}` is no instant.",
        "",
        "Write it as 2026-11-22T08:00+08:00, or as a span: 12h.",
    ),
    "instant-without-zone": (
        "[[`{key}`: ]]`{text}` has no time zone.",
        "",
        "Add one: `{text}Z` for UTC, `{text}+08:00` for Beijing.",
    ),
    "preempt-at-unreadable": (
        "[[`{key}`: ]]`{text}` says no time of a preemption.",
        "",
        "Write shares below 100 % or times: 25%,60% or 15s,35s.",
    ),
    "every-unreadable": (
        "`{key}`: `{text}` says not how often.",
        "",
        "Write auto, a span of time (5s), or a number of steps (200 steps).",
    ),
    "model-sources-many": ("`{key}` names several models.", "Keep one of: {given}.", ""),
    "model-source-missing": ("`{key}` names no model.", "Add one of: parameters, preset, timm, hf, entrypoint.", ""),
    "secret-in-env": (
        "`{key}` is a secret and must not stand in the file.",
        "Its value comes from your environment.",
        "",
    ),
    # a first job file
    "folder-missing": ("No such folder: {path}", "", "Check the path, or make the folder first."),
    "job-file-exists": (
        "{path} is there already",
        "It is not written over unasked.",
        "Move it away, or say so: tradewind init --force",
    ),
    "file-unwritable": ("{path} cannot be written", "{why}", "Check that you may write there, and that there is room."),
    "folder-not-empty": (
        "{path} is there already, and not empty",
        "An example is copied into a folder of its own.",
        "Name another folder: tradewind init --example NAME FOLDER, or write over files of the same names: --force",
    ),
    "example-and-run": ("--example and --run exclude each other", "An example has its own command.", "Leave one out."),
    "script-unseen": (
        "No training script is seen in {path}",
        "No Python file there does something on its own and trains, or is called train.py.",
        'Say what to run: tradewind init --run "python train.py". Or begin with an example: tradewind init '
        "--example digits",
    ),
    "notebooks-only": (
        "{path} has notebooks, and no script that trains",
        "A job runs a command: nobody is there to press the keys of {notebook}.",
        "Make a script of it: jupyter nbconvert --to script {notebook}; then: tradewind init",
    ),
}
