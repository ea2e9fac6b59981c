"""Why a case of the suite is not played on a cloud; every case is played there or stands here."""

from __future__ import annotations

CASES = range(1, 46)
_NO_BILL = "what is taken here has no bill of its own: no quota, price, stock or account that could be empty"
_NO_HTTP = "nobody is asked over HTTP: there is no status, header, page or signature to be read"
_OWN = {
    2: "an order carries no user data: the agent is put there by the transport",
    11: "nothing is promised before it is had: a machine is there, and its GPUs are locked, when it is accepted",
    12: "the list is the host's own table of what it holds, and lags by nothing (caps.list_lag_s is 0)",
    20: "nothing protects a process of ours from our ending it",
    22: _NO_BILL, 24: "nobody counts the questions", 26: _NO_BILL, 27: _NO_BILL, 28: _NO_HTTP, 29: _NO_HTTP,
    32: "there is no such state as stopped", 33: "there is no such state as stopped",
    34: "a machine is not resized; another lease takes more of its GPUs", 35: _NO_BILL, 38: _NO_BILL, 39: _NO_BILL,
    41: "no cloud publishes this description: both sides of wire.door are ours, and are played against each other here",
    42: _NO_HTTP, 43: "no secret passes through Compute: see tests/nodes and tests/whole for those of jobs",
    44: "no credentials are read: SSH asks its own agents and keys", 45: "there is no policy to be granted",
}  # fmt: skip
_SDK = "no SDK stands between: a launch is one call"
_DOUBLE = "the cloud is a double of ours in memory: it has no answers to be read, nor anybody who signs or pays"

NOT_PLAYED: dict[str, dict[int, str]] = {
    "local": {
        **_OWN, 6: "a call within one process loses no answer but with the process: see tests/worlds",
        8: "as 6", 9: "as 6", 10: _SDK, 13: "the list is read from one folder in one look",
        21: "a process can always be started; what cannot is 7",
        23: "nobody logs in", 25: "a machine type is only worn here: there is none that could be wrong",
        30: "it is the clock that everything goes by",
    },
    "machines": _OWN,
    "odd": {
        2: _DOUBLE, 10: _SDK, 13: _DOUBLE, 20: _DOUBLE, 28: _DOUBLE, 29: _DOUBLE, 31: _DOUBLE, 32: _DOUBLE,
        33: _DOUBLE, 34: _DOUBLE, 35: _DOUBLE, 37: _DOUBLE, 38: _DOUBLE, 39: _DOUBLE, 41: _DOUBLE, 42: _DOUBLE,
        43: _DOUBLE, 44: _DOUBLE, 45: _DOUBLE,
    },
    "aws": {
        27: "AWS bills afterwards: no error of EC2's says that there is no money",
        32: "that is Azure's and GCP's trap: an EC2 machine that is stopped costs no compute",
        39: "EC2 tells no stock: a launch tells",
    },
    "alibaba": {32: "that is Azure's and GCP's trap: a machine that is stopped with StopCharging costs no compute"},
}  # fmt: skip

_OF_A_MACHINE = "a network runs nothing, is not bought, and has no state but whole or not"
_SAME_WIRE = "it is asked by the same client as machines are, over which the case is played"
NOT_PLAYED_ON_NETWORKS: dict[int, str] = {
    2: _OF_A_MACHINE, 4: "its parts are found by the token: what is there is not made otherwise",
    5: "one worker at a time has a lease; a second launch goes on where the first is", 11: _OF_A_MACHINE,
    13: "there is one of ours in a region",
    18: "one is ended at a time", 20: _OF_A_MACHINE,
    **dict.fromkeys((21, 22, 24, 25, 26, 27, 28, 29, 30), _SAME_WIRE),
    **dict.fromkeys((31, 32, 33, 34, 35, 36, 37, 38, 39), _OF_A_MACHINE),
    40: "nothing of the cloud's ends it: its lease is looked at (HardEnd.CONTROL_PLANE)",
    **dict.fromkeys((41, 42, 43, 44, 45), _SAME_WIRE),
}  # fmt: skip
