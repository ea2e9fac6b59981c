"""Machines rented at clouds, in Chinese: why one is not reached, what its cloud tells it."""
# ruff: noqa: E501  one sentence a line

from __future__ import annotations

TABLE: dict[str, str] = {
    "contact-no-address": "云还没有给它地址",
    "contact-gpus-missing": "它的 GPU 比订购的少",
    "contact-gpus-busy": "它的 GPU 正被别的程序占用",
    "event-rebalance-seen": "被回收的可能变大",
    "event-boot-console": "其控制台最后输出",
    "event-notice-unknown": "听不到回收通知",
    # 被云拒绝的作业：怎么办
    "next-refused-quota": "→ 向云申请更多配额（`tradewind clouds check CLOUD` 会说明是哪一项、在哪里申请），或指定其他 GPU",
    "next-refused-auth": "→ 把 `tradewind clouds policy CLOUD` 打印的权限授予该身份；`tradewind clouds check CLOUD` 会说明缺少哪些",
    "next-refused-money": "→ 结清账号欠款或添加付款方式，然后重新运行",
    "next-refused-price_cap": "→ 重新运行：会按那时的价格重新规划；或提高预算",
    "next-refused-capacity": "→ 指定更多地域、云或 GPU；或稍后再运行",
    "next-refused-invalid": "→ `tradewind explain LEASE` 有这次请求的来龙去脉；请检查 clouds.yaml（镜像、网络、角色）",
}
