"""How often spot machines are lost and outages end, by age: one table for the policy and for every expectation.

Pooled over zones and families of the development traces: AWS V100 (2023-02), GCP H100 (2025-10), one node and gangs
of 16, as published with SkyPilot and SkyNomad. Part of the fall is ageing, part is zones differing; most traces say
whether a machine could be had, which overstates the loss of one that runs.
"""

from __future__ import annotations

# (from this age in hours, events an hour); the last entry holds for ever.
LOSSES: tuple[tuple[float, float], ...] = (
    (0.0, 1.90), (0.1, 1.10), (0.5, 0.67), (1.0, 0.32), (4.0, 0.14), (12.0, 0.05),
)  # fmt: skip
RETURNS: tuple[tuple[float, float], ...] = (
    (0.0, 2.44), (0.1, 1.45), (0.5, 0.85), (1.0, 0.34), (4.0, 0.14), (12.0, 0.04),
)  # fmt: skip
