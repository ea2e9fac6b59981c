"""中文：任务报告页面。"""

# ruff: noqa: E501  one sentence, one line

from __future__ import annotations

TABLE: dict[str, str] = {
    "report-title": "{name} 的报告", "report-made": "由 `tradewind show JOB --html FILE` 生成于 {at}。所有时间均为 UTC；区间的置信水平为 90 %。",
    "report-written": "报告：{path}", "report-unwritten": "注意：报告无法写入 {path}：{why}",
    # the head
    "report-when": "{job} · 提交于 {begun}[[ · 结束于 {ended}]]",
    "report-verdict": "{ended}[[：{why}]][[；{broken}]]；{money}。",
    "report-ended-SUCCEEDED": "历时 {span}，成功", "report-ended-FAILED": "历时 {span}，失败", "report-ended-EXPIRED": "历时 {span}，到期终止",
    "report-ended-STOPPED": "历时 {span}，在第 {steps} 步停止", "report-ended-not": "已进行 {span}，仍在运行，到第 {steps} 步",
    "report-broken": "中断 {count} 次[[，{seconds} 未在训练]][[，重复 {repeated} 步]]",
    "report-money-rehearsed": "没有花钱[[，按计划的报价会计费 {money}]]",
    "report-money-paid": "花费 {money}", "report-money-free": "没有计费：所用机器没有价格",
    "report-predicted": "预测：{value}", "report-interruptions": "中断", "report-lost": "{span} 未在训练",
    "report-repeated": "重复 {count} 步", "report-lost-unknown": "未在训练的时间：未知", "report-repeated-unknown": "重复的步数：未知", "report-none": "无", "report-open": "未定", "report-cost": "费用",
    "report-cost-rehearsed": "费用（按报价计费）", "report-not-spent": "预演：没有花钱", "report-steps": "第 {steps} 步",
    "report-result": "结果",
    # the times
    "report-times": "时间线", "report-times-described": "各行为任务所做的事、检查点和所租的机器，共 {lanes} 行。下面的表格说的是同样的内容。",
    "report-times-from": "从提交（{at}）算起；条中的数字是第几次尝试。", "report-deadline-beyond": "截止时间 {at} 在图外。",
    "report-lane-job": "任务", "report-lane-others": "其他报价", "report-lane-beside": "{offer}（2）",
    "report-attempt-of": "{what}，第 {attempt} 次尝试", "report-phase-waiting": "等待机器", "report-phase-starting": "启动",
    "report-phase-training": "训练", "report-phase-ending": "收尾", "report-phase-asked": "已请求", "report-phase-rented": "已租用",
    "report-phase-silent": "无响应，仍在计费", "report-phase-releasing": "正在释放",
    "report-checkpoint-at": "[[第 {step} 步的]]检查点：{state}", "report-sign-notice": "抢占通知", "report-sign-taken": "机器失去",
    "report-sign-refused": "被拒绝", "report-sign-saved-complete": "完整的检查点", "report-sign-saved-torn": "残缺的检查点",
    "report-sign-saved-unverified": "未校验的检查点",
    # the training
    "report-training-head": "训练", "report-over-step": "{name}，按步", "report-over-time": "{name}，按时间",
    "report-measure-loss": "损失", "report-measure-accuracy": "准确率", "report-measure-samples_per_second": "每秒样本数",
    "report-chart-described": "曲线 {lines} 条，共 {points} 个点；其极值见图下。",
    "report-ends": "{name}：最低 {low}，最高 {high}，最后 {last}", "report-logarithmic": "数值轴为对数刻度。",
    "report-gap-step": "阴影：重复做的步；较早的尝试在那里测得的值用点线表示。", "report-gap-time": "阴影：没有训练的时间。",
    "report-every-sample": "每个样本都已画出：{samples} 个。",
    "report-thinned": "{samples} 个样本合为 {points} 个点：线是它们的平均值，色带从最低到最高。",
    "report-blanks": "{name}：有 {count} 个值不是数字，最早在第 {step} 步。",
    "report-journals-missing": "有 {count} 次尝试的日志没有取回，因此没有画出。",
    "report-nothing-told": "任务没有报告任何步或评估，因此没有可画的内容。脚本如何报告：docs/job-file.md，TRADEWIND_EVENTS。",
    "report-no-journal": "这个任务的日志没有取回，因此不知道它随时间测得了什么。",
    # memory
    "report-memory": "单个 GPU 的显存", "report-memory-described": "在 {gpu} 上预测峰值 {peak}，其中可用 {usable}。",
    "report-memory-means": "针对 {gpu} 的预测：{nominal} 中有 {usable} 可用。条下的线是峰值的 90 % 区间。",
    "report-memory-measured": "实测峰值：最多分配了 {gib}（▼），不含分配器占用和运行时。", "report-memory-unmeasured": "实测峰值：未知；没有在这样的 GPU 上测量。",
    "report-memory-parameters": "参数", "report-memory-gradients": "梯度", "report-memory-optimizer": "优化器状态",
    "report-memory-activations": "激活", "report-memory-workspace": "工作区", "report-memory-cached": "分配器占用", "report-memory-runtime": "运行时",
    "report-memory-peak": "设备上的峰值", "report-memory-usable": "可用", "report-col-part": "部分", "report-col-gib": "GiB",
    "report-col-share": "占比",
    # money, cost against time, prediction
    "report-no-money-spent": "这是在本机上的预演：没有花钱。下面的金额是按计划的报价会计的费用。",
    "report-nothing-rented": "没有计费。", "report-more-lines": "另有 {count} 个租约，已计入合计",
    "report-front-means": "计划时的情形：✓ 是选中的方式", "report-col-run": "运行",
    # sources
    "report-sources": "实测与估算", "report-sources-mean": "本页每个数字的来源。不知道的就写明未知。",
    "report-col-figure": "数字", "report-col-value": "值", "report-col-kind": "种类", "report-col-source": "来源", "report-col-date": "日期",
    "report-kind-measured": "实测", "report-kind-listed": "标价", "report-kind-estimated": "估算", "report-kind-assumed": "假定",
    "report-kind-computed": "计算", "report-kind-told": "任务报告", "report-kind-unknown": "未知",
    "report-planned-step": "一步（计划）", "report-planned-memory": "显存峰值（计划）", "report-planned-time": "时间（计划）",
    "report-planned-cost": "费用（计划）", "report-spot-life": "竞价机器的寿命", "report-range": "90 % 区间",
    "report-by-model": "模型与 GPU 数据表", "report-by-plan": "计划：步时间、启动、预期的抢占、价格",
    "report-by-traces": "中断记录", "report-by-power": "电网的碳强度与 GPU 功率",
    "report-by-job": "任务自己的事件", "report-by-history": "历史：从最后失去的一步到第一个新步", "report-by-agent": "机器上的代理所见的最大值",
    "report-by-scale": "每步的预测秒数 ÷ 实测秒数", "report-by-bill": "实测时间 × 时间比例 × 标价，按报价的计费规则",
    "report-by-rates": "目录中的汇率", "report-seen-step": "一步（此处）", "report-seen-steps": "最后一步",
    "report-seen-ram": "任务进程的内存", "report-seen-cpu": "使用的处理器核数", "report-seen-gpu-memory": "显存峰值",
    "report-seen-here": "本机，所有尝试", "report-seen-there": "运行之处，所有尝试", "report-no-gpu": "任务没有报告",
    "report-time-scale": "预演的时间比例", "report-billed": "计费", "report-billed-rehearsed": "若真租用的计费", "report-rate": "汇率",
    # the tables
    "report-col-decision": "决定", "report-col-since": "之后", "report-col-of": "对象",
    "report-checkpoints-mean": "完整的检查点已按清单校验：每个文件都在，校验和相符。未校验的检查点是在文件静止时复制的。",
    "report-events-of": "{count} 个事件", "report-rows-between": "…… 另有 {count} 行 ……",
    "report-log-kept-back": "略去：任务用了密钥，日志里可能有它们：tradewind logs {job}",
    "report-by-exit": "自行结束", "report-by-notice": "收到通知后", "report-by-stop": "被要求停止", "report-by-hard-end": "到达硬性终点",
    "report-by-setup": "因其准备步骤", "report-by-file": "在机器上告知",
    # the job
    "report-job": "任务与环境", "report-run": "命令", "report-training": "训练", "report-planned-on": "计划的报价",
    "report-ran-on": "运行于", "report-this-computer": "本机", "report-versions": "版本", "report-image": "容器",
    "report-names": "环境变量", "report-exit": "退出码", "report-plan": "计划", "report-plan-of": "{plan}，目录日期 {date}",
}  # fmt: skip
