"""The shape of ``clouds.yaml`` for pydantic, by the fields of ``ports.cloud.CloudSettings``. Imported late."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field

from tradewind.app.jobfile.models import Section
from tradewind.app.jobfile.readings import Count, Text, Texts, Truth, choice, told
from tradewind.domain.errors import BadInput

CALLER_ADDRESS = "https://checkip.amazonaws.com"  # answers the address that it is asked from, as a line of text


def _source(text: str) -> str:
    """A network in CIDR form; one address is a network of its own. The whole world is nobody's network."""
    try:
        network = ip_network(text.strip(), strict=False)
    except ValueError:
        raise BadInput("ssh-from-unreadable", text=text) from None
    if network.prefixlen == 0:
        raise BadInput("ssh-from-everywhere", text=text)
    return str(network)


def _url(text: str) -> str:
    parts = urlsplit(text.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput("url-unreadable", text=text)
    return text.strip()


Source = Annotated[str, BeforeValidator(told(_source))]
Url = Annotated[str, BeforeValidator(told(_url))]
Kind = Annotated[Literal["default", "private", "given"], choice("default", "private", "given")]


class CloudSection(Section):
    """What is set for one cloud."""

    regions: Texts = Field(default_factory=list)
    network: Kind = "default"
    subnets: Texts = Field(default_factory=list)
    groups: Texts = Field(default_factory=list)
    public_address: Truth = True
    ssh_from: Source | None = None
    endpoints: dict[str, Url] = Field(default_factory=dict)
    image: Text | None = None
    kms_key: Text | None = None
    role: Text | None = None
    disk_gb: Count | None = None


class CloudsFile(Section):
    """The whole file: a section a cloud, and where this computer asks for its own address."""

    caller_address: Url = CALLER_ADDRESS
    alibaba: CloudSection = CloudSection()
    aws: CloudSection = CloudSection()
    azure: CloudSection = CloudSection()
    gcp: CloudSection = CloudSection()
    huawei: CloudSection = CloudSection()
    tencent: CloudSection = CloudSection()


def sections(file: CloudsFile) -> dict[str, CloudSection]:
    """The sections of a file, by cloud."""
    found = {name: getattr(file, name) for name in CloudsFile.model_fields}
    return {name: section for name, section in found.items() if isinstance(section, CloudSection)}
