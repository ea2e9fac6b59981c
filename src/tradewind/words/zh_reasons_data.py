"""中文：方案、决定、租约和事件中按代码列出的原因。"""

from __future__ import annotations

TABLE: dict[str, str] = {
    # 每步的瓶颈
    "bottleneck-compute": "计算", "bottleneck-memory-bandwidth": "显存带宽",
    "bottleneck-launch": "内核启动", "bottleneck-communication": "通信", "bottleneck-data": "数据",
    "bottleneck-bubble": "流水线空泡",
    # 决定及其原因
    "action-plan": "已规划", "action-rent": "租用机器", "action-wait": "等待", "action-interrupt": "被中断",
    "action-stop": "停止", "why-resume": "为了恢复", "why-reclaimed": "机器被收回",
    "why-exited": "退出码 {exit}[[（{cause:ended}）]]", "why-killed": "被杀死[[，退出码 {exit}]]",
    "ended-setup": "准备阶段", "ended-notice": "收到抢占通知之后", "ended-stop": "停止之后",
    "ended-hard-end": "到达最终期限",
    "why-vanished": "机器消失", "why-lost": "机器丢失", "why-stopped": "由用户停止",
    # 租约为何结束
    "reason-done": "完成", "reason-stopped": "已停止", "reason-reclaimed": "被收回", "reason-vanished": "消失",
    "reason-boot-timeout": "启动超时", "reason-refused-late": "迟到的拒绝", "reason-budget": "预算",
    "reason-expired": "强制结束", "reason-surplus": "多余", "reason-orphan": "孤儿",
    # 事件
    "event-job-submitted": "已提交", "event-job-planned": "已规划", "event-job-acquiring": "租用中",
    "event-job-waiting": "等待", "event-job-preparing": "准备中", "event-job-running": "运行中",
    "event-job-interrupted": "被中断", "event-job-ended": "运行结束", "event-job-closed": "已关闭",
    "event-job-stopping": "停止中", "event-job-state": "状态", "event-job-expired": "到期",
    "event-lease-intended": "租约意向", "event-lease-requested": "已请求租约",
    "event-lease-accepted": "租约已接受", "event-lease-refused": "租约被拒绝",
    "event-lease-running": "租约运行中", "event-lease-notice": "收回通知", "event-lease-releasing": "释放中",
    "event-lease-released": "已释放", "event-lease-unwanted": "不再需要", "event-lease-suspect": "无应答",
    "event-lease-unknown": "应答丢失", "event-agent-started": "代理已启动", "event-run-started": "运行已开始",
    "event-run-ended": "运行结束", "event-training-started": "训练已开始", "event-evaluated": "已评估",
    "event-checkpoint-stored": "检查点已保存", "event-checkpoint-rejected": "检查点被拒绝",
    "event-checkpoint-failed": "检查点失败", "event-notice-seen": "看到通知", "event-resumed": "已恢复",
    "event-training-again": "恢复训练", "event-time-scale": "时间比例", "event-stop-sent": "已发送 SIGTERM",
    "event-stop-asked": "请求停止", "event-outputs-fetched": "输出已取回", "event-setup-ended": "准备结束",
    "event-outputs-damaged": "输出损坏", "event-preemption-not-reached": "未到达的抢占",
    "event-job-unplaced": "没有得到机器", "event-job-unprepared": "无法准备",
    "event-lease-delayed": "推迟", "event-lease-not-ending": "未能结束", "event-lease-surplus": "多余的租约",
    "event-checkpoint-skipped": "跳过检查点", "event-restarted": "在同一节点上重新开始",
    "event-lease-adopted": "已收养：它没有记录", "event-lease-orphaned": "租约关闭后它仍在",
    "event-lease-auth": "凭据被拒绝", "event-epoch-raised": "纪元提高", "event-clock-jumped": "时钟跳变",
    "event-limit-reached": "到达限制", "event-checkpoint-interval": "检查点间隔已调整",
    "event-outputs-lost": "输出丢失",
    # 强制截止由什么决定
    "limit-max-lifetime": "最长寿命 max_lifetime", "limit-max-duration": "时限 max_duration",
    "limit-budget": "预算", "limit-deadline": "截止时间",
}  # fmt: skip
