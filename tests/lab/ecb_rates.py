"""The ECB's data interface: the series EXR as SDMX-JSON 1.0, after the request was checked."""

from __future__ import annotations

import json
import re

from lab.stub import Heard, Objection, Reply

_PATH = re.compile(r"^/service/data/EXR/D\.(?P<currencies>[A-Z]{3}(\+[A-Z]{3})*)\.EUR\.SP00\.A$")


class ReferenceRates:
    """Rates of one euro on one day."""

    def __init__(self, day: str, rates: dict[str, float]) -> None:
        self.day = day
        self.rates = rates

    def answer(self, heard: Heard) -> Reply:
        """The newest observation of the series asked for."""
        found = _PATH.match(heard.path.replace("%2B", "+"))
        if heard.method != "GET" or found is None:
            raise Objection("no series is called so")
        if heard.query != {"lastNObservations": "1", "format": "jsondata"}:
            raise Objection(f"parameters {heard.query}")
        return Reply(200, json.dumps(self.told(found["currencies"].split("+"))).encode())

    def told(self, currencies: list[str]) -> dict[str, object]:
        """The answer: a series is named by places in the lists of its dimensions."""
        series = {f"0:{place}:0:0:0": {"observations": {"0": [self.rates[name], 0, 0]}}
                  for place, name in enumerate(currencies)}  # fmt: skip
        dimensions = [("FREQ", ["D"]), ("CURRENCY", currencies), ("CURRENCY_DENOM", ["EUR"]), ("EXR_TYPE", ["SP00"]),
                      ("EXR_SUFFIX", ["A"])]  # fmt: skip
        return {
            "dataSets": [{"action": "Replace", "series": series}],
            "structure": {"dimensions": {
                "series": [{"id": name, "values": [{"id": each} for each in values]} for name, values in dimensions],
                "observation": [{"id": "TIME_PERIOD", "values": [{"id": self.day}]}],
            }},
        }  # fmt: skip
