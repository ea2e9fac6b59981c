"""English: errors by code as (what happened, why, next step). Faults of job files have only the first two."""

from __future__ import annotations

TABLE: dict[str, tuple[str, str, str]] = {
    "catalog-not-kept": (
        "Nothing was changed in the catalog",
        "{path} could not be written: {cause}.",
        "Free some disk, or set TRADEWIND_HOME to a folder that can be written.",
    ),
    "residency-nowhere": (
        "No cloud has a region in `{text}`",
        "There are: EU, EEA, {known}.",
        "Give one of them to {key}; `tradewind catalog regions` lists what stands where.",
    ),
    # GPUs, places, purchases
    "gpu-unknown": ("[[`{key}`: ]]No GPU is called `{name}`.", "", "[[The nearest names: {nearest}.]]"),
    "gpu-ambiguous": ("[[`{key}`: ]]`{name}` could be several GPUs.", "", "[[Say which: {nearest}.]]"),
    "gpu-count-unreadable": (
        "[[`{key}`: ]]`{count}` in `{text}` is no number of GPUs.",
        "",
        "Write NAME:8 or NAME:1..8.",
    ),
    "cloud-unknown": ("No cloud is called `{name}`", "[[The nearest names: {nearest}.]]", "See `tradewind offers`."),
    "region-unknown": ("No region is called `{name}`", "[[The nearest names: {nearest}.]]", "See `tradewind offers`."),
    "purchase-unknown": ("`{name}` is no way of buying", "There are: {known}.", "Give one of them to --purchase."),
    # the catalog
    "option-choice-unknown": ("{option} has no `{name}`", "There are: {known}.", "Give one of them to {option}."),
    "cuda-unreadable": ("`{text}` is no version of CUDA", "", "Write 12 or 12.4."),
    "csv-with-json": ("--csv and --json exclude each other", "", "Give one of them."),
    "place-unknown": (
        "No place is called `{name}`",
        "[[The nearest names: {nearest}.]]",
        "Give a city, a region (`tradewind catalog regions`), or LAT,LON: 39.9,116.4.",
    ),
    "place-ambiguous": ("`{name}` could be several places.", "", "Say which: {nearest}."),
    "machine-unknown": (
        "No machine, family or GPU is called `{name}`",
        "[[The nearest names: {nearest}.]]",
        "`tradewind catalog gpus` lists GPUs, `tradewind offers` machines.",
    ),
    "currency-unknown": (
        "No rate is known for `{name}`",
        "There are: {nearest}.",
        "Give one of them, or put your rate into own-rates.csv (docs/catalog.md).",
    ),
    "gpu-count-unknown": (
        "No machine has just {count} × {gpu}",
        "",
        "[[Nearest: {nearest}. ]]A range finds more: NAME:1..8.",
    ),
    "rates-not-answered": (
        "Today's exchange rates could not be asked for",
        "{words}",
        "The rates listed by `tradewind catalog rates` stay in force; try again later, or state your own.",
    ),
    "rates-implausible": (
        "The exchange rates that were told are not to be believed",
        "{pair} is told as {told}; it was {known} on {known_as_of}.",
        "The rates in force stay; state your own in own-rates.csv if it is true.",
    ),
    "rates-unreadable": (
        "Your exchange rates cannot be read: {path}",
        "{cause}",
        "Its columns are base, quote, value, as_of, source.",
    ),
    "rent-or-buy-unusable": (
        "Renting and buying cannot be held against each other",
        "{why:unusable}.",
        "tradewind catalog compare --help says what each option means.",
    ),
    "own-name-unusable": (
        "`{name}` is no name for prices",
        "",
        "Letters, digits, dots and hyphens, at most 60: --as NAME.",
    ),
    "own-file-unreadable": ("The file cannot be read: {path}", "{cause}", "Give the path of a CSV file."),
    "own-prices-faulty": (
        "{count} faults in {file}: nothing was added",
        "",
        "Mend these lines and add the file again; docs/catalog.md has an example.",
    ),
    "own-empty": ("It has no prices.", "", "One price a line, below the names of the columns."),
    "own-not-utf8": ("It is not UTF-8.", "", "Save it as CSV in UTF-8."),
    "own-not-csv": ("It is not CSV ({cause}).", "", "Save it as CSV with commas."),
    "own-column-unknown": ("No column is called `{column}`.", "", "[[Did you mean: {nearest}? ]]Rename or delete it."),
    "own-column-missing": ("The column `{column}` is missing.", "", "There are: {known}."),
    "own-column-twice": ("The column `{column}` stands twice.", "", "Delete one of them."),
    "own-row-short": ("{cells} cells, not {wanted}.", "", "Quote cells that hold a comma."),
    "own-row-twice": ("The same thing has a price in line {first} already.", "", "Delete one of them."),
    "own-value-missing": ("`{column}` is empty.", "", "Fill it in."),
    "own-cloud-unknown": ("No cloud is called `{name}`.", "", "[[Nearest: {nearest}.]]"),
    "own-region-unknown": ("This cloud has no region `{name}`.", "", "[[Nearest: {nearest}.]]"),
    "own-machine-unknown": ("This cloud has no machine `{name}`.", "", "[[Nearest: {nearest}.]]"),
    "own-purchase-unknown": ("`{name}` is no way of buying.", "", "[[Nearest: {nearest}.]]"),
    "own-currency-unknown": ("No rate is known for `{name}`.", "", "[[Nearest: {nearest}.]]"),
    "own-price-unreadable": ("`{text}` is no price.", "", "A positive number with a point, without currency: 12.50."),
    "own-date-unreadable": ("`{text}` is no date.", "", "Write it as 2026-11-21, 2026-11 or 2026."),
    "extra-missing": (
        "{cloud} cannot be asked: its SDK is not installed",
        "There is no module {module}.",
        'pip install "tradewind[{cloud}]"',
    ),
    "site-unknown": (
        "{cloud} has no site `{name}`",
        "{setting} says so. Did you mean `{nearest}`?",
        "Set {setting} to one of: {choices}",
    ),
    "prices-not-allowed": (
        "{cloud} does not let us ask for its prices",
        "{words}",
        "Log in with the cloud's own tool, or set its credentials; docs/catalog.md says which rights are needed.",
    ),
    "prices-not-answered": (
        "{cloud} did not answer",
        "{words}",
        "Try again later: tradewind catalog refresh --cloud {cloud} goes on where it was.",
    ),
    "prices-not-understood": (
        "{cloud} answered in a shape that is not the published one",
        "{words}",
        "Its prices stay as they were. Please report it with this line.",
    ),
    "prices-clock-wrong": (
        "{cloud} refuses because this computer's clock is wrong",
        "{words}",
        "Set the clock, then refresh again.",
    ),
    "refresh-already-runs": (
        "{cloud} is being refreshed by another process",
        "",
        "Wait for it; `tradewind catalog list` shows when it is done.",
    ),
    "refresh-not-kept": (
        "What was told cannot be kept in {path}",
        "{cause}",
        "Free some space there; the next refresh goes on where this one was.",
    ),
    "refresh-nothing-told": (
        "{cloud} told no price of a known machine",
        "",
        "Its prices stay as they were. Check that the account may see them, then refresh again.",
    ),
    "refresh-not-positive": (
        "{cloud} told {count} prices that are zero or less",
        "First {instance_type} in {region}: {price}.",
        "Its prices stay as they were. Refresh again later.",
    ),
    "refresh-told-twice": (
        "{cloud} told {count} things twice, at two prices",
        "",
        "Its prices stay as they were. Refresh again later.",
    ),
    "refresh-currency-changed": (
        "{cloud} told {count} prices in another currency than before ({old})",
        "First {instance_type} in {region}: {price}.",
        "Its prices stay as they were. Check which site the account belongs to.",
    ),
    "refresh-half-gone": (
        "{cloud} told {left} of the {before} prices that were known: more than half are gone",
        "",
        "Its prices stay as they were. Refresh again later.",
    ),
    "refresh-off-by-ten": (
        "{cloud} told prices that are {ratio} × the known ones, in the middle of {count}",
        "No market moves so far at once: a unit or a currency changed.",
        "Its prices stay as they were. Refresh again later.",
    ),
    # sizing and planning
    "optimizer-unknown": ("No optimizer is called `{optimizer}`", "There are: {known}.", "Give one of them."),
    "strategy-unknown": ("No strategy is called `{strategy}`", "There are: {known}.", "Give one of them."),
    "batch-indivisible": (
        "A batch of {batch_size} cannot be divided over {gpus} GPUs at micro-batch {micro_batch}",
        "The global batch is micro-batch × GPUs × accumulation.",
        "Change --batch-size, --micro-batch or --gpus.",
    ),
    "model-unknown": (
        "It is not known how large the model is",
        "The job file names no model, nor its number of parameters[[ (model: {model})]].",
        "Add `model: {preset: resnet50}` or `model: {parameters: 7e9}`,"
        " or say what the machine must have: `resources: {accelerators: A10}`.",
    ),
    "needs-unknown": (
        "The job file does not say what the job needs",
        "It names neither a model nor resources.[[ What was measured on {device} says nothing of GPUs.]]",
        "Add a line to {file}: `resources: {accelerators: A10}`, or `model: {preset: resnet50}`."
        " Or have a few steps measured on a computer with a GPU[[ (add `{batch}` first)]]: tradewind calibrate {file}",
    ),
    "length-unknown": (
        "It is not known how long the training is",
        "Batch size, samples or epochs are missing.",
        "Add `training: {batch_size: 64, samples: 50000, epochs: 10}`.",
    ),
    "nothing-fits": (
        "No offer satisfies this job",
        "The plan says which limits rejected how many offers.",
        "Loosen one as the plan proposes; `tradewind plan {file}` shows it again.",
    ),
    "page-unwritable": (
        "The page cannot be written to `{path}`",
        "The system says: {why}.",
        "Name a file in a folder that is there: --html plan.html",
    ),
    "size-of-nothing": (
        "Nothing to size",
        "Neither a job file nor a model was given.",
        "Give a file, or a model: tradewind size --model params:7e9 --batch-size 8 --gpu A100-80GB",
    ),
    # running
    "rehearse-and-local": (
        "--rehearse and --local exclude each other",
        "A rehearsal runs here as if it ran on the planned offer; --local just runs here.",
        "Keep one of the two.",
    ),
    "preempt-without-rehearse": (
        "--preempt-at needs --rehearse",
        "Preemptions are injected in rehearsals only.",
        "Add --rehearse.",
    ),
    "time-scale-unreadable": (
        "--time-scale: `{text}` is no scale",
        "",
        "Give auto, or a number above 0 and at most {most}: --time-scale 60",
    ),
    "counts-unreadable": ("[[`{key}`: ]]`{text}` is no number of GPUs.", "", "Write 8, or a range: 1..8"),
    "secret-missing": (
        "`secrets`: no value is known of {names}",
        "Its value comes from your environment, or from the keyring.",
        "Set it, then run again: export {first}=…, or keyring set tradewind {first}.",
    ),
    "no-cloud-configured": (
        "No cloud is configured, so nothing can be rented",
        "Neither an account of a cloud nor a machine of yours is known to this installation.",
        "Rehearse the job at no cost: tradewind run {file} --rehearse; run it on this computer: --local;"
        " or on a machine of yours: tradewind machines add USER@HOST; what clouds lack: tradewind clouds",
    ),
    "limit-missing": (
        "--yes spends money without asking, and no limit says how much",
        "Neither budget.limit nor --max-cost is given.",
        'Add --max-cost "30 CNY", or `budget: {limit: 30 CNY}`.',
    ),
    "extend-nothing": (
        "Nothing to change for {job}",
        "Neither a budget nor a deadline was given.",
        "Give --budget, --deadline, or both.",
    ),
    "extend-ended": (
        "{job} cannot be extended: it is {state:state}",
        "A job that has come to its end stays there.",
        "Submit it again; it goes on from its checkpoints if `checkpoint.store` is set.",
    ),
    "extend-no-price": ("{job} has no budget to set", "What it runs on has no price.", "Give --deadline alone."),
    "extend-mixed-currencies": (
        "{job} cannot be given a budget now",
        "It has rented in more than one currency besides {currency}.",
        "Give --deadline alone, or a budget when it is submitted.",
    ),
    "deadline-over": (
        "The deadline {deadline} is over",
        "In the job's own time it is {now}.",
        "Give a later one: a span counts from the submit.",
    ),
    "budget-not-limiting": (
        "The budget does not limit {job}",
        "It may pass its budget until its deadline (`budget.on_limit`).",
        "Change the deadline instead.",
    ),
    "budget-too-small": (
        "A budget of {budget} is too small",
        "{spent} are spent, and {held} are held for what runs until its hard end.",
        "Give more than both together, or stop the job.",
    ),
    "limit-not-convertible": (
        "The limit {money} cannot be held against a price in {currency}",
        "No exchange rate between the two is known.",
        "Give the limit in {currency}.",
    ),
    "nobody-to-ask": (
        "This run costs money and nobody can be asked",
        "There is no terminal, and --yes is not given.",
        'Add --yes with --max-cost "30 CNY", or run it in a terminal.',
    ),
    "not-agreed": ("Nothing was rented", "You did not agree.", "To try it at no cost: --rehearse"),
    "workdir-missing": ("The workdir does not exist: {path}", "It is relative to the job file.", "Correct `workdir`."),
    "workdir-too-large": (
        "The workdir {path} is too large to send: {files} files, {size}",
        "The largest folders: {largest}.",
        "Leave out what the job does not need: a line such as `{first}` in {path}/.gitignore."
        " Data that it reads belongs into `data`.",
    ),
    "workdir-unreadable": ("A file of the workdir cannot be read: {path}", "{why}", "Make it readable, or ignore it."),
    "job-unknown": (
        "No job is called `{name}`",
        "[[The newest jobs: {known}.]]",
        "tradewind ps --all lists every job.",
    ),
    "job-ambiguous": ("Several jobs begin with `{name}`", "{jobs}", "Give more of the id."),
    "id-unknown": (
        "No job and no lease is called `{name}`",
        "",
        "tradewind ps --all and tradewind leases --all list them.",
    ),
    "id-ambiguous": ("Several jobs or leases begin with `{name}`", "{ids}", "Give more of the id."),
    "wait-timeout": (
        "The job {job} goes on after {seconds} s",
        "The wait ran out, the job did not.",
        "tradewind wait {job}, or tradewind logs -f {job}",
    ),
    "listing-incomplete": (
        "Some places could not be listed: {places}",
        "What is rented there is unknown.",
        "Try again; tradewind sweep names each place.",
    ),
    # the supervisor's service
    "supervisor-not-starting": (
        "The supervisor does not start",
        "[[{why}]]",
        "Mend what {log} tells last; the next command starts it again, and what was submitted goes on then.",
    ),
    "service-not-ours": (
        "Another's file is in the place of the service: {path}",
        "`tradewind supervisor install` did not write it.",
        "Look at it; move it away, then install again.",
    ),
    "service-command-failed": (
        "The service manager refused: {command}",
        "[[{why}]]",
        "The file is {path}; try the command by hand, or look with `tradewind supervisor`.",
    ),
    "service-database-url": (
        "A service cannot be installed for a database named by TRADEWIND_DATABASE",
        "Its address may hold a password, and the service file holds none.",
        "Unset TRADEWIND_DATABASE to install it for the database of the home.",
    ),
    "print-without-install": (
        "--print goes with install",
        "There is no file to print for {action}.",
        "tradewind supervisor install --print",
    ),
    # this computer
    "home-unusable": (
        "Tradewind's home cannot be used: {path}",
        "{why}.",
        "Set TRADEWIND_HOME to a folder that you may write to: export TRADEWIND_HOME=/path/to/a/folder (now {home}).",
    ),
    "disk-full": (
        "The disk is full[[: {path}]]",
        "{why}.",
        "Free some space where the output goes[[ and in {home}]], then try again; what was submitted goes on.",
    ),
    "interrupted": ("Interrupted", "", "What was submitted before goes on: tradewind ps"),
    "python-incomplete": (
        "This Python lacks a part of its standard library: {module}",
        "{why} ({python})",
        "Use a Python that has it: that of your system, of python.org or of conda."
        " One built from source needs the headers of SQLite, OpenSSL and zlib first.",
    ),
    "package-missing": (
        "A package that Tradewind needs is not there: {module}",
        "{why} ({python})",
        "Install Tradewind again: {python} -m pip install --force-reinstall tradewind",
    ),
    "folder-gone": ("The folder that you are in is gone", "It was moved or deleted.", "Go to another: cd"),
    "home-nowhere": (
        "Nobody says where your home folder is: {path}",
        "HOME is not set, or there is no such user.",
        "Say where Tradewind may keep its state: export TRADEWIND_HOME=/path/to/a/folder",
    ),
    "home-not-a-folder": ("TRADEWIND_HOME is not a folder: {home}", "", "Point it to a folder, or unset it."),
    "catalog-home-unwritable": (
        "The catalog cannot be written to {path}",
        "{cause}",
        "Free space there, or set TRADEWIND_HOME elsewhere.",
    ),
    "language-unknown": ("No words in `{text}`", "", "Give one of: {choices}"),
    "crashed": (
        "Tradewind failed: a bug of ours ({kind})",
        "[[{text}]]",
        "The details are in {path}; jobs and leases go on: tradewind ps, tradewind leases",
    ),
    # the database
    "database-full": ("The disk of the database is full: {path}", "{why}", "Free some space there, then try again."),
    "database-busy": ("The database is busy: {path}", "{why}", "Try again in a moment."),
    "database-unavailable": (
        "The database cannot be reached: {path}",
        "{why}",
        "Check that it is there and may be written; then try again.",
    ),
    "database-damaged": (
        "The database is damaged: {path}",
        "{why}. Nothing was written over.",
        "Put it aside and restore a backup[[; one lies at {backup}]]. What is rented has its hard end all the same.",
    ),
    "database-newer": (
        "The database was written by a newer Tradewind: {path}",
        "It is at revision {revision}; this program knows revisions up to {newest}.",
        "Install the newer version again[[; an older backup lies at {backup}]].",
    ),
    "database-on-network-fs": (
        "The database would lie on a network file system: {path}",
        "{mount} is {kind}; SQLite's locks do not hold between computers.",
        "Set TRADEWIND_HOME to a folder on a local disk.",
    ),
    "database-backup-failed": (
        "The database was not brought up to date: its backup cannot be written to {path}",
        "{why}",
        "Free some space there, then try again; nothing was changed.",
    ),
    "database-url-unusable": (
        "The address of the database cannot be used",
        "[[It begins with {scheme}.]]",
        "Write it as postgresql://USER@HOST/NAME.",
    ),
    "database-driver-missing": (
        "The driver for PostgreSQL is not installed",
        "There is no module {module}.",
        'pip install "tradewind[server]"',
    ),
    # the command line
    "command-unknown": (
        "No command is called `{name}`",
        "[[Did you mean: {nearest}?]]",
        "tradewind --help lists them.",
    ),
    "option-unknown": (
        "`{command}` has no option {name}",
        "[[Did you mean: {nearest}?]]",
        "{command} --help lists them.",
    ),
    "parameter-missing": ("{name} is missing", "", "{command} --help says what it is."),
    "parameter-unreadable": ("{name} cannot be used", "{why}", "{command} --help says what it takes."),
    "command-line-unreadable": ("The command line cannot be read", "{why}", "{command} --help"),
}
