"""What is asked of machines that run at the AWS of the lab: listing, ending, stopping, starting, changing."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from lab.aws_account import Account, plays
from lab.aws_shown import seen, shown, state
from lab.engine import Call, Refused, Told
from lab.fleet import Phase, Rented

_ID = re.compile(r"i-[0-9a-f]{8,17}")
_OWN_FILTERS = {"instance-state-name", "client-token"}  # moto knows another state, and fails at tokens
_OVER = (Phase.ENDING, Phase.ENDED)


def ended(account: Account, rented: Rented) -> None:
    """A machine is over: its disks and interfaces go with it. AWS remembers it, unless it vanished."""
    account.moto.ask(rented.guest.region, "TerminateInstances", InstanceIds=[rented.id])
    place = rented.told["zone_id"], rented.machine_type
    if place in account.stock:
        account.stock[place] += 1
    if request := account.requests.get((rented.guest.region, rented.told["request"])):
        request["State"] = "closed"
    if rented.why is not None:
        account.over[rented.id] = rented, account.now()


@plays("ec2:DescribeInstances")
def _describe(account: Account, call: Call) -> Told:
    filters = call.asked.get("Filters", [])
    asked = {**call.asked, "Filters": [each for each in filters if each["Name"] not in _OWN_FILTERS]}
    if "InstanceIds" in asked:
        _known(account, call, asked["InstanceIds"])
    else:
        asked["MaxResults"] = min(asked.get("MaxResults", 1000), account.page_size)
    told = account.moto.ask(call.region, "DescribeInstances", **_without(asked, "DryRun"))
    visible, own = seen(account, call.region), [each for each in filters if each["Name"] in _OWN_FILTERS]
    rows = []
    for reservation in told["Reservations"]:
        machines = [_shown(account, each, *visible[each["InstanceId"]])
                    for each in reservation["Instances"] if each["InstanceId"] in visible]  # fmt: skip
        if kept := [each for each in machines if all(_matches(each, one) for one in own)]:
            rows.append({**reservation, "Instances": kept})
    return {**told, "Reservations": rows}


def _shown(account: Account, told: dict[str, Any], rented: Rented, over: datetime | None) -> dict[str, Any]:
    return shown(told, rented, rented.phase(account.now()), over or account.now())


def _matches(machine: dict[str, Any], asked: dict[str, Any]) -> bool:
    value = machine["State"]["Name"] if asked["Name"] == "instance-state-name" else machine.get("ClientToken")
    return value in asked["Values"]


def _known(account: Account, call: Call, ids: Sequence[str]) -> list[Rented]:
    """The machines of those ids; one that is not known fails them all."""
    if malformed := [each for each in ids if not _ID.fullmatch(each)]:
        raise Refused(400, "InvalidInstanceID.Malformed", f'Invalid id: "{malformed[0]}"')
    visible = seen(account, call.region)
    if unknown := [each for each in ids if each not in visible]:
        words = f"The instance ID{'s' if len(unknown) > 1 else ''} '{', '.join(unknown)}' do not exist"
        raise Refused(400, "InvalidInstanceID.NotFound", words)
    return [visible[each][0] for each in ids]


def _changed(account: Account, call: Call, change: Callable[[Rented, Phase], None]) -> list[dict[str, Any]]:
    """Do it to all machines that were asked for; their states after and before."""
    rows = []
    for rented in _known(account, call, call.asked["InstanceIds"]):
        before = rented.phase(account.now())
        change(rented, before)
        after = state(rented.phase(account.now()))
        rows.append({"InstanceId": rented.id, "PreviousState": state(before), "CurrentState": after})
    return rows


@plays("ec2:TerminateInstances")
def _terminate(account: Account, call: Call) -> Told:
    if held := account.protected & set(call.asked["InstanceIds"]):
        words = (
            f"The instance '{min(held)}' may not be terminated. Modify its 'disableApiTermination' instance attribute."
        )
        raise Refused(400, "OperationNotPermitted", words)

    def end(rented: Rented, before: Phase) -> None:
        if before not in _OVER:
            account.fleet.end(rented)

    return {"TerminatingInstances": _changed(account, call, end)}


@plays("ec2:StopInstances")
def _stop(account: Account, call: Call) -> Told:
    def stop(rented: Rented, before: Phase) -> None:
        if rented.spot:
            words = "You can't stop the Spot Instance because it is associated with a one-time Spot Instance request."
            raise Refused(400, "UnsupportedOperation", words)
        if before in _OVER or before is Phase.PENDING:
            _wrong_state(rented, before, "stopped")
        if before is Phase.RUNNING:
            account.fleet.stop(rented, frees_compute=True)

    return {"StoppingInstances": _changed(account, call, stop)}


@plays("ec2:StartInstances")
def _start(account: Account, call: Call) -> Told:
    def start(rented: Rented, before: Phase) -> None:
        if before in _OVER or before is Phase.STOPPING:
            _wrong_state(rented, before, "started")
        if before is Phase.STOPPED:
            account.fleet.start(rented)

    return {"StartingInstances": _changed(account, call, start)}


def _wrong_state(rented: Rented, before: Phase, done: str) -> None:
    words = f"The instance '{rented.id}' is not in a state from which it can be {done} ({state(before)['Name']})."
    raise Refused(400, "IncorrectInstanceState", words)


@plays("ec2:ModifyInstanceAttribute")
def _modify(account: Account, call: Call) -> Told:
    (rented,) = _known(account, call, [call.asked["InstanceId"]])
    if "DisableApiTermination" in call.asked:
        change = (
            account.protected.add if call.asked["DisableApiTermination"].get("Value") else account.protected.discard
        )
        change(rented.id)
        return {}
    machine_type = call.asked["InstanceType"]["Value"]
    if (phase := rented.phase(account.now())) is not Phase.STOPPED:
        _wrong_state(rented, phase, "modified")
    account.machine_type(call.region, machine_type)
    rented.machine_type = machine_type
    return {}


@plays("ec2:GetConsoleOutput")
def _console(account: Account, call: Call) -> Told:
    (rented,) = _known(account, call, [call.asked["InstanceId"]])
    output = base64.b64encode(account.fleet.console(rented)).decode()
    return {"InstanceId": rented.id, "Timestamp": account.now(), **({"Output": output} if output else {})}


@plays("ec2:DescribeSpotInstanceRequests")
def _requests(account: Account, call: Call) -> Told:
    here = [each for (region, _), each in account.requests.items() if region == call.region]
    wanted = call.asked.get("SpotInstanceRequestIds")
    rows = [each for each in here if wanted is None or each["SpotInstanceRequestId"] in wanted]
    for asked in call.asked.get("Filters", []):
        rows = [each for each in rows if _request_value(each, asked["Name"]) in asked["Values"]]
    return {"SpotInstanceRequests": rows}


def _request_value(request: dict[str, Any], name: str) -> str | None:
    if name.startswith("tag:"):
        return next((each["Value"] for each in request["Tags"] if each["Key"] == name[4:]), None)
    members = {
        "state": "State", "instance-id": "InstanceId", "spot-instance-request-id": "SpotInstanceRequestId",
        "type": "Type",
    }  # fmt: skip
    value: str = request[members[name]]
    return value


@plays("ec2:CancelSpotInstanceRequests")
def _cancel(account: Account, call: Call) -> Told:
    """The machine of a request that is cancelled lives on."""
    rows = []
    for id_ in call.asked["SpotInstanceRequestIds"]:
        request = account.requests.get((call.region, id_))
        if request is None:
            words = f"The spot instance request ID '{id_}' does not exist"
            raise Refused(400, "InvalidSpotInstanceRequestID.NotFound", words)
        request["State"] = "cancelled"
        rows.append({"SpotInstanceRequestId": id_, "State": "cancelled"})
    return {"CancelledSpotInstanceRequests": rows}


def _without(asked: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if name not in names}
