"""English: errors of one's own machines, of the road to them, of visiting a job: (what happened, why, next step)."""

from __future__ import annotations

TABLE: dict[str, tuple[str, str, str]] = {
    # adding and naming machines
    "target-unreadable": (
        "`{target}` names no host",
        "",
        "Write USER@HOST:PORT as far as needed: ada@10.0.0.7, ada@box:2222, a Host of ~/.ssh/config, [2001:db8::7].",
    ),
    "machine-not-added": (
        "No machine is called `{name}`",
        "[[There are: {known}.]]",
        "tradewind machines list tells them; tradewind machines add USER@HOST adds one.",
    ),
    "machine-name-unreadable": (
        "`{name}` is no name for a machine",
        "",
        "Letters, digits, dots, hyphens and underscores, at most 60: --name gpu-box.",
    ),
    "machine-name-taken": (
        "`{name}` is the name of another machine",
        "It is {target}.",
        "Give this one another name with --name, or remove the other: tradewind machines remove {name}",
    ),
    "machine-known-as": (
        "{target} is here already, as `{name}`",
        "One host is one machine: two names would promise its GPUs twice.",
        "Change its settings under its name: tradewind machines add {target} --name {name}",
    ),
    "machine-gpus-unknown": (
        "`{name}` has no GPU {gpus}",
        "[[It has: {known}.]]",
        "Give indices as nvidia-smi tells them: --gpus 0,1",
    ),
    "gpu-indices-unreadable": (
        "`{text}` names no GPUs",
        "",
        "Give indices as nvidia-smi tells them, with commas: --gpus 0,1",
    ),
    "country-unreadable": ("`{country}` is no country", "", "Write two letters, as in ISO 3166: --country DE"),
    "folder-unreadable": (
        "`{folder}` cannot be the folder on the host",
        "A path is wanted, absolute or below your home there.",
        "For example: --folder /data/tradewind",
    ),
    "machine-unreadable": (
        "What is known of a machine cannot be read: {path}",
        "{cause}",
        "Move the file away, then add the machine again; what runs there goes on.",
    ),
    "host-key-unasked": (
        "{target} is not known yet, and nobody can be asked whether it is the right machine",
        "It shows {fingerprints}.",
        "Compare that with what its administrator says, then: {command}",
    ),
    "host-key-other": (
        "{target} shows other host keys than those that were pinned, or that your known_hosts has",
        "It shows {fingerprints}.",
        "Only if it was set up anew, and its administrator tells you this fingerprint: {command}",
    ),
    "host-key-not-agreed": (
        "{target} was not added",
        "Its host key was not agreed to.",
        "Ask its administrator for the fingerprint, or look there: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub",
    ),
    "host-key-differs": (
        "{target} shows another host key than was given",
        "Given: {given}; shown: {fingerprints}.",
        "If you typed it right, somebody may be between you and the machine: ask its administrator before you go on.",
    ),
    "machine-in-use": (
        "`{name}` is in use: {jobs}",
        "A machine with a lease is not removed: its jobs would be cut off.",
        "Stop them, or wait for their end: tradewind stop JOB",
    ),
    "machine-too-small": (
        "`{name}` is too small for this job",
        "The job wants {wanted}; the machine has {has}.",
        "Change resources.accelerators, choose another machine, or allow more of its GPUs (machines add --gpus).",
    ),
    "machine-elsewhere": (
        "`{name}` is not in {residency}",
        "As it was added it stands in {country}.",
        "If it stands elsewhere, add it again with --country; or change placement.residency.",
    ),
    "host-refused": (
        "{target} refused ({kind})",
        "{why}",
        "Look at the machine: tradewind machines check",
    ),
    "local-and-on": (
        "--local and --on exclude each other",
        "--local runs on this computer, --on on a machine of yours.",
        "Keep one of the two.",
    ),
    # the road to a machine: why it does not answer
    "host-key-changed": (
        "{target} shows another host key than the one that was pinned",
        "",
        "Nothing was sent. If it was set up anew, get its new fingerprint from its administrator and give it:"
        " tradewind machines add {target} --host-key SHA256:…   If it was not, somebody is between you and it.",
    ),
    "host-key-unknown": (
        "No host key is pinned for {target}",
        "",
        "Add it, and agree to its key: tradewind machines add {target}",
    ),
    "jump-key-unknown": (
        "A jump host on the way to {target} cannot be trusted",
        "{why}",
        "Jump hosts are checked against your own known_hosts: log in there once with ssh and compare its fingerprint.",
    ),
    "login-refused": (
        "{target} does not let you log in",
        "{why}",
        "Try `ssh {target}` in a terminal. If that works only with a prompt, give Tradewind a key of its own:"
        " tradewind machines add {target} --own-key",
    ),
    "password-only": (
        "{target} lets people in by password only",
        "",
        "Jobs are watched when nobody is there to type one: put a public key there (ssh-copy-id {target}),"
        " or ask its administrator to allow keys.",
    ),
    "passphrase-needed": (
        "The key for {target} needs its passphrase",
        "{why}",
        "Put it into an agent (ssh-add), or give Tradewind a key of its own: tradewind machines add {target} --own-key",
    ),
    "no-python": (
        "{target} has no Python 3.8 or later",
        "",
        "Install one (apt-get install python3); nothing else is needed there.",
    ),
    "no-bash": ("{target} has no bash", "", "Install it: jobs are run by `bash -eo pipefail`."),
    "no-space": (
        "The disk of {target} is full",
        "{why}",
        "Free some space there, or choose another disk: tradewind machines add {target} --folder /data/tradewind",
    ),
    "folder-refused": (
        "The folder on {target} cannot be made",
        "{why}",
        "Choose one that you may write to: tradewind machines add {target} --folder /data/tradewind",
    ),
    "host-unknown": (
        "No host is called {target}",
        "{why}",
        "Check the spelling, the VPN, and the Host entries of ~/.ssh/config.",
    ),
    "connection-refused": (
        "Nothing listens where {target} should be",
        "",
        "Check the port, and that sshd runs there.",
    ),
    "timed-out": (
        "{target} does not answer",
        "",
        "It may be off, or behind a VPN or a firewall. Jobs there go on; they are heard again when it is back.",
    ),
    "too-many-connections": (
        "{target} turns connections away because it has too many",
        "",
        "It is tried again by itself; its administrator may raise MaxStartups in sshd_config.",
    ),
    "cut": (
        "The connection to {target} was cut",
        "{why}",
        "It is made again by itself; what runs there goes on.",
    ),
    "ssh-config": (
        "The SSH configuration for {target} cannot be used",
        "{why}",
        "Correct ~/.ssh/config, or the key file that it names.",
    ),
    "unreachable": (
        "{target} cannot be reached",
        "{why}",
        "Try `ssh {target}` in a terminal: what helps there helps here.",
    ),
    # visiting and fetching
    "job-not-on-a-node": (
        "{job} is on no machine now: {state:state}",
        "There is a shell only where a job works.",
        "While it lives, tradewind explain {job} says when it will be on one; what it made: tradewind fetch {job}",
    ),
    "no-ports": (
        "{job} names no ports",
        "`ports` of its job file is empty.",
        "Add for example `ports: [6006]`, and run it again.",
    ),
    "no-outputs": (
        "There are no outputs of {job}: {state:state}",
        "Outputs are brought home when a run has ended.",
        "While it runs, look where it works: tradewind ssh {job}; what it wrote: tradewind logs {job}",
    ),
    "fetch-target-taken": (
        "{path} is not a folder",
        "A file is there.",
        "Give a folder to --to; it need not be there yet.",
    ),
    "program-missing": ("{name} cannot be started", "{why}.", "Install the OpenSSH client, then try again."),
}
