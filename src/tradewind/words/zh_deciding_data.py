"""Chinese: decisions about a job's machines, why they were made, and a change of its limits."""

# ruff: noqa: E501  one sentence, one line

from __future__ import annotations

TABLE: dict[str, str] = {
    "action-keep": "保持", "action-switch": "更换", "action-give-up": "放弃",
    "rent-pool": "租用 {pool}", "keep-pool": "保持 {pool}", "switch-pool": "换到 {pool}",
    # why: the spot policy
    "why-keep-spot": "换到别处都不划算[[（余量 {slack_hours} 小时）]]",
    "why-take-spot": "预计这是按时完成的最便宜方式[[（余量 {slack_hours} 小时）]]",
    "why-move-spot": "省下的钱超过迁移的代价[[（余量 {slack_hours} 小时）]]",
    "why-wait": "预计等待比现有的任何机器都便宜[[（余量 {slack_hours} 小时）]]",
    "why-take-on-demand": "预计按需实例是按时完成的最便宜方式[[（余量 {slack_hours} 小时）]]",
    "why-keep-on-demand": "预计按需实例仍是按时完成的最便宜方式[[（余量 {slack_hours} 小时）]]",
    "why-deadline": "离截止时间太近，不能再用可能被收回的机器[[（余量 {slack_hours} 小时，启动最多 {reserve_hours} 小时）]]",
    "why-no-on-demand": "此任务不可租按需实例，截止时间没有保障",
    # why: what could be had
    "why-on-demand-refused": "需要按需实例，但各处都拒绝；这是能得到的机器",
    "why-nothing-to-be-had": "各资源池刚才都拒绝了[[：{tried}]]",
    "why-kept-in-hand": "等待也许更便宜；在得到另一台机器之前保持现有机器",
    "why-no-room-to-switch": "预算容不下第二台机器，也来不及先离开这一台",
    "why-length-unknown": "不知道任务有多长：取能得到的最便宜的机器",
    "why-on-demand-only": "已没有可用的竞价资源池",
    "why-refused-for-good": "各处都因等待也无法解决的原因而拒绝[[：{tried}]]",
    "why-nothing-granted": "{hours} 小时内没有得到任何机器[[：{tried}]]",
    "why-left": "到另一台机器上继续", "why-switch": "换到已备好的机器",
    "why-next-pool": "换下一个资源池",
    # what comes next
    "head-next": "接下来", "next-if-lost": "若失去这台机器：{what}",
    "next-on-demand-by": "最迟 {at} 改用按需实例", "next-decided": "下次决定：{at}",
    "next-at-risk": "截止时间有风险：取决于目前无处肯给的机器。",
    "head-replayed": "重做决定", "replayed-same": "依据同样的事实，现在的决定相同。",
    "replayed-other": "依据同样的事实，当前版本会决定：{what}",
    "col-option": "其他选择", "col-expected-cost": "剩余部分的预计费用",
    "option-none": "等待", "option-od": "按需", "option-spot": "竞价",
    # extend
    "extended": "{name}：新的限制", "fact-deadline": "截止时间", "fact-budget": "预算", "fact-hard-end": "硬性终点",
    "budget-line": "{limit}：已花 {spent}，为运行中的机器预留 {held}",
    "hard-end-line": "{lease} 最迟于 {at} 结束，与租用时所定一致",
    "hard-end-follows": "在此之前任务会写检查点，并在下一台机器上继续。",
    # events
    "event-job-decided": "已决定", "event-deadline-at-risk": "截止时间有风险", "event-job-switching": "正在准备下一台机器",
    "event-job-switch-refused": "下一台机器被拒绝，保持现有机器", "event-job-leaving": "写检查点后离开此机器",
    "event-job-extended": "限制已更改",
}  # fmt: skip
