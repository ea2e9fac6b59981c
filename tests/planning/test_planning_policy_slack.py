"""Many zones: what is learnt of a zone, what a level is, what slack is used for; spot goes before on-demand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tradewind.planning.spot import Policy
from tradewind.planning.spot.beliefs import PRIOR, Frailty, Zone, level_of
from tradewind.planning.spot.chain import ALONE, FIRST_LEVEL, NOTHING, Level
from tradewind.planning.spot.levels import look
from tradewind.planning.spot.slack import PRICES, length_of, outlook


@pytest.mark.parametrize("every", [3, 40, 1000])
def test_a_frailty_is_the_posterior_mean_at_every_sight(every: int) -> None:
    frailty, events = Frailty(2.0), 0
    for sight in range(1, 200):
        events += sight % every == 0
        frailty.see(0.1, sight % every == 0)
        assert frailty.level == level_of((PRIOR + events) / (PRIOR / 2 + 0.1 * sight))


def test_a_level_with_another_zone_to_go_to_outlives_the_loss_of_one() -> None:
    def spare(*available: bool) -> float:
        zones = [Zone(1.0) for _ in available]
        for zone, up in zip(zones, available, strict=True):
            zone.see(up, 0.0)
        return look(zones, available, (0.3,) * len(zones), 1.0, -1, 0.1).levels[0].spare

    assert spare(True) == 0.0
    assert 0.0 < spare(True, False) < spare(True, True) < 1.0


def test_restarts_use_slack_up_and_ever_less_is_used_as_it_gets_dearer() -> None:
    market = Level(ALONE, loss=0, back=7, spare=0.95)  # what is lost can be had again nearly always
    view = outlook((market,), (0.3,), length_of(20.0), 0.2)
    runs, nothing = view.chain.place[(0,), FIRST_LEVEL], view.chain.place[(len(ALONE),), NOTHING]
    cheap = next(number for number, price in enumerate(PRICES) if price >= 0.5)
    assert view.used(runs, cheap) > 0.2  # more than one start: at least 0.05 losses an hour over 20 hours
    used = [view.used(nothing, number) for number in range(len(PRICES))]
    assert used == sorted(used, reverse=True)
    assert used[0] > used[-1] + 0.5
    assert view.price(nothing, used[5], 0) == view.price(nothing, used[5], len(PRICES) - 1) <= 5


def test_on_demand_is_not_started_while_spot_may_be() -> None:
    job = SimpleNamespace(work=20.0, deadline=23.0, overhead=0.5, step=1 / 6, zones=("a", "b"), od_price=1.0,
                          spot_price=(0.9, 0.9), hazard=(9.0, 9.0))  # fmt: skip
    moment = SimpleNamespace(
        t=0.0, work_done=0.0, work_left=20.0, time_left=23.0, overhead=0.5, step=1 / 6, available=(True, True),
        spot_price=(0.9, 0.9), od_price=1.0, kind="none", zone=-1, overhead_left=0.0, preempted=False,
        history=[(True, True)],
    )  # fmt: skip
    policy = Policy()
    policy.reset(job)
    assert policy.decide(moment)[0] == "spot"
    kinds = [kind for kind, _, _ in policy.options]
    assert kinds.index("od") < kinds.index("spot")  # although on-demand is expected to cost less
