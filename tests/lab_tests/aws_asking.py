"""How the tests of the lab's AWS ask it: by boto3, each request sent once, as a program of a user's would."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError, HTTPClientError
from lab.aws_front import AwsFront
from lab.aws_model import CREDENTIALS

REGION, ZONE, TYPE = "us-east-1", "use1-az1", "g4dn.xlarge"
GPU_IMAGE = "/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-24.04/latest/ami-id"
LOST = "lost"  # what is said of an answer that did not come
_ONCE = Config(retries={"total_max_attempts": 1}, connect_timeout=5, read_timeout=20)
Told = dict[str, Any]


@cache
def _session() -> Any:
    """One for all: it keeps the descriptions of the services, which take long to read."""
    return boto3.session.Session()


@dataclass
class Asking:
    """One user of the cloud."""

    cloud: AwsFront
    key_id: str = CREDENTIALS.access_key
    secret: str = CREDENTIALS.secret_key
    session_token: str | None = None
    region: str = REGION
    zone: str = ZONE
    _clients: dict[str, Any] = field(default_factory=dict)

    def __call__(self, name: str, **asked: Any) -> Told:
        """The answer to ``ec2:run_instances`` and its like."""
        service, operation = name.split(":")
        told: Told = getattr(self._client(service), operation)(**asked)
        return told

    def _client(self, service: str) -> Any:
        if service not in self._clients:
            self._clients[service] = _session().client(
                service, region_name=self.region, endpoint_url=self.cloud.endpoints[service], config=_ONCE,
                aws_access_key_id=self.key_id, aws_secret_access_key=self.secret, aws_session_token=self.session_token,
            )  # fmt: skip
        return self._clients[service]

    def no(self, name: str, **asked: Any) -> str:
        """The code of the refusal that this meets."""
        try:
            told = self(name, **asked)
        except ClientError as refusal:
            return str(refusal.response["Error"]["Code"])
        except HTTPClientError:
            return LOST
        raise AssertionError(f"{name} was done: {told}")

    def order(self, token: str, *, spot: bool = False, **changes: Any) -> Told:
        """Parameters of RunInstances, as the product sends them; None takes one away."""
        made = ["instance", "volume", "network-interface", *(["spot-instances-request"] if spot else [])]
        tags = [{"Key": "tradewind:owner", "Value": "me"}, {"Key": "tradewind:token", "Value": token}]
        order = {
            "ImageId": self("ssm:get_parameter", Name=GPU_IMAGE)["Parameter"]["Value"], "InstanceType": TYPE,
            "MinCount": 1, "MaxCount": 1, "ClientToken": token, "UserData": "#!/bin/sh\n",
            "InstanceInitiatedShutdownBehavior": "terminate", "MetadataOptions": {"HttpTokens": "required"},
            "NetworkInterfaces": [{
                "DeviceIndex": 0, "SubnetId": self.subnet(), "AssociatePublicIpAddress": True,
                "DeleteOnTermination": True,
            }],
            "BlockDeviceMappings": [{"DeviceName": "/dev/sda1", "Ebs": {
                "VolumeSize": 100, "VolumeType": "gp3", "Encrypted": True, "DeleteOnTermination": True,
            }}],
            "TagSpecifications": [{"ResourceType": kind, "Tags": tags} for kind in made],
            **({"InstanceMarketOptions": {"MarketType": "spot"}} if spot else {}), **changes,
        }  # fmt: skip
        return {name: value for name, value in order.items() if value is not None}

    def launch(self, token: str, *, spot: bool = False, **changes: Any) -> str:
        """The id of a machine that is launched."""
        told = self("ec2:run_instances", **self.order(token, spot=spot, **changes))
        return str(told["Instances"][0]["InstanceId"])

    def subnet(self, zone: str | None = None) -> str:
        """The default subnet of a zone."""
        told = self("ec2:describe_subnets", Filters=[{"Name": "availability-zone-id", "Values": [zone or self.zone]}])
        return str(told["Subnets"][0]["SubnetId"])

    def machines(self, **asked: Any) -> dict[str, Told]:
        """What is listed, by id, all pages of it."""
        found: dict[str, Told] = {}
        cursor: Told = {}
        while True:
            told = self("ec2:describe_instances", **asked, **cursor)
            rows = [each for reservation in told["Reservations"] for each in reservation["Instances"]]
            assert not {each["InstanceId"] for each in rows} & set(found)
            found |= {each["InstanceId"]: each for each in rows}
            if "NextToken" not in told:
                return found
            cursor = {"NextToken": told["NextToken"]}

    def state(self, id_: str) -> str:
        """A machine's state, by its name."""
        return str(self.machines(InstanceIds=[id_])[id_]["State"]["Name"])
