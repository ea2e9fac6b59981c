"""中文：目录与报价：列名、说明、刷新。"""

# ruff: noqa: E501  one sentence, one line

from __future__ import annotations

TABLE: dict[str, str] = {
    # 列名与事实
    "col-city": "城市", "col-distance": "距离", "col-ram": "内存", "col-network": "网络", "col-rdma": "RDMA", "col-nvlink": "NVLink",
    "col-carbon": "gCO₂/kWh", "col-converted": "折算", "col-source": "来源", "col-bandwidth": "带宽", "col-link": "互联",
    "col-power": "功耗", "col-cuda": "CUDA", "col-residency": "适用法域", "col-machines": "机型数", "col-priced": "有价机型", "col-carbon-free": "无碳比例",
    "col-prices": "价格数", "col-newest": "最新", "col-refreshed": "刷新于", "col-on-demand-from": "按需最低",
    "col-spot-from": "竞价最低", "col-regions": "地域数", "col-payment": "付款", "col-break-even": "划算起点", "col-way": "购买方式",
    "fp32": "fp32", "tf32": "tf32", "fp16": "fp16", "bf16": "bf16", "fp8": "fp8", "int8": "int8",
    "fact-made": "厂商", "fact-memory": "显存", "fact-peaks": "稠密峰值", "fact-link": "互联", "fact-cuda": "CUDA", "fact-source": "来源",
    "fact-hardware": "硬件", "compute-capability": "计算能力 {value}",
    # 报价表下方
    "prices-from": "价格日期 {dates}：{told}。",
    "age-fresh": "新（≤ 30 天）", "age-dated": "较旧（≤ 12 个月）", "age-old": "旧（≤ 36 个月）", "age-expired": "已过期，不会选用",
    "age-unknown": "未知", "price-own": "自有", "offers-own": "采用自己的价格而非标价：{count} 个。",
    "date-fresh": "{as_of}", "date-dated": "{as_of}", "date-old": "{as_of} 旧", "date-expired": "{as_of} 过期", "date-unknown": "–",
    "rate-used": "折算汇率 1 {base} = {value} {quote}，{as_of}（{source}）。",
    "near-point": "距离自 {name} 起算，为直线距离。",
    "offers-unpriced": "{count} 个没有已知价格，排在最后；tradewind catalog refresh 可向各云询价。",
    "offers-unknown": "{count} 个因{what}未知而未列出。",
    "unknown-price": "价格", "unknown-memory": "显存", "unknown-rdma": " RDMA ", "unknown-nvlink": " NVLink ",
    "unknown-cuda": "支持的 CUDA ", "unknown-carbon": "电网碳强度", "unknown-country": "所在国家", "unknown-region": "所在地域",
    "unknown-form": " GPU 形态", "unknown-gpus": " GPU 数量", "unknown-distance": "距离",
    "overlay-passed-over": "已略过，视同不存在：{file}（{why}）。",
    # catalog show、gpus、regions、list
    "head-machines": "机型", "machines-note": "各地域中最低的每小时价格，不含已过期的", "head-prices": "价格",
    "prices-more": "另有 {count} 条：--json 给出全部", "head-claims": "流传的数字，已核对", "claim-said": "“{said}”：{verdict}",
    "sheets-legend": "稠密峰值，单位 TFLOPS（int8 为 TOPS），取自规格书；互联：GPU 之间双向合计；CUDA：从最早版本到最后的主版本。",
    "no-regions": "该处没有已知的地域。",
    "regions-legend": "碳：电网年均值，每 kWh 的 CO₂ 克数，相差不到 20 % 没有意义。无碳比例：按小时计的占比，仅列云厂商公布的。",
    "head-catalog": "目录", "head-own": "自己的价格", "as-shipped": "随附",
    "catalog-size": "{machines} 种实例规格，{prices} 条价格，{offers} 个报价",
    "catalog-unpriced": "{count} 种实例规格没有任何价格：tradewind catalog refresh 可向各云询价",
    "catalog-left-out": "{count} 种实例规格不出现在任何回答中，因为其 GPU 数量未知",
    "catalog-licence": "数据许可见 LICENSE-DATA；每个价格旁注明来源（--json）。",
    "own-added": "“{name}”已加入目录：{prices} 条自己的价格与标价并列，并优先采用。",
    "own-replaced": "“{name}”已加入目录，替换了先前的：{prices} 条自己的价格。",
    # compare
    "way-estimate": "估计", "purchase-savings_plan": "节省计划", "break-even": "每月 {hours} 小时", "break-even-never": "不划算（超过每月 730 小时）",
    "compare-legend": "“划算起点”：每月用到这么多小时起，承诺购买低于同一机型的按需价；一个月计 730 小时。",
    "month-legend": "“每月”：使用 {hours} 小时；承诺购买无论是否使用都须付满 730 小时。估计取自公布的相对按需价的折扣。",
    "no-ways": "没有已知价格；tradewind catalog refresh 可向各云询价",
    "largest-of": "{asked} 所指 {count} 种中最大的", "col-month": "每月", "col-own-hour": "自有", "col-rented-hour": "租用", "col-even": "自有划算起点",
    "head-rent-or-buy": "租还是买", "rent-or-buy-note": "单张 GPU 使用一小时；购卡价 {price}", "even-never": "按此租价永不划算",
    "even-at": "全部时间的 {share}（每月 {hours} 小时）", "input-watts": "满载功耗：{watts}",
    # refresh
    "col-rate": "汇率", "col-rate-value": "一单位折合", "col-rate-from": "取自",
    "rate-own": "自己的", "rate-refreshed": "已获取", "rate-shipped": "随附",
    "rates-legend": "对同一货币对，以最先列出者为准。适合比较，不适合记账。",
    "outcome-refreshed": "已刷新", "outcome-refused": "已拒绝；仍用上次可信的价格", "outcome-failed": "失败；仍用上次可信的价格",
    "outcome-not_configured": "未配置",
    "refresh-step": "{cloud} {part}：{done} / {parts} 部分，{prices} 条价格",
    "refresh-waiting": "{cloud} {part}：云要求暂停 {seconds} 秒",
    "refresh-told": "得到 {prices} 条价格和 {machines} 种机型",
    "refresh-changes": "新增 {new}，消失 {gone}，涨价 {dearer}，降价 {cheaper}，不变 {same}",
    "refresh-went-on": "从上次中断处继续", "refresh-spot": "竞价价格新增 {count} 个点",
    "refresh-skipped": "{count} 项未能理解：{names}", "refresh-no-machine": "{count} 种没有已知机型，未采用：{names}",
    "refresh-part-failed": "{part} 保持原样：{why}", "head-largest": "变化最大的",
    "refresh-cut-off": "已中断：下次 tradewind catalog refresh 从此处继续。",
}  # fmt: skip
