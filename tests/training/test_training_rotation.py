from hypothesis import given
from hypothesis import strategies as st

from tradewind.training.rotation import Found, doomed

founds = st.lists(
    st.builds(Found, step=st.integers(1, 60), save=st.none() | st.integers(0, 40)), unique_by=lambda one: one.step
)


@given(founds, st.integers(1, 60), st.integers(1, 8), st.integers(0, 5))
def test_what_rotation_keeps(found: list[Found], committed: int, keep_last: int, milestone_every: int) -> None:
    found = [one for one in found if one.step != committed] + [Found(committed, 41)]
    gone = doomed(found, committed, keep_last, milestone_every)
    kept = [one for one in found if one.step not in gone]

    assert committed not in gone
    assert gone == sorted(gone)
    assert all(step < committed for step in gone)
    complete = sorted(one.step for one in found if one.save is not None and one.step <= committed)
    assert set(complete[-keep_last:]) <= {one.step for one in kept}
    milestones = [one for one in found if one.save and milestone_every and one.save % milestone_every == 0]
    assert all(one in kept for one in milestones)
    rest = [one for one in kept if one.step <= committed and one not in milestones]
    assert len(rest) <= keep_last
    assert all(one.save is not None for one in rest)


def test_the_third_last_stays_and_the_tenth_stays_for_good() -> None:
    found = [Found(step=100 * save, save=save) for save in range(1, 15)]
    assert doomed(found, 1400, keep_last=3, milestone_every=10) == [100 * save for save in (*range(1, 10), 11)]


def test_a_torn_one_takes_no_place_of_a_complete_one() -> None:
    found = [Found(10, 1), Found(20, 2), Found(30, None), Found(40, 3)]
    assert doomed(found, 40, keep_last=3, milestone_every=0) == [30]
