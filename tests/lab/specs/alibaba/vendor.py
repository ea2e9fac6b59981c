"""Takes over the descriptions of the operations that are used: ``python vendor.py REPOSITORY > operations.jsonl``.

REPOSITORY is a clone of aliyun/aliyun-openapi-meta, bare or not; its newest commit is read.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

USED = {
    ("ecs", "2014-05-26"): """
        AuthorizeSecurityGroup CreateSecurityGroup DeleteDisk DeleteInstances DeleteNetworkInterface DeleteSecurityGroup
        DescribeAccountAttributes DescribeAvailableResource DescribeDisks DescribeImageFromFamily DescribeImages
        DescribeInstances DescribeInstanceTypes DescribeNetworkInterfaces DescribePrice DescribeRegions
        DescribeSecurityGroupAttribute DescribeSecurityGroups DescribeSpotPriceHistory DescribeZones
        GetInstanceConsoleOutput ModifyInstanceAutoReleaseTime ModifyInstanceSpec RevokeSecurityGroup RunInstances
        StartInstance StartInstances StopInstance StopInstances TagResources""",
    ("vpc", "2016-04-28"): """
        AllocateEipAddress AssociateEipAddress CreateNatGateway CreateSnatEntry CreateVpc CreateVSwitch DeleteNatGateway
        DeleteSnatEntry DeleteVpc DeleteVSwitch DescribeEipAddresses DescribeNatGateways DescribeSnatTableEntries
        DescribeVpcs DescribeVSwitches ReleaseEipAddress TagResources UnassociateEipAddress""",
    ("sts", "2015-04-01"): "GetCallerIdentity",
    ("quotas", "2020-05-10"): "ListProductQuotas",
}  # fmt: skip


def parameters(described: list[dict[str, Any]]) -> dict[str, Any]:
    """Name → its type, ``*`` when it is required, ``@`` and its place where that is not the query; parts below."""
    found: dict[str, Any] = {}
    for each in described:
        place = "" if each["position"] == "Query" else f"@{each['position']}"
        word = each["type"] + "*" * each["required"] + place
        parts = each.get("sub_parameters")
        found[each["name"]] = [word, parameters(parts)] if parts else word
    return found


def vendor(repository: str) -> None:
    """Print one line of JSON an operation."""
    for (product, version), operations in USED.items():
        for operation in operations.split():
            told = subprocess.run(
                ["git", "-C", repository, "show", f"HEAD:metadatas/{product}/{operation}.json"],
                check=True, capture_output=True,
            ).stdout  # fmt: skip
            line = {
                "service": product, "version": version, "operation": operation,
                "parameters": parameters(json.loads(told)["parameters"]),
            }  # fmt: skip
            print(json.dumps(line, separators=(",", ":")))


if __name__ == "__main__":
    vendor(sys.argv[1])
