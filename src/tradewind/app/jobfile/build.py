"""Sections of a job file ↔ the domain's Workload."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from tradewind.app.jobfile import models
from tradewind.app.jobfile.readings import listed, parse_deadline
from tradewind.app.jobfile.spans import preempt_text, span_text
from tradewind.domain import workload as domain
from tradewind.domain.errors import BadInput

SOURCES = ("preset", "timm", "hf", "entrypoint")


def together(told: Mapping[str, Any], now: datetime | None) -> list[tuple[tuple[str, ...], BadInput]]:
    """The faults that only several keys together make, or a key and the time, each with the path of the key it is at.

    ``told`` is the file as it stands, whatever is wrong with it otherwise.
    """
    found: list[tuple[tuple[str, ...], BadInput]] = []
    model = told.get("model")
    if isinstance(model, dict):
        given = [key for key in (*SOURCES, "parameters") if model.get(key) is not None]
        if len(given) != 1:
            code = "model-sources-many" if given else "model-source-missing"
            found.append((("model",), BadInput(code, key="model", given=", ".join(given))))
    env, secrets = told.get("env"), told.get("secrets")
    if isinstance(env, dict) and isinstance(secrets, list | str):
        named = {str(name) for name in listed(secrets)}
        found += [
            (("env", name), BadInput("secret-in-env", key=f"env.{name}", name=name)) for name in env if name in named
        ]
    schedule = told.get("schedule")
    if now is not None and isinstance(schedule, dict):
        found += _over(schedule.get("deadline"), now)
    return found


def _over(deadline: Any, now: datetime) -> list[tuple[tuple[str, ...], BadInput]]:
    """The fault of a deadline that has gone by."""
    try:
        at = parse_deadline(deadline) if isinstance(deadline, str) else None
    except BadInput:
        return []  # told where it is read
    if not isinstance(at, datetime) or at > now:
        return []
    key = ("schedule", "deadline")
    return [(key, BadInput("deadline-gone", key=".".join(key), text=deadline, now=f"{now:%Y-%m-%d %H:%M}Z"))]


def workload(file: models.JobFile, default_name: str) -> domain.Workload:
    """The Workload that a faultless file states."""
    return domain.Workload(
        name=file.name or default_name,
        run=file.run,
        workdir=file.workdir,
        setup=file.setup,
        image=file.image,
        model=_model(file.model) if file.model else None,
        training=domain.Training(**file.training.model_dump()),
        resources=_resources(file.resources) if file.resources else None,
        data=tuple(domain.Data(each.source, each.path, each.mode, each.region, each.size_gb) for each in file.data),
        outputs=tuple(file.outputs),
        placement=domain.Placement(
            tuple(file.placement.clouds), tuple(file.placement.regions), file.placement.residency
        ),
        schedule=_schedule(file.schedule),
        budget=domain.Budget(file.budget.limit, file.budget.purchase, file.budget.on_limit),
        checkpoint=domain.CheckpointPolicy(file.checkpoint.path, file.checkpoint.store, file.checkpoint.every),
        rehearse=domain.Rehearse(file.rehearse.run, file.rehearse.steps, file.rehearse.preempt_at),
        compliance=tuple(file.compliance),
        ports=tuple(file.ports),
        env=tuple(file.env.items()),
        secrets=tuple(file.secrets),
    )


def _model(model: models.Model) -> domain.Model:
    named = next(((source, text) for source in SOURCES if (text := getattr(model, source))), None)
    return domain.Model(
        parameters=model.parameters,
        flops_per_sample=model.flops_per_sample,
        activation_bytes_per_sample=model.activation_bytes_per_sample,
        reference=":".join(named) if named else None,
    )


def _resources(resources: models.Resources) -> domain.Resources:
    return domain.Resources(
        resources.accelerators, resources.nodes or 1, resources.cpus, resources.disk_gb, resources.nodes is None
    )


def _schedule(schedule: models.Schedule) -> domain.Schedule:
    deadline = schedule.deadline
    at = deadline if isinstance(deadline, datetime) else None
    return domain.Schedule(
        deadline_seconds=None if at or deadline is None else deadline,  # type: ignore[arg-type]
        deadline_at=at,
        max_duration_seconds=schedule.max_duration,
        idle_stop_seconds=schedule.idle_stop,
    )


def dump(workload: domain.Workload) -> dict[str, Any]:
    """The workload in the shape of a job file, JSON-able; what was not said is left out."""
    told: dict[str, Any] = {
        "name": workload.name,
        "run": workload.run,
        "workdir": workload.workdir,
        "setup": workload.setup,
        "image": workload.image,
        "model": _model_told(workload.model) if workload.model else None,
        "training": _training_told(workload.training),
        "resources": _resources_told(workload.resources) if workload.resources else None,
        "data": [_said(_slots(each)) for each in workload.data],
        "outputs": list(workload.outputs),
        "placement": _placement_told(workload.placement),
        "schedule": _schedule_told(workload.schedule),
        "budget": _slots(workload.budget) | {"limit": _money_text(workload.budget)},
        "checkpoint": _slots(workload.checkpoint),
        "rehearse": _slots(workload.rehearse)
        | {"preempt_at": [preempt_text(at) for at in workload.rehearse.preempt_at]},
        "compliance": list(workload.compliance),
        "ports": list(workload.ports),
        "env": dict(workload.env),
        "secrets": list(workload.secrets),
    }
    kept = {key: _said(value) if isinstance(value, dict) and key != "env" else value for key, value in told.items()}
    return _said(kept)


def _said(told: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in told.items() if value not in (None, [], {})}


def _slots(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__slots__}


def _model_told(model: domain.Model) -> dict[str, Any]:
    told = _slots(model)
    reference = told.pop("reference")
    if reference:
        source, _, text = reference.partition(":")
        told[source] = text
    return told


def _training_told(training: domain.Training) -> dict[str, Any]:
    """What differs from the defaults, and the precision and optimizer always."""
    usual = domain.Training()
    told = {key: value for key, value in _slots(training).items() if value != getattr(usual, key)}
    size = {"image_size": "x".join(map(str, training.image_size))} if training.image_size else {}
    return told | size | {"precision": training.precision.value, "optimizer": training.optimizer}


def _resources_told(resources: domain.Resources) -> dict[str, Any]:
    told = _slots(resources) | {"accelerators": _wish_text(resources.accelerators)}
    if told.pop("nodes_open"):
        del told["nodes"]
    return told


def _wish_text(wish: domain.Accelerators | None) -> str | None:
    if wish is None:
        return None
    count = str(wish.low) if wish.low == wish.high else f"{wish.low}..{wish.high}"
    return f"{wish.gpu or 'any'}:{count}"


def _placement_told(placement: domain.Placement) -> dict[str, Any]:
    return {
        "clouds": list(placement.clouds), "regions": list(placement.regions), "residency": placement.residency,
    }  # fmt: skip


def _schedule_told(schedule: domain.Schedule) -> dict[str, Any]:
    seconds = {
        "deadline": schedule.deadline_seconds,
        "max_duration": schedule.max_duration_seconds,
        "idle_stop": schedule.idle_stop_seconds,
    }
    told = {key: span_text(value) for key, value in seconds.items() if value is not None}
    if schedule.deadline_at:
        told["deadline"] = schedule.deadline_at.isoformat().replace("+00:00", "Z")
    return told


def _money_text(budget: domain.Budget) -> str | None:
    return f"{format(budget.limit.amount, 'f')} {budget.limit.currency}" if budget.limit else None
