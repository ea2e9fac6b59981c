"""English: errors of accounts at clouds and of the file that sets them: (what happened, why, next step)."""

from __future__ import annotations

TABLE: dict[str, tuple[str, str, str]] = {
    "credentials-missing": (
        "No credentials for {cloud} were found",
        "Its SDK looks in the environment, in its own files and at the role of this computer.",
        "Set them up as for the cloud's own command line; this program neither asks for nor keeps them.",
    ),
    "cloud-not-rentable": (
        "Machines of {cloud} cannot be rented yet",
        "Its prices are known, so that plans and rehearsals show it.",
        "Rent elsewhere: tradewind clouds tells what is ready.",
    ),
    "cloud-not-asked": (
        "{cloud} cannot be asked: {kind:fault}",
        "It says: {words}",
        "Mend that first; then `tradewind clouds check {cloud}` tells what it lets you do.",
    ),
    "caller-unknown": (
        "From where your machines may be reached is not known",
        "This computer's address could not be asked at {url}: {cause}",
        "Set `ssh_from` of the cloud in clouds.yaml, for example: ssh_from: 203.0.113.7/32",
    ),
    "clouds-file-unreadable": ("{path} cannot be read", "{why}", "Check that it is text and that you may read it."),
    "clouds-file-invalid": (
        "{file}: the settings of clouds cannot be read; faults: {count}",
        "",
        "Correct what stands above; without the file every setting is as usual.",
    ),
    "ssh-from-unreadable": (
        "`{key}`: `{text}` is no network.",
        "An address or a network in CIDR form is wanted: 203.0.113.7, 203.0.113.0/24.",
        "",
    ),
    "ssh-from-everywhere": (
        "`{key}`: `{text}` is the whole world.",
        "Machines are never open to everybody; give the network that you work from.",
        "",
    ),
    "url-unreadable": ("`{key}`: `{text}` is no URL.", "It begins with https:// or http://.", ""),
    "network-not-given": ("`{key}`: `given` needs `subnets` and `groups`.", "", ""),
    "network-given-besides": (
        "`{key}`: `subnets` and `groups` are used with `given` alone, not with `{value}`.",
        "",
        "",
    ),
}
