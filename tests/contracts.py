"""The contracts' JSON shapes as schemas. Keys are always there; unknown is null; fields may be added."""

from __future__ import annotations

from typing import Any

import jsonschema

Schema = dict[str, Any]
INSTANT: Schema = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"}
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
WHOLE: Schema = {"type": "integer"}
TRUTH: Schema = {"type": "boolean"}
MONEY: Schema = {
    "type": "object", "required": ["amount", "currency"],
    "properties": {"amount": {"type": "string", "pattern": r"^-?\d+(\.\d+)?$"}, "currency": {"pattern": "^[A-Z]{3}$"}},
}  # fmt: skip


def maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def every(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def record(**fields: Schema) -> Schema:
    return {"type": "object", "required": list(fields), "properties": fields}


def one_of(*words: str) -> Schema:
    return {"enum": list(words)}


RANGE = record(value=NUMBER, low=NUMBER, high=NUMBER, level={"const": 0.9},
               source=one_of("measured", "listed", "estimated"), as_of=maybe(TEXT))  # fmt: skip
MONEY_RANGE = record(value=TEXT, low=TEXT, high=TEXT, level={"const": 0.9}, source=TEXT, as_of=maybe(TEXT),
                     currency=TEXT)  # fmt: skip
OFFER = record(
    cloud=TEXT, region=TEXT, zone=maybe(TEXT), instance_type=TEXT, gpu=TEXT, gpus=NUMBER, gpu_memory_gib=maybe(NUMBER),
    cpus=maybe(WHOLE), memory_gib=maybe(NUMBER), network_gbps=maybe(NUMBER), rdma=maybe(TEXT), nvlink=maybe(TEXT),
    purchase=one_of("on_demand", "spot", "capacity_block", "reserved_1y", "reserved_3y", "subscription_month",
                    "subscription_year"),
    price_per_hour=maybe(MONEY), price_per_gpu_hour=maybe(MONEY),
    price_status=one_of("fresh", "dated", "old", "expired", "unknown", "free"), as_of=maybe(TEXT), source=maybe(TEXT),
    carbon_g_per_kwh=maybe(NUMBER),
)  # fmt: skip
FIT = record(
    gpu=TEXT, gpus=NUMBER, nodes=WHOLE, strategy=TEXT, micro_batch=WHOLE, grad_accumulation=WHOLE, precision=TEXT,
    activation_checkpointing=TEXT, fits=TRUTH, peak_memory_gib=record(allocated=RANGE, reserved=RANGE, device=RANGE),
    gpu_memory_gib=record(nominal=NUMBER, usable=NUMBER),
    memory_gib=record(parameters=NUMBER, gradients=NUMBER, optimizer=NUMBER, activations=NUMBER, workspace=NUMBER,
                      runtime=NUMBER),
    max_micro_batch=maybe(WHOLE), flops_per_step=NUMBER, step_seconds=RANGE, throughput_per_second=RANGE,
    throughput_unit=one_of("samples", "tokens"), mfu=NUMBER, bottleneck=TEXT,
)  # fmt: skip
SIZE = record(
    workload={}, fits=every(FIT), rejected=every(record(gpu=TEXT, why=TEXT)),
    storage=record(kind=maybe(TEXT), size_gb=maybe(NUMBER), min_throughput_gb_s=maybe(NUMBER)),
    trace_seconds=maybe(NUMBER),
)  # fmt: skip
HINT = record(code=TEXT, facts={"type": "object"})
SIZE_BESIDE = record(  # what the answer of size tells besides, for a workload with a model
    model=maybe(TEXT), source=one_of("traced", "closed-form", "parameters"), task=one_of("train", "finetune", "infer"),
    parameters=NUMBER, flops_total=maybe(NUMBER), total_steps=maybe(WHOLE), assumptions=every(HINT), limits=maybe(HINT),
    explain=maybe(every(record(term=TEXT, formula=TEXT, numbers={"type": "object"}, value=NUMBER, unit=TEXT,
                               source=TEXT))),
    fits=every(record(max_batch=maybe(WHOLE), relief=every(HINT), step_parts={"type": "object"})),
)  # fmt: skip
LESSON = record(
    subject=TEXT, gpu=maybe(TEXT), device=TEXT, gpus=WHOLE, micro_batch=WHOLE, step_seconds=NUMBER,
    peak_memory_gib=maybe(NUMBER), steps=WHOLE, job=TEXT, at=INSTANT, start_seconds=maybe(NUMBER),
    end_seconds=maybe(NUMBER), on=maybe(TEXT),
)  # fmt: skip
CALIBRATED = record(
    workload=TEXT, job=TEXT, state=TEXT, exit_code=maybe(WHOLE), subject=TEXT, lesson=maybe(LESSON),
    lessons=every(LESSON),
)  # fmt: skip
PLACED = record(
    offer=OFFER, fit=maybe(FIT), nodes=WHOLE, hours=maybe(RANGE), cost=maybe(MONEY_RANGE),
    cost_parts=maybe(record(compute=MONEY, storage=MONEY, egress=MONEY, setup=MONEY, preemption=MONEY)),
    finish_by=maybe(INSTANT), on_time_probability=maybe(NUMBER),
    deadline_guarantee=one_of("firm", "conditional", "none"), quota=one_of("ok", "none", "unknown"),
    carbon_g=maybe(NUMBER), policy={}, guarantee_why=TEXT, on_demand_share=NUMBER,
    interruption=maybe(record(
        losses=maybe(NUMBER), mean_life_hours=NUMBER, source=one_of("advisor", "trace", "assumed"), as_of=maybe(TEXT),
    )),
    transfer=maybe(record(gb=NUMBER, hours=NUMBER, **{"from": TEXT}, egress=maybe(MONEY))),
    last_resort=maybe(record(cloud=TEXT, region=TEXT, zone=maybe(TEXT), instance_type=TEXT, nodes=WHOLE, hours=NUMBER)),
)  # fmt: skip
CHANGES = every(record(set=TEXT, to=TEXT, by=maybe(TEXT)))
PLAN = record(
    plan_id=TEXT, catalog_date=TEXT, chosen=maybe(PLACED), fallbacks=every(PLACED), alternatives=every(PLACED),
    rejected=every(record(why=TEXT, count=WHOLE, nearest=maybe(TEXT), near=maybe(TEXT))), assumptions={"type": "array"},
    compliance=every(record(control=TEXT, result=one_of("unknown"))),
    infeasible=maybe(record(changes=CHANGES, together=CHANGES)),
    objective=one_of("cost", "time", "carbon", "balanced"),
    limits=record(deadline_hours=maybe(NUMBER), budget=maybe(MONEY), max_duration_hours=maybe(NUMBER)),
    front=every(record(
        cloud=TEXT, instance_type=TEXT, region=TEXT, zone=maybe(TEXT), purchase=TEXT, gpu=TEXT, gpus=NUMBER,
        nodes=WHOLE, hours=NUMBER, cost=MONEY, rank_cost=NUMBER, carbon_g=maybe(NUMBER), chosen=TRUTH,
    )),
    points={"type": "array", "maxItems": 200, "items": {
        "type": "array", "prefixItems": [NUMBER, NUMBER, TEXT, TRUTH, TRUTH], "minItems": 5, "maxItems": 5,
    }},
    points_currency=TEXT,
)  # fmt: skip
POOL = record(offer=OFFER, nodes=WHOLE, zone=maybe(TEXT), price_per_work_hour=MONEY, hazard=NUMBER)
COUNTS = {"type": "object", "additionalProperties": every(WHOLE)}
HISTOGRAM = maybe(record(**{"from": NUMBER}, to=NUMBER, counts=COUNTS))
SIMULATE = record(
    plan_id=TEXT, catalog_date=TEXT, runs=WHOLE,
    market=record(kind=one_of("trace", "made-up"), seed=WHOLE, trace=maybe(record(
        name=TEXT, zones=every(TEXT), hours=NUMBER, tick_seconds=NUMBER, nodes=WHOLE, gpu=maybe(TEXT),
        start=maybe(TEXT), source=maybe(TEXT), licence=maybe(TEXT),
    ))),
    job=record(
        work_hours=NUMBER, deadline_hours=NUMBER, deadline_assumed=TRUTH, start_hours=NUMBER,
        start_hours_at_most=NUMBER, step_hours=NUMBER, pools=every(POOL), on_demand=POOL,
    ),
    on_demand_only=record(cost=MONEY, hours=NUMBER),
    policies=every(record(
        policy=TEXT, cost=MONEY_RANGE, against_on_demand=NUMBER, finish_hours=RANGE, preemptions=RANGE, misses=WHOLE,
        starts=NUMBER, wait_hours=NUMBER, spot_hours=NUMBER, on_demand_hours=NUMBER,
    )),
    bound=maybe(record(cost=MONEY_RANGE, against_on_demand=NUMBER)),
    histograms=record(cost=HISTOGRAM, finish_hours=HISTOGRAM), remarks=every(TEXT),
)  # fmt: skip
PS_FIELDS: dict[str, Schema] = {
    "job": TEXT, "name": TEXT, "state": TEXT, "why": maybe(TEXT), "wake_at": maybe(INSTANT), "attempt": WHOLE,
    "epoch": WHOLE, "rehearsal": TRUTH, "offer": maybe(OFFER), "gpus": maybe(NUMBER),
    "progress": maybe(record(step=WHOLE, total_steps=maybe(WHOLE), samples_per_second=maybe(NUMBER),
                             loss=maybe(NUMBER), updated_at=maybe(INSTANT))),
    "eta": maybe(INSTANT), "deadline": maybe(INSTANT), "on_time": maybe(TRUTH), "cost": maybe(MONEY),
    "submitted_at": INSTANT, "ended_at": maybe(INSTANT), "exit_code": maybe(WHOLE),
}  # fmt: skip
PS = every(record(**PS_FIELDS))
ATTEMPT = record(
    attempt=WHOLE, epoch=WHOLE, leases=every(TEXT), **{"from": INSTANT}, to=maybe(INSTANT),
    outcome=maybe(one_of("succeeded", "failed", "interrupted", "stopped")), exit_code=maybe(WHOLE),
    resumed_step=maybe(WHOLE), last_checkpoint_step=maybe(WHOLE), repeated_steps=maybe(WHOLE),
    lost_seconds=maybe(NUMBER), log_tail={},
)  # fmt: skip
EVENTS = every(record(
    id=WHOLE, at=INSTANT, kind=TEXT, what=TEXT, **{"from": maybe(TEXT)}, to=maybe(TEXT), why=maybe(TEXT),
))  # fmt: skip
SIMULATED = record(cost=maybe(MONEY), hours=NUMBER, preemptions=WHOLE, missed=TRUTH)
TRACE = record(  # of a rehearsal that replays one
    name=TEXT, seed=WHOLE, speed={"anyOf": [NUMBER, {"const": "auto"}]}, tempo=NUMBER, begins_hours=NUMBER,
    of_hours=NUMBER, zones=every(record(zone=TEXT, offer=OFFER)), preemptions=WHOLE, refused=WHOLE, hours=NUMBER,
    deadline_hours=maybe(NUMBER), predicted=maybe(SIMULATED), on_demand_only=maybe(SIMULATED),
)  # fmt: skip
DECISION: dict[str, Schema] = {
    "action": one_of("rent", "keep", "wait", "switch", "give-up"), "pool": maybe(TEXT), "why": TEXT, "code": TEXT,
    "facts": {"type": "object"},
}  # fmt: skip
NEXT = record(**DECISION, at_risk=TRUTH, if_lost=maybe(record(**DECISION)), on_demand_by=maybe(INSTANT),
              decided_at=maybe(INSTANT))  # fmt: skip
SHOW = record(
    **PS_FIELDS, workload={"type": "object"}, plan=maybe(PLAN), attempts=every(ATTEMPT),
    checkpoints=every(record(step=maybe(WHOLE), at=INSTANT, bytes=WHOLE, state=one_of("complete", "torn"), path=TEXT,
                             verified=TRUTH)),
    decisions=every(record(at=INSTANT, action=TEXT, why=maybe(TEXT), pool=maybe(TEXT))), next=maybe(NEXT),
    limits=record(deadline=maybe(INSTANT), budget=maybe(record(limit=maybe(MONEY), spent=MONEY, held=MONEY)),
                  lease=maybe(TEXT), hard_end=maybe(INSTANT), hard_end_by=maybe(TEXT)),
    events=EVENTS, outputs={}, predicted=maybe(record(hours=RANGE, cost=MONEY_RANGE)),
    actual=record(hours=NUMBER, cost=maybe(MONEY)), metrics={"type": "object"}, here=maybe(record(
        predicted=maybe(record(hours=RANGE, cost=maybe(MONEY_RANGE), machines=WHOLE,
                               measured=record(at=INSTANT, job=TEXT))),
        actual=record(hours=NUMBER, cost=maybe(MONEY)),
    )),
    supervisor=maybe(record(pid=maybe(WHOLE), host=TEXT)), trace=maybe(TRACE),
)  # fmt: skip
EXPLAIN = record(
    row={"type": "object"}, events=EVENTS, next_wake=maybe(INSTANT), why={"type": "string", "minLength": 20},
    decisions=every(record(**DECISION, at=INSTANT, same=TRUTH, again=maybe(record(**DECISION)), currency=maybe(TEXT),
                           options=every(record(kind=TEXT, pool=maybe(TEXT), cost=NUMBER)))),
)  # fmt: skip
LEASES = every(record(
    lease=TEXT, kind=TEXT, state=TEXT,
    end_reason=maybe(one_of("done", "stopped", "reclaimed", "vanished", "boot-timeout", "refused-late", "budget",
                            "expired", "surplus", "orphan")),
    job=maybe(TEXT), cloud=TEXT, region=maybe(TEXT), zone=maybe(TEXT), instance_type=maybe(TEXT),
    purchase=maybe(TEXT), cloud_id=maybe(TEXT), price_per_hour=maybe(MONEY), requested_at=maybe(INSTANT),
    paid_from=maybe(INSTANT), paid_to=maybe(INSTANT), hard_end=maybe(INSTANT), hard_end_by=maybe(TEXT),
    reclaim_at=maybe(INSTANT), cost_so_far=maybe(MONEY),
    node=maybe(record(address=TEXT, contact=maybe(INSTANT), pgid=maybe(WHOLE))), why_open=maybe(TEXT),
    time_scale=maybe(NUMBER),
))  # fmt: skip
COST = record(
    jobs=every(record(
        job=TEXT, rehearsal=TRUTH,
        lines=every(record(lease=TEXT, offer={}, **{"from": INSTANT}, to=maybe(INSTANT), money=maybe(MONEY))),
        total=every(MONEY), total_in=maybe(record(money=MONEY, rate=maybe(TEXT), rate_date=maybe(TEXT))),
        on_demand_total=maybe(MONEY), saved=maybe(MONEY), lost_seconds=maybe(NUMBER), predicted={},
    )),
    open_leases=maybe(WHOLE),
)  # fmt: skip
SWEEP = record(
    checked=every(record(cloud=TEXT, account=TEXT, region=maybe(TEXT), complete=TRUTH, seen_at=INSTANT)),
    found=LEASES, ended=every(TEXT), ending=every(TEXT),
)  # fmt: skip
OFFERS = every(OFFER)
SHEET = record(
    gpu=TEXT, form=maybe(TEXT), vendor=TEXT, architecture=TEXT, compute_capability=maybe(TEXT), memory_gib=NUMBER,
    bandwidth_gb_s=maybe(NUMBER), peak_tflops={"type": "object", "additionalProperties": NUMBER}, link=maybe(TEXT),
    link_gb_s=maybe(NUMBER), tdp_w=maybe(NUMBER), min_cuda=maybe(TEXT), last_cuda_major=maybe(WHOLE), notes=TEXT,
    source=TEXT,
)  # fmt: skip
SHEETS = every(SHEET)
MACHINE = record(
    cloud=TEXT, instance_type=TEXT, family=maybe(TEXT), gpu=TEXT, gpu_known=TRUTH, form=maybe(TEXT), gpus=maybe(NUMBER),
    gpu_memory_gib=maybe(NUMBER), cpus=maybe(WHOLE), memory_gib=maybe(NUMBER), network_gbps=maybe(NUMBER),
    rdma=maybe(TEXT), nvlink=maybe(TEXT), source=TEXT,
)  # fmt: skip
PRICE_LINE = record(
    region=TEXT, zone=maybe(TEXT), purchase=TEXT, payment=maybe(TEXT), price_per_hour=MONEY,
    price_status=one_of("fresh", "dated", "old", "expired", "unknown"), as_of=TEXT, source=TEXT, own=TRUTH,
)  # fmt: skip
CATALOG_SHOW = record(
    asked=TEXT, kind=one_of("machine", "family", "gpu"), gpus=SHEETS, machines=every(MACHINE),
    prices=every(PRICE_LINE), claims=every(record(
        said=TEXT, said_zh=TEXT, verdict=TEXT, verdict_zh=TEXT, true=TEXT, true_zh=TEXT, why=maybe(TEXT),
        why_zh=maybe(TEXT),
    )),
    spot_records=every(record(
        cloud=TEXT, instance_type=TEXT, region=TEXT, interrupted=maybe(TEXT), saved=maybe(NUMBER), average=maybe(MONEY),
        lowest=maybe(MONEY), highest=maybe(MONEY), as_of=TEXT, source=TEXT,
    )),
    spot_terms=every(record(
        cloud=TEXT, notice_s=maybe(NUMBER), source=maybe(TEXT),
        published=maybe(record(saved_up_to=NUMBER, as_of=maybe(TEXT), source=TEXT)),
    )),
    images=every(record(cloud=TEXT, kind=TEXT, name=TEXT, lookup=TEXT, user=TEXT, driver=TEXT, arch=TEXT, source=TEXT)),
)  # fmt: skip
REGIONS = every(record(
    cloud=TEXT, region=TEXT, name=maybe(TEXT), name_zh=maybe(TEXT), country=maybe(TEXT), city=maybe(TEXT),
    carbon_g_per_kwh=maybe(NUMBER), carbon_free_percent=maybe(NUMBER), distance_km=maybe(NUMBER), machines=WHOLE,
    residency=every(TEXT),
))  # fmt: skip
BOUNDS = record(low=MONEY, high=MONEY)
COMPARED = record(
    columns=every(record(
        asked=TEXT, largest_of=WHOLE, machine=MACHINE, region=maybe(TEXT),
        ways=every(record(
            purchase=TEXT, payment=maybe(TEXT), low=MONEY, high=MONEY, month=BOUNDS,
            kind=one_of("listed", "estimate"), price_status=maybe(TEXT), as_of=maybe(TEXT), source=TEXT, own=TRUTH,
            break_even_hours=maybe(every(WHOLE)),
        )),
        rent_or_buy=maybe(record(
            own_hour=MONEY, rented_hour=MONEY, even_utilisation=maybe(NUMBER), even_hours_per_month=maybe(WHOLE),
            inputs=every(record(
                name=TEXT, value=NUMBER, unit=TEXT, source=one_of("assumed", "converted", "given"),
            )),
        )),
    )),
    rates=every(record(base=TEXT, quote=TEXT, value=TEXT, as_of=TEXT, source=TEXT)), hours_per_month=NUMBER,
    region=maybe(TEXT),
)  # fmt: skip
HELD = record(
    snapshot=record(date=TEXT, machines=WHOLE, prices=WHOLE, offers=WHOLE, unpriced=WHOLE, left_out=WHOLE),
    clouds=every(record(cloud=TEXT, machines=WHOLE, prices=WHOLE, newest=maybe(TEXT), refreshed_at=maybe(INSTANT))),
    own=every(record(name=TEXT, prices=WHOLE, path=TEXT, added_at=maybe(INSTANT))),
    passed_over=every(record(file=TEXT, why=TEXT)), rebuilt=TRUTH,
    clock_behind=maybe(record(today=TEXT, newest=TEXT)),
)  # fmt: skip
ADDED = record(name=TEXT, path=TEXT, prices=WHOLE, replaced=TRUTH)
SUBMITTED = record(job=TEXT, name=TEXT, state=TEXT, plan_id=maybe(TEXT), rehearsal=TRUTH)
ERROR = record(error=record(code=TEXT, what=TEXT, why=TEXT, next=TEXT, retryable=TRUTH,
                            where=maybe(record(file=TEXT, line=maybe(WHOLE), column=maybe(WHOLE)))))  # fmt: skip


FAULT = maybe(ERROR["properties"]["error"])
REFRESHED = record(clouds=every(record(
    cloud=TEXT, outcome=one_of("refreshed", "refused", "failed", "not_configured"), went_on=TRUTH, parts=WHOLE,
    parts_failed=every(record(part=TEXT, error=FAULT)), machines=WHOLE, prices=WHOLE, skipped=every(TEXT),
    no_machine=every(TEXT), spot_points=WHOLE, spot_error=FAULT, error=FAULT,
    changes=maybe(record(
        new=WHOLE, gone=WHOLE, dearer=WHOLE, cheaper=WHOLE, same=WHOLE,
        largest=every(record(region=TEXT, zone=maybe(TEXT), instance_type=TEXT, purchase=TEXT, old=MONEY, new=MONEY)),
    )),
)))  # fmt: skip

OWN_GPU = record(
    index=WHOLE, uuid=TEXT, name=TEXT, gpu=maybe(TEXT), memory_gib=maybe(NUMBER), allowed=TRUTH,
    used_by=maybe(every(record(pid=WHOLE, user=maybe(TEXT), command=maybe(TEXT), memory_gib=maybe(NUMBER)))),
    held_by=maybe(record(pid=WHOLE, user=maybe(TEXT))), job=maybe(record(job=TEXT)),
)  # fmt: skip
OWN_MACHINE = record(
    name=TEXT, target=TEXT, account=TEXT, state=one_of("reachable", "away", "unknown"), why=FAULT,
    price_per_hour=maybe(MONEY), gpus=maybe(every(OWN_GPU)), allowed=maybe(every(WHOLE)),
    jobs=every(record(job=TEXT, name=maybe(TEXT), lease=TEXT, state=TEXT, gpus=NUMBER)), checked_at=maybe(INSTANT),
    added_at=INSTANT, own_key=TRUTH, country=maybe(TEXT), folder=maybe(TEXT), host_keys=every(TEXT),
)  # fmt: skip
OWN_MACHINES = every(OWN_MACHINE)
MACHINE_CHECK = record(
    machine=TEXT, target=TEXT, checked_at=INSTANT, facts=maybe({"type": "object"}), gpus=maybe(every(OWN_GPU)),
    findings=every(record(id=TEXT, severity=one_of("ok", "note", "warning", "fault", "unknown"),
                          facts={"type": "object"}, summary={"type": "string", "minLength": 3}, next=TEXT)),
    error=FAULT,
)  # fmt: skip
MACHINE_CHECKS = record(machines=every(MACHINE_CHECK))
MACHINE_ADDED = record(machine=OWN_MACHINE, check=MACHINE_CHECK, updated=TRUTH)
MACHINE_REMOVED = record(
    name=TEXT, target=TEXT, reached=TRUTH, removed=every(TEXT), left=every(TEXT),
    own_key=maybe(one_of("taken-out", "left")),
)  # fmt: skip
CLOUD = record(
    cloud=TEXT, state=one_of("ready", "lacking", "unknown", "refused", "no-credentials", "extra-missing",
                             "prices-only"),
    credentials=maybe(TEXT), settings=TRUTH, regions=every(record(region=TEXT, may_launch=maybe(TRUTH))),
    checks=every(record(
        code=one_of("identity", "right", "quota", "clock", "network", "account", "region"),
        verdict=one_of("ok", "warning", "missing", "unknown"), region=maybe(TEXT), facts={"type": "object"},
        words=maybe(TEXT), summary={"type": "string", "minLength": 3}, next=TEXT,
    )),
    error=FAULT, checked_at=INSTANT,
)  # fmt: skip
CLOUDS = every(CLOUD)
POLICY: Schema = {"type": "object"}
VISIT = record(argv=every(TEXT), target=TEXT, ports=every(record(port=WHOLE, local=WHOLE)))
FETCHED = record(job=TEXT, path=TEXT, to=maybe(TEXT), files=every(record(name=TEXT, bytes=WHOLE)), bytes=WHOLE,
                 running=TRUTH)  # fmt: skip

RATES = every(record(base=TEXT, quote=TEXT, value=TEXT, as_of=TEXT, source=TEXT,
                     **{"from": one_of("own", "refreshed", "shipped")}))  # fmt: skip
UNIT: dict[str, Schema] = {"kind": one_of("systemd", "launchd"), "name": TEXT, "path": TEXT, "installed": TRUTH}
SUPERVISOR = record(
    home=TEXT, supervisor=maybe(record(pid=maybe(WHOLE), host=TEXT)),
    service=record(**UNIT, current=TRUTH, state=maybe(one_of("active", "inactive"))),
)  # fmt: skip
SERVICE_CHANGED = record(**UNIT, to_type=every(TEXT))

BEGUN = record(
    example={"type": "null"}, path=TEXT, written=every(TEXT), missing=every(TEXT), commands=every(TEXT),
    values=every(record(key=TEXT, value={}, file=maybe(TEXT), line=maybe(WHOLE))), remarks=every(HINT),
)  # fmt: skip
COPIED = record(example=TEXT, path=TEXT, written=every(TEXT), packages_missing=every(TEXT))


def check(value: Any, schema: Schema) -> None:
    jsonschema.validate(value, schema)
