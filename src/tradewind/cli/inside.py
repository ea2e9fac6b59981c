"""The real inside: ``app``, imported when first asked for, because its rooms cost more than the start of the CLI."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tradewind.app.interface import Answer, Catalog, Clouds, ControlPlane, Machines, Service
    from tradewind.app.queries import OffersQuery, SimulateQuery, SizeOverrides
    from tradewind.app.settings import Settings
    from tradewind.app.sizes.batch import Answered
    from tradewind.domain.plan import Objective
    from tradewind.domain.workload import Workload


class Embedded:
    """The use cases carried out in this process."""

    def home(self) -> Path:
        """The folder that holds all state."""
        return self._settings().home

    def size(self, workload: Workload, overrides: SizeOverrides, tell: Callable[[str], None]) -> Answer:
        """The ``size`` answer."""
        from tradewind.app import questions

        return questions.size(self._settings(), workload, overrides, tell)

    def batch(self, lines: Sequence[str], file: str, workers: int, tell: Callable[[str], None]) -> Iterator[Answered]:
        """Answers to the rows of a batch file of sizes."""
        from tradewind.app import questions

        return questions.batch(self._settings(), lines, file, workers, tell)

    def offers(self, query: OffersQuery) -> Answer:
        """The offers that match, with what should be known beside them."""
        from tradewind.app import market

        return market.offers(self._settings(), query)

    def catalog(self) -> Catalog:
        """The catalog of this computer."""
        from tradewind.app.catalog import HomeCatalog

        return HomeCatalog(self._settings())

    def rate(self, base: str, quote: str) -> Answer | None:
        """The exchange rate, with its date and source."""
        from tradewind.app import market

        return market.rate(self._settings(), base, quote)

    def candidates(self, kind: str) -> list[tuple[str, str]]:
        """Names of a kind that this computer knows."""
        from tradewind.app import candidates

        return candidates.candidates(self._settings(), kind)

    def plan(self, workload: Workload, now: datetime, tell: Callable[[str], None], objective: Objective) -> Answer:
        """The ``plan`` answer, the best by ``objective``."""
        from tradewind.app import questions

        return questions.plan(self._settings(), workload, now, tell, objective)

    def simulate(
        self, workload: Workload, query: SimulateQuery, now: datetime, tell: Callable[[str], None],
        progress: Callable[[int, int], None],
    ) -> Answer:  # fmt: skip
        """The ``simulate`` answer."""
        from tradewind.app import simulating

        return simulating.simulate(self._settings(), workload, query, now, tell, progress)

    def control(self) -> ControlPlane:
        """The control plane of this computer."""
        from tradewind.app import control

        return control.connect(self._settings())

    def service(self) -> Service:
        """The supervisor as a service of the user who runs this."""
        from tradewind.app.service import UserService

        return UserService(self._settings(), os.environ)

    def machines(self) -> Machines:
        """The machines of this installation's user."""
        from tradewind.app.machines import machines_of

        return machines_of(self._settings())

    def clouds(self) -> Clouds:
        """The accounts at clouds that this installation finds."""
        from tradewind.app.clouds import clouds_of

        return clouds_of(self._settings())

    def _settings(self) -> Settings:
        from tradewind.app.settings import Settings

        return Settings.from_env()
