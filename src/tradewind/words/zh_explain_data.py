"""中文：租约为何未结束，租约或任务为何处于当前状态，各一两句。"""

# ruff: noqa: E501  一句一行

from __future__ import annotations

TABLE: dict[str, str] = {
    # 租约为何未结束，一行
    "open-job": "任务 {job}：{state:state}", "open-job-ended": "任务 {job} 已结束（{state:state}），没有谁需要它",
    "open-network": "那里的机器经它连接；最后一台离开一小时后释放",
    "open-no-job": "这里不知道它的任务 {job}", "open-nobody": "不知道它属于哪个任务",
    "open-ending": "正在释放：{reason:reason}",
    "open-not-ending": "未能结束：已尝试 {tries} 次（{reason:reason}）",
    "open-auth": "{account} 的凭据被拒绝：既无法查看也无法结束",
    "open-unknown": "启动请求的应答丢失：在找到或证明不存在之前按付费计",
    "open-suspect-own": "没有联系：那里运行的任务会继续，最迟到强制截止",
    "last-heard": "最近一次应答：{when}",
    "open-suspect": "没有应答：在云端说它已消失之前按付费计",
    "open-stray-no-row": "没有记录能说明它；守护进程会按标签收养它",
    "open-stray-surplus": "同一租约的第二台机器，或任务已不需要它；将被结束",
    "open-stray-tombstoned": "在租约关闭之后才出现或仍然存在；将被结束",
    "open-stray-left-behind": "是已结束的机器留下的；将被结束",
    "open-stray-expired": "超过了强制截止时间；将被结束",
    # 按状态说明租约
    "explain-lease-INTENDED": "已记录，尚未发出任何请求。订单发送时间：{wake}。",
    "explain-lease-REQUESTED": "订单已发出，正在等待应答。若没有记下应答，将按令牌查找，绝不重发。",
    "explain-lease-REQUESTED-delayed": "订单没有生效[[（{error}）]]。相同内容再次发送：{wake}；已发送 {sends} 次。",
    "explain-lease-UNKNOWN": "启动请求的应答丢失[[（{error}）]]：正按令牌查找，{of} 次查看中已有 {looks} 次未找到；下次查看：{wake}。在此之前不再发送任何请求，并按付费计。",
    "explain-lease-PENDING": "云端已有它（{cloud_id}）[[，每小时 {price}]]；它还没有应答。下次查看：{wake}；最迟结束：{hard_end}。",
    "explain-lease-RUNNING": "正在运行[[，每小时 {price}]][[，用于任务 {job}（{job_state:state}）]]。下次查看：{wake}；即使无人查看，最迟结束：{hard_end}[[，由 {limit:limit} 决定]]。[[云端收回：{reclaim_at}。]]",
    "explain-lease-SUSPECT": "没有应答[[，最近一次应答：{contact}]][[（{error}）]]。据云端此前所说它在运行[[，每小时 {price}]]。沉默不能证明什么：再次询问云端：{wake}。",
    "explain-lease-RELEASING": "正在结束[[（{reason}）]]。在云端的完整列表中消失之前按付费计；下次查看：{wake}。",
    "explain-lease-RELEASING-overdue": "它早该结束却没有：已尝试 {tries} 次[[，最近一次：{error}]]。按付费计；会一直尝试，下一次：{wake}。",
    "explain-lease-RELEASED": "已结束[[（{reason}）]]，云端的完整列表中已没有它。不再花钱。",
    "explain-lease-RELEASED-unsent": "在发出任何请求之前就放弃了。没有花钱。",
    "explain-lease-REFUSED": "没有租到任何东西[[：{error}]]。若以后有资源以它的令牌出现，清扫会结束它。",
    "explain-lease-auth": "{account} 的凭据被拒绝[[（{error}）]]。修复之前既无法查看也无法结束，按付费计；强制截止：{hard_end}。再次尝试：{wake}。",
    # 按状态说明任务
    "explain-job-QUEUED": "已提交。开始处理方案：{wake}。",
    "explain-job-PLANNED": "方案已定。记录并申请第一台机器：{wake}。",
    "explain-job-ACQUIRING": "正在为第 {attempt} 次尝试租用机器[[：{lease} {lease_state:lease}]]。下次查看：{wake}。",
    "explain-job-WAITING": "正在等待[[：{why}]]。再次尝试：{wake}；期间不租用任何东西。",
    "explain-job-PREPARING": "正在把工作和代理程序放到 {lease} 上[[（{lease_state:lease}）]]。下次查看：{wake}。[[此刻：{why}。]]",
    "explain-job-RUNNING": "第 {attempt} 次尝试正在运行[[，租约 {lease}]][[，第 {step} 步]]。读取其输出：{wake}。[[此刻：{why}。]]",
    "explain-job-INTERRUPTED": "第 {attempt} 次尝试被中断[[：{why}]]。将从最新的完整检查点继续；下一步：{wake}。",
    "explain-job-FINISHING": "运行已结束[[（{outcome:outcome}）]]。确认为它租用的一切都已消失后才算完成；未结束：{open}。下次查看：{wake}。",
    "explain-job-STOPPING": "正在停止：写最后一个检查点，再释放租用的资源；未结束：{open}。下次查看：{wake}。",
    "explain-job-SUCCEEDED": "顺利结束，没有为它租用任何东西。",
    "explain-job-FAILED": "失败[[：{why}]]。没有为它租用任何东西；日志：tradewind logs。",
    "explain-job-EXPIRED": "到达限制[[：{why}]]。检查点已保留，没有为它租用任何东西。",
    "explain-job-STOPPED": "已被停止。检查点已保留，没有为它租用任何东西。",
}  # fmt: skip
