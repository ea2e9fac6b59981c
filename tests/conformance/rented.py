"""The clouds where machines are rented, by name."""

from __future__ import annotations

from renting import RentingGround
from renting_alibaba import AlibabaGround
from renting_aws import AwsGround

RENTED: dict[str, type[RentingGround]] = {"aws": AwsGround, "alibaba": AlibabaGround}
