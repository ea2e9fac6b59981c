"""Chinese: what is told of a simulation."""

# ruff: noqa: E501  one sentence, one line

from __future__ import annotations

TABLE: dict[str, str] = {
    # the head and what is simulated
    "head-simulation": "模拟",
    "simulated-on-trace": "在轨迹 {trace} 的各窗口上运行 {runs} 次，种子 {seed}",
    "simulated-on-made-up": "在生成的行情上运行 {runs} 次，种子 {seed}",
    "simulated-runs": "已模拟 {done}/{total} 次",
    "fact-simulated-work": "工作量",
    "fact-spot-pools": "竞价",
    "fact-resort": "按需",
    "simulated-work": "训练 {work}，期限 {deadline} 小时 · 每次启动 {start} 分钟，最多 {most} 分钟",
    "as-zone": "以 {zone} 代表",
    # the table
    "col-simulated": "策略",
    "col-mean-cost": "费用（十次中九次）",
    "col-of-on-demand": "占比",
    "col-finish": "完成用时",
    "col-machines-lost": "失去机器",
    "col-missed": "超期",
    "rival-tradewind": "tradewind",
    "rival-uniform-progress": "uniform-progress",
    "rival-eager-next-region": "eager-next-region",
    "rival-last-moment": "last-moment",
    "rival-on-demand": "on-demand",
    "rival-bound": "无人能更低",
    "plain-simulated": "费用 {cost}，一半的运行低于 {median}，为只用按需的 {share}，用时 {finish}，失去机器：{lost}，{runs} 次中超期 {late} 次",
    # the picture
    "head-costs": "各费用出现的多少",
    "head-finishes": "各完成时刻出现的多少",
    "mark-on-demand": "只用按需：{cost}",
    "mark-bound": "平均无人能低于 {cost}",
    "mark-deadline": "期限：{hours} 小时",
    # what it means
    "meaning-saves": "按 Tradewind 的策略，本任务的机器在 {runs} 次运行中平均花费 {cost}：比只用按需少 {gain}。",
    "meaning-saves-nothing": "按 Tradewind 的策略，本任务的机器在 {runs} 次运行中平均花费 {cost}：在此用竞价省不下什么。",
    "meaning-never-late": "{runs} 次运行无一超期。",
    "meaning-cheaper": "在此 {policy} 少花 {share}，也无一超期。",
    "meaning-late": "{policy} 在 {share} 的运行中超期；剩余部分改用按需，已计入其费用。",
    "meaning-no-choice": "这里没有可供策略选择的余地：按需需要 {hours}，花费 {cost}。",
    # what the figures rest on
    "head-rests-on": "依据",
    "simulated-no-spot-pool": "计划的首选和后备中都没有竞价机器：行情不会收走本任务的机器。",
    "simulated-too-short": "行情每 {step} 分钟看一次：任务还轮不到被收回就已结束，被收回也只多一次启动。",
    "simulated-deadline-assumed": "任务没有期限：假定 {hours} 小时，即工作量的 {stretch} 倍加 {starts} 次启动，与任务自身的耐心相同。",
    "simulated-deadline-tight": "{work} 小时的工作量加 {start} 分钟的启动不一定放得进 {hours} 小时：没有等待的余地。",
    "simulated-hours-of-slowest": "小时数按其中最慢的机器计；最快的只需其 {times} 分之一，价格也据此折算。",
    "simulated-trace-of-another-gpu": "轨迹是 {gpu} 的，这里代表 {wanted}：起落是真实的，但不是这种 GPU 的。",
    "simulated-trace-of-other-nodes": "轨迹是同时要 {nodes} 台机器的，计划要 {wanted} 台。",
    "simulated-trace-repeated": "轨迹长 {hours} 小时，重复以填满 {wanted} 小时。",
    "simulated-market-trace": "可用性是实测的，价格用计划的且不变；窗口互相重叠，范围只说明这段记录，不代表未来。",
    "simulated-market-made-up": "生成的行情依实测行情汇总的风险率，各可用区彼此独立，并按对各报价的了解缩放；价格用计划的且不变。",
    "simulated-rules": "只算机器，不含磁盘和流量。每 {step} 分钟免费查看所有可用区；被收回除启动外不重做工作；按需总能租到。",
    "simulated-source": "轨迹来源：{source}[[（{licence}）]]。",
}
