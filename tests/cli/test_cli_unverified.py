"""What is told of the checkpoints of a script that knows nothing of Tradewind: that nobody vouches for them."""

from __future__ import annotations

from typing import Any

import pytest
from cli_world import answer

from tradewind.cli.draw.ending import lost
from tradewind.cli.draw.jobs import checkpoint_state
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.timeline import line, moments


def unverified() -> dict[str, Any]:
    """The job of two preemptions, had its script told no steps."""
    show = answer("show")
    first, second, _ = show["attempts"]
    second.update(resumed_step=None, repeated_steps=None)
    kept = next(each for each in show["checkpoints"] if first["from"] < each["at"] < first["to"])
    kept.update(step=None, verified=False)
    show["checkpoints"] = [kept]
    resumed = next(each for each in show["events"] if each["kind"] == "resumed")
    resumed["data"] = {"verified": False, "saved_at": kept["at"], "step": None}
    show["attempts"] = [first, second]
    return show  # type: ignore[no-any-return]


@pytest.mark.parametrize("pen", [Pen("en", 80), Pen("zh", 60)], ids=["en", "zh"])
def test_what_is_kept_of_a_plain_script_is_told_as_unverified(pen: Pen) -> None:
    show = unverified()
    told = [line(pen, moment).plain for moment in moments(show)]
    clock = show["checkpoints"][0]["at"][11:19]
    for code in ("moment-kept", "moment-resumed-unverified"):
        assert [each for each in told if each.endswith(pen.say(code, clock=clock))]
    codes = [moment.code for moment in moments(show)]
    assert codes.index("notice") < codes.index("stopped") < codes.index("kept"), "in order, though it was saved before"
    assert not {"saved", "resumed", "from-start"} & set(codes)
    assert lost(pen, show) == pen.say("interrupted-in-all", count=2, switches="")
    assert checkpoint_state(pen, show["checkpoints"][0]).plain == pen.say("checkpoint-unverified")
