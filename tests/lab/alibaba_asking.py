"""How the tests of the lab's Alibaba Cloud ask it: by the cloud's own SDK, as a program of a user's would."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

from alibabacloud_tea_openapi.client import Client
from alibabacloud_tea_openapi.utils_models import Config, OpenApiRequest, Params
from darabonba.exceptions import ResponseException, UnretryableException
from darabonba.runtime import RuntimeOptions

from lab.alibaba import AlibabaCloud
from lab.alibaba_spec import described
from lab.signatures import KEY_ID, SECRET

REGION, ZONE, TYPE = "cn-beijing", "cn-beijing-l", "ecs.gn7i-c8g1.2xlarge"
VERSIONS = {"ecs": "2014-05-26", "vpc": "2016-04-28", "sts": "2015-04-01", "quotas": "2020-05-10"}
LOST = "lost"  # what is said of an answer that did not come


@dataclass
class Asking:
    """One user of the cloud."""

    cloud: AlibabaCloud
    key_id: str = KEY_ID
    secret: str = SECRET
    security_token: str | None = None

    def __call__(self, name: str, **query: str) -> dict[str, Any]:
        """The answer to ``ecs:RunInstances`` and its like; dots in names are written ``__``. A region is filled in."""
        service, operation = name.split(":")
        flat = {key.replace("__", "."): value for key, value in query.items()}
        if "RegionId" in described()[VERSIONS[service], operation][1]:
            flat.setdefault("RegionId", REGION)
        client = Client(Config(
            access_key_id=self.key_id, access_key_secret=self.secret, security_token=self.security_token,
            endpoint=self.cloud.endpoints[service].removeprefix("http://"), protocol="http", region_id=REGION,
            connect_timeout=5000, read_timeout=10000,
        ))  # fmt: skip
        params = Params(
            action=operation, version=VERSIONS[service], pathname="/", method="POST", auth_type="AK", style="RPC",
            req_body_type="formData", body_type="json",
        )  # fmt: skip
        request = OpenApiRequest(body=flat) if service == "quotas" else OpenApiRequest(query=flat)
        told: dict[str, Any] = client.call_api(params, request, RuntimeOptions())["body"]
        return told

    def no(self, name: str, **query: str) -> str:
        """The code of the refusal that this meets."""
        try:
            told = self(name, **query)
        except ResponseException as refusal:
            return str(refusal.code)
        except UnretryableException:
            return LOST
        raise AssertionError(f"{name} was done: {told}")

    def order(self, token: str, **more: str) -> dict[str, str]:
        """What RunInstances is asked for a machine; the group is made when there is none yet."""
        subnet = self.subnet(more.pop("zone", ZONE))
        groups = self.cloud.account.things.of("sg", REGION)
        group = groups[0].id if groups else self("ecs:CreateSecurityGroup", VpcId=self.vpc())["SecurityGroupId"]
        text = base64.b64encode("#!/bin/sh\necho 中文\n".encode()).decode()
        return {
            "InstanceType": TYPE, "ImageFamily": "acs:ubuntu_22_04_x64", "VSwitchId": subnet, "ClientToken": token,
            "SecurityGroupIds__1": group, "UserData": text,
            "Tag__1__Key": "tradewind:owner", "Tag__1__Value": "o-1", "Tag__2__Key": "tradewind:token",
            "Tag__2__Value": token, **more,
        }  # fmt: skip

    def launch(self, token: str, **more: str) -> str:
        """The id of a machine that was launched."""
        told = self("ecs:RunInstances", **self.order(token, **more))
        return str(told["InstanceIdSets"]["InstanceIdSet"][0])

    def machines(self, **query: str) -> dict[str, dict[str, Any]]:
        """The machines that are listed, by id."""
        told = self("ecs:DescribeInstances", **query)
        return {each["InstanceId"]: each for each in told["Instances"]["Instance"]}

    def end(self, *ids: str) -> None:
        """End machines."""
        self("ecs:DeleteInstances", Force="true", **{f"InstanceId__{n}": id_ for n, id_ in enumerate(ids, 1)})

    def vpc(self) -> str:
        """The default network."""
        return str(self("vpc:DescribeVpcs", IsDefault="true")["Vpcs"]["Vpc"][0]["VpcId"])

    def subnet(self, zone: str) -> str:
        """The default network's switch in a zone."""
        told = self("vpc:DescribeVSwitches", VpcId=self.vpc(), ZoneId=zone)
        return str(told["VSwitches"]["VSwitch"][0]["VSwitchId"])


def ids(told: list[str]) -> str:
    """``InstanceIds`` and its like."""
    return json.dumps(told)
