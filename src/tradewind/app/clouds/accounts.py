"""Accounts at clouds, by name: one a region, and beside it the one that rents the network there.

aws:us-east-1   alibaba:cn-beijing          aws:us-east-1:network   alibaba:cn-beijing:network

There are those of the regions that are set, those that leases were rented by lately, and those that were discovered in
this process; any other can be opened by its name. Where nobody ever rented no SDK is imported and no cloud is asked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from tradewind.app.clouds.discovery import Discovered, Places, discover
from tradewind.app.clouds.providers import Providers, rentable
from tradewind.domain.errors import TradewindError
from tradewind.leasing.networks import account_of as network_of
from tradewind.leasing.room import Account, Site
from tradewind.ports.compute import CloudFault, InstanceState, Query

if TYPE_CHECKING:
    from tradewind.app.clouds.reaching import RentedReach
    from tradewind.ports.clock import Clock
    from tradewind.ports.cloud import Cloud, Provider
    from tradewind.ports.compute import Order
    from tradewind.ports.transport import Transport

Furnish = Callable[["Cloud", "Order"], "Order"]
GIVEN = "given"  # a network of the user's own: none of ours is made


class CloudAccounts:
    """The accounts at clouds of one home.

    Args:
        named: the accounts that leases were rented by lately.
        furnish: what makes an order whole.
    """

    def __init__(
        self, providers: Providers, reach: RentedReach, named: Callable[[], Collection[str]], furnish: Furnish,
        clock: Clock,
    ) -> None:  # fmt: skip
        self.providers = providers
        self._named = named
        self._reach = reach
        self._furnish = furnish
        self._clock = clock
        self._lock = threading.Lock()
        self._found: Places = frozenset()
        self._made: dict[str, tuple[Provider, Account]] = {}

    def names(self) -> tuple[str, ...]:
        """Those there are now. Of a cloud that cannot be opened none is: what is there is not known, never empty."""
        try:
            told = self.providers.file.read()
        except TradewindError:
            return ()
        set_up = {(cloud, region) for cloud in told.named for region in told.clouds[cloud].regions if rentable(cloud)}
        named = [each for each in self._named() if rentable(each.partition(":")[0])]
        rented = {(cloud, region) for cloud, region, _ in map(_parts, named)}
        names = {f"{cloud}:{region}" for cloud, region in set_up | rented | self._found}
        networks = {network_of(each) for each in names if told.clouds[each.partition(":")[0]].network != GIVEN}
        return tuple(sorted(each for each in names | networks | set(named) if self._opens(each.partition(":")[0])))

    def _opens(self, cloud: str) -> bool:
        try:
            self.providers.get(cloud)
        except TradewindError:
            return False
        return True

    def discover(self, wanted: Collection[str] = ()) -> Discovered:
        """Look at clouds; what is found there is among the accounts from now on. Raises as its function."""
        found = discover(self.providers, wanted)
        with self._lock:
            self._found |= found.places
        return found

    def open(self, name: str) -> Account:
        """The account of that name, whether it is among the others or not.

        Raises:
            KeyError: there is no such cloud, or it cannot be opened just now: it is not known what is there.
        """
        cloud, region, network = _parts(name)
        if not region or not rentable(cloud):
            raise KeyError(name)
        try:
            provider = self.providers.get(cloud)
            with self._lock:
                made = self._made.get(name)
                if made is None or made[0] is not provider:
                    before = made[1].transport if made else None
                    made = self._made[name] = provider, self._account(provider, name, region, network, before)
                return made[1]
        except TradewindError as error:
            raise KeyError(name) from error

    def _account(
        self, provider: Provider, name: str, region: str, network: bool, transport: Transport | None
    ) -> Account:
        from tradewind.app.clouds.standing import Standing
        from tradewind.leasing.breaker import Guarded

        if network:
            return Account(Guarded(provider.network(region), self._clock), transport or Standing())
        cloud, kind = provider.cloud(region), self.providers.file.read().clouds[provider.name].network
        site = None if kind == GIVEN else Site(network_of(name), kind)
        compute = Guarded(cloud, self._clock)
        transport = transport or self._reach.transport(name, lambda _: self._let_in(provider.name, region))
        return Account(compute, transport, lambda order: self._furnish(cloud, order), site, cloud.console)

    def _let_in(self, cloud: str, region: str) -> None:
        """A machine is silent, so this computer may have moved: let its address of now in, where it is ours to say."""
        with suppress(TradewindError, CloudFault):  # whoever asks the machine tells that it does not answer
            settings = self.providers.file.read().clouds[cloud]
            if settings.ssh_from or settings.network == GIVEN:
                return
            self.providers.address.forget()
            source, network = self.providers.ssh_from(cloud), self.providers.get(cloud).network(region)
            for each in network.find(Query(owner=self.providers.owner)).instances:
                if each.state is InstanceState.RUNNING:
                    network.admit(each.id, source)

    def require_reachable(self, names: Iterable[str]) -> None:
        """Nothing, when it is known from where the machines of these accounts are to be reached.

        Raises:
            NotConfigured: ``caller-unknown`` (url, cause).
        """
        told = self.providers.file.read()
        for cloud in sorted({each.partition(":")[0] for each in names}):
            if rentable(cloud) and told.clouds[cloud].network != GIVEN:
                self.providers.ssh_from(cloud)

    def let_go(self, is_open: Callable[[str], bool]) -> None:
        """Forget the machines that are rented no more, as ``is_open`` tells of a token."""
        self._reach.let_go(is_open)


def _parts(name: str) -> tuple[str, str, bool]:
    """Cloud, region, and whether it is the network there."""
    cloud, _, rest = name.partition(":")
    region, _, what = rest.partition(":")
    return cloud, region, what == "network"
