"""An account at the Alibaba Cloud of the lab; how its operations read parameters, refuse, and page through lists."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from lab.engine import Call, Refused, Told
from lab.estate import Things, after, carries
from lab.fleet import Fleet
from lab.market import Market
from lab.stub import Objection

Row = TypeVar("Row")
ACCOUNT_ID = "1234567890123456"


@dataclass
class Account:
    """What it has, and what its owner has set. ``delay``: how long things take to be made.

    Attributes:
        policy: what its user may do; None: all. ``denied``: operations that they may not whatever it says.
        arrears, unnamed: it has no money, its owner has not shown who they are.
        kms_keys, roles, hosts: what disks are encrypted by, what machines may be (no role named: any), its own hosts.
    """

    market: Market
    things: Things
    fleet: Fleet
    now: Callable[[], datetime]
    delay: Callable[[], timedelta]
    policy: Mapping[str, Any] | None = None
    denied: set[str] = field(default_factory=set)
    arrears: bool = False
    unnamed: bool = False
    kms_keys: set[str] = field(default_factory=set)
    roles: set[str] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)


Operation = Callable[[Account, Call], Told]
PLAYED: dict[str, Operation] = {}
_EVERYWHERE = {"RegionId", "ClientToken", "DryRun", "MaxResults", "NextToken", "PageNumber", "PageSize"}


def plays(name: str, *parameters: str) -> Callable[[Operation], Operation]:
    """Let a function play an operation, which heeds these parameters; others are objected to, not overlooked."""

    def enter(operation: Operation) -> Operation:
        @functools.wraps(operation)
        def checked(account: Account, call: Call) -> Told:
            if unheeded := set(call.asked) - set(parameters) - _EVERYWHERE:
                raise Objection(f"the lab's {name} does not heed {', '.join(sorted(unheeded))}")
            return operation(account, call)

        PLAYED[name] = checked
        return checked

    return enter


def dry(call: Call) -> None:
    """Refuse, as is meant, what was asked only to be told whether it would be done."""
    if call.asked.get("DryRun") == "true":
        raise Refused(400, "DryRunOperation", "Request validation has been passed with DryRun flag set.")


def missing(what: str, code: str) -> Refused:
    """There is no such thing."""
    return Refused(404, code, f"The specified {what} does not exist.")


def flag(asked: Mapping[str, Any], name: str, *, usual: bool = False) -> bool:
    """A yes or no."""
    return bool(asked.get(name, str(usual).lower()) == "true")


def tags(asked: Mapping[str, Any]) -> dict[str, str]:
    """``Tag.n`` of what is made."""
    given = asked.get("Tag", [])
    found = {each["Key"]: each.get("Value", "") for each in given}
    if len(found) != len(given):
        raise Refused(400, "Duplicate.TagKey", "The Tag.N.Key contain duplicate key.")
    if len(given) > 20:
        raise Refused(400, "NumberExceed.Tags", "The maximum number of Tags is exceeded.")
    for key, value in found.items():
        if not 0 < len(key) <= 128 or key.startswith(("aliyun", "acs:")) or "http://" in key or "https://" in key:
            raise Refused(400, "InvalidTagKey.Malformed", "The specified Tag.N.Key is not valid.")
        if len(value) > 128 or "http://" in value or "https://" in value:
            raise Refused(400, "InvalidTagValue.Malformed", "The specified Tag.N.Value is not valid.")
    return found


def wanted(asked: Mapping[str, Any], each: Mapping[str, str]) -> bool:
    """Whether what has these tags is among those asked for by ``Tag.n``."""
    return carries(each, {one["Key"]: one.get("Value") for one in asked.get("Tag", [])})


def page(call: Call, rows: Iterable[Row], number: Callable[[Row], int], most: int = 100) -> tuple[list[Row], Told]:
    """The page that is asked for, by token or by number; and what is told of the paging."""
    asked, found = call.asked, list(rows)
    if "MaxResults" in asked or "NextToken" in asked:
        size = int(asked.get("MaxResults", 10))
        _most(size, most)
        shown, token = after(found, number, asked.get("NextToken"), size)
        return shown, {"NextToken": token}
    size, at = int(asked.get("PageSize", 10)), int(asked.get("PageNumber", 1))
    _most(size, most)
    told = {"PageNumber": at, "PageSize": size, "TotalCount": len(found)}
    return found[(at - 1) * size : at * size], told


def _most(size: int, most: int) -> None:
    if not 1 <= size <= most:
        raise Refused(400, "InvalidParameter.PageSize", "The specified page size is beyond the permitted range.")


def minute(at: datetime | None) -> str:
    """A time as ECS tells it: without seconds; "" for none."""
    return "" if at is None else f"{at.astimezone(UTC):%Y-%m-%dT%H:%MZ}"


def second(at: datetime) -> str:
    """A time as VPC tells it."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
