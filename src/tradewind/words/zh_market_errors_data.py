"""Chinese: errors of traces and of simulations, by code as (what happened, why, next step)."""

from __future__ import annotations

TABLE: dict[str, tuple[str, str, str]] = {
    "trace-without-rehearse": (
        "--trace 需要 --rehearse",
        "只有预演才会重放轨迹。",
        "请加上 --rehearse；或只推算、不运行：tradewind simulate JOB.yaml --trace …",
    ),
    "needs-trace": ("{option} 需要 --trace", "它说明如何重放轨迹。", "请加上 --trace NAME，或去掉 {option}。"),
    "trace-speed-unreadable": (
        "--trace-speed：`{text}` 不是速度",
        "",
        "请给出 auto，或本机 1 秒代表轨迹中的多少秒（至多 {most}）：--trace-speed 600",
    ),
    # spot traces, simulate
    "trace-unknown": (
        "没有名为 `{name}` 的轨迹，也没有这个文件",
        "[[最接近的：{nearest}。]]自带的有：{known}。",
        "请给出其中之一，或 .csv、.npz 文件的路径（docs/simulate.md）。",
    ),
    "trace-file-unreadable": ("{file} 无法读取", "{cause}", "请检查路径和读取权限。"),
    "trace-file-large": ("{file} 超过 {limit_mb} MB", "", "请截短轨迹，或取更大的间隔。"),
    "trace-file-not-text": (
        "{file} 既不是 UTF-8 的 CSV，也不是 .npz 文件",
        "",
        "docs/simulate.md 给出两种文件的样子。",
    ),
    "trace-file-faulty": ("{file} 有 {count} 处错误：轨迹未被使用", "", "请改正这些行；docs/simulate.md 有示例。"),
    "trace-file-empty": ("没有任何可用区的行。", "", "请加上行：zone,tick,available。"),
    "trace-file-long": ("各可用区合计超过 {limit} 个时刻。", "", "请截短，或取更大的间隔。"),
    "trace-column-missing": ("缺少列 `{column}`。", "", "共有：{known}。"),
    "trace-row-short": ("有 {cells} 格，应为 {wanted} 格。", "", "每行的格数与列数相同。"),
    "trace-comment-wrong": ("`# {key}: {text}` 不是正数。", "", "请写在各行之上：# {key}: 300"),
    "trace-tick-wrong": ("`{text}` 不是 {zone} 的下一个时刻。", "", "每个可用区从时刻 0 开始，逐行递增。"),
    "trace-tick-late": ("{zone} 超出了文件的 {ticks} 个时刻。", "", "请改正 `# ticks:`。"),
    "trace-available-wrong": ("`{text}` 既不是 1 也不是 0。", "", "1：可以租到；0：租不到。"),
    "trace-price-wrong": ("`{text}` 不是价格。", "", "一台机器每小时的美元数，或留空。"),
    "trace-npz-damaged": ("{file} 已损坏，或不是 numpy 的 .npz 文件", "{cause}", "请用 numpy.savez 重新写出。"),
    "trace-array-missing": ("{file} 没有数组 `{name}`", "", "docs/simulate.md 列出轨迹的各数组。"),
    "trace-array-wrong": (
        "{file}：数组 `{name}` 不能使用",
        "其形状为 {shape}；应为 {wanted} 的有限数。",
        "docs/simulate.md 列出轨迹的各数组。",
    ),
    "trace-meta-wrong": ("{file}：`meta` 中的 `{key}` 缺失或不能使用", "", "docs/simulate.md 给出 `meta` 的内容。"),
    "trace-and-market": ("--trace 与 --market 不能同时给出", "行情要么是实测的，要么是生成的。", "请只给一个。"),
    "seed-and-market": ("--seed 用于轨迹", "生成的行情的种子在 --market 中。", "请只给 --market SEED。"),
    "policy-unknown": (
        "没有名为 `{name}` 的策略",
        "[[最接近的：{nearest}。]]共有：{known}。",
        "请给出其中一个或几个，用逗号隔开。",
    ),
    "simulate-nothing-fits": (
        "计划中没有可模拟的机器",
        "没有机器满足任务文件的要求。",
        "tradewind plan 会说明需要的改动。",
    ),
    "simulate-no-on-demand": (
        "计划中没有可以退守的按需机器",
        "没有它就保不住期限，也无从比较。",
        "请允许按需（budget.purchase: auto），或提高 budget.limit。",
    ),
}
