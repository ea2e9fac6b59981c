"""The lab whole: AWS and Alibaba Cloud, machines that boot, and what else a user has of the outside, in one process.

with Lab() as lab:
    lab.control.add(Fault("capacity", "aws", "RunInstances"))
    settings.write_text(lab.clouds_yaml())
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from lab.alibaba import AlibabaCloud
from lab.aws_front import AwsFront
from lab.control import Control
from lab.control_socket import ControlSocket
from lab.hypervisor import Hypervisor
from lab.machines import Machines
from lab.stub import Heard, Reply, Stub

CALLER = "127.0.0.1"


def _caller(_: Heard) -> Reply:
    """What a service says that tells everyone their own address."""
    return Reply(body=f"{CALLER}\n".encode(), headers={"Content-Type": "text/plain"})


class Lab:
    """Everything of one lab, for as long as it is entered; its end fails where a cloud objected to a request.

    Attributes:
        machines: where they are; real ones unless others are given.
        control: what goes wrong.
        aws, alibaba: the clouds; ``caller_address``: URL of who tells everyone their own address.
    """

    def __init__(self, machines: Machines | None = None, socket: Path | None = None) -> None:
        self.machines = machines or Hypervisor()
        self.control = Control()
        self.aws = AwsFront(self.machines, self.control)
        self.alibaba = AlibabaCloud(self.machines, self.control)
        self._caller = Stub(_caller)
        self._socket = ControlSocket(self.control, socket) if socket else None
        self._open = ExitStack()

    @property
    def caller_address(self) -> str:
        """URL of who tells everyone their own address."""
        return f"{self._caller.url}/"

    def environment(self) -> dict[str, str]:
        """What a user's environment has to have: the credentials, and nothing that is asked of the real clouds."""
        return {**self.aws.environment, **self.alibaba.environment, "ALIBABA_CLOUD_ECS_METADATA_DISABLED": "true"}

    def clouds_yaml(self) -> str:
        """What ``TRADEWIND_HOME/clouds.yaml`` has to say."""
        lines = [f"caller_address: {self.caller_address}"]
        for name, endpoints in (("aws", self.aws.endpoints), ("alibaba", self.alibaba.endpoints)):
            lines += [f"{name}:", "  endpoints:", *(f"    {service}: {url}" for service, url in endpoints.items())]
        return "\n".join([*lines, ""])

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            opening.callback(self.machines.close)
            for part in (self._caller, self.alibaba, self.aws, self._socket):
                if part is not None:
                    opening.enter_context(part)
            self._open = opening.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self._open.__exit__(kind, fault, at)
