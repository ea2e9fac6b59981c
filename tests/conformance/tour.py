"""A tour of everything that an adapter can do, each thing done for real once."""

from __future__ import annotations

from renting import OWNER, RentingGround

from tradewind.ports.compute import CloudFault, InstanceState, Query

PATIENCE = 600  # looks


def tour(ground: RentingGround) -> None:
    """Check, make each kind of network, rent, change, end, take leftovers away."""
    account, region = ground.account(), ground.at.region
    account.regions()
    account.check(region)
    for kind in ("default", "private"):
        _network(ground, kind)
    _machine(ground)
    list(ground.history().spot_history(region, [ground.at.machine_type], ground.clock.now()))
    parts = ground.leave_parts()
    assert {each.id for each in ground.cloud.leftovers(Query(owner=OWNER, lease="lease-gone-of-me"))} == set(parts)
    ground.cloud.end(parts)


def _network(ground: RentingGround, kind: str) -> None:
    network = ground.provider(network=kind).network(ground.at.region)
    order = ground.network_order(kind, kind=kind)
    for _ in range(PATIENCE):
        try:
            (id_,) = network.launch(order).ids
            break
        except CloudFault as fault:
            assert (fault.kind, fault.sent) == ("unavailable", "no")  # a part of it is being made
            ground.time.sleep(fault.retry_after_s or 1.0)
    (made,) = network.find(Query(owner=OWNER, ids=(id_,))).instances
    assert made.state is InstanceState.RUNNING
    network.admit(id_, "198.51.100.1/32")
    for _ in range(PATIENCE):
        network.end([id_])
        if not network.find(Query(ids=(id_,))).instances and not network.leftovers(Query(lease=order.lease)):
            return
        ground.time.sleep(10.0)
    raise AssertionError(f"{id_} never went: {network.leftovers(Query(lease=order.lease))}")


def _machine(ground: RentingGround) -> None:
    for purchase in ("on_demand", "spot"):
        ground.rented.quote(ground.order(purchase, purchase=purchase))
    ground.order("plain", instance_type=ground.at.plain)
    made = ground.running(ground.order("on_demand", purchase="on_demand"))
    ground.rented.console(made.id)
    ground.rented.extend(made.id, ground.clock.now())
    ground.rented.stop(made.id)
    ground.rented.resize(made.id, ground.at.larger)
    ground.rented.start(made.id)
    ground.rented.end([made.id])
