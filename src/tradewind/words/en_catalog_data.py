"""English: the catalog and its offers: columns, remarks, refreshes."""

# ruff: noqa: E501  one sentence, one line

from __future__ import annotations

TABLE: dict[str, str] = {
    # columns and facts
    "col-city": "city", "col-distance": "distance", "col-ram": "RAM", "col-network": "network", "col-rdma": "RDMA", "col-nvlink": "NVLink",
    "col-carbon": "gCO₂/kWh", "col-converted": "converted", "col-source": "source", "col-bandwidth": "bandwidth", "col-link": "link",
    "col-power": "power", "col-cuda": "CUDA", "col-residency": "law of", "col-machines": "machines", "col-priced": "priced machines", "col-carbon-free": "carbon-free",
    "col-prices": "prices", "col-newest": "newest", "col-refreshed": "refreshed", "col-on-demand-from": "on-demand from",
    "col-spot-from": "spot from", "col-regions": "regions", "col-payment": "paid", "col-break-even": "pays from", "col-way": "bought",
    "fp32": "fp32", "tf32": "tf32", "fp16": "fp16", "bf16": "bf16", "fp8": "fp8", "int8": "int8",
    "fact-made": "made by", "fact-memory": "memory", "fact-peaks": "dense peak", "fact-link": "link", "fact-cuda": "CUDA", "fact-source": "source",
    "fact-hardware": "hardware", "compute-capability": "compute capability {value}",
    # below a table of offers
    "prices-from": "Prices of {dates}: {told}.",
    "age-fresh": "fresh (≤ 30 days)", "age-dated": "dated (≤ 12 months)", "age-old": "old (≤ 36 months)", "age-expired": "expired, never chosen",
    "age-unknown": "unknown", "price-own": "yours", "offers-own": "Your own prices, in place of the listed ones: {count}.",
    "date-fresh": "{as_of}", "date-dated": "{as_of}", "date-old": "{as_of} old", "date-expired": "{as_of} expired", "date-unknown": "–",
    "rate-used": "Converted at 1 {base} = {value} {quote}, {as_of} ({source}).",
    "near-point": "Distances are from {name}, as the crow flies.",
    "offers-unpriced": "{count} without a known price stand at the end; tradewind catalog refresh asks the clouds.",
    "offers-unknown": "{count} left out because {what} is unknown.",
    "unknown-price": "their price", "unknown-memory": "their GPU memory", "unknown-rdma": "their RDMA", "unknown-nvlink": "their NVLink",
    "unknown-cuda": "which CUDA they run", "unknown-carbon": "their grid's carbon", "unknown-country": "their country", "unknown-region": "their region",
    "unknown-form": "the form of their GPU", "unknown-gpus": "their number of GPUs", "unknown-distance": "how far they are",
    "overlay-passed-over": "Passed over, as if it were not there: {file} ({why}).",
    # catalog show, gpus, regions, list
    "head-machines": "Machines", "machines-note": "cheapest price an hour of all regions, expired ones left out", "head-prices": "Prices",
    "prices-more": "{count} more: --json has them all", "head-claims": "Figures in circulation, checked", "claim-said": "“{said}”: {verdict}",
    "sheets-legend": "Dense peaks, in TFLOPS (int8: TOPS), from data sheets; link: GPU to GPU, both directions together; CUDA: from the first version to the last major one.",
    "no-regions": "No region is known there.",
    "regions-legend": "Carbon: annual mean of the grid, g CO₂ for each kWh; differences under 20 % mean nothing. Carbon-free: share of hours, where the cloud publishes it.",
    "head-catalog": "Catalog", "head-own": "Your own prices", "as-shipped": "as shipped",
    "catalog-size": "{machines} instance types, {prices} prices, {offers} offers",
    "catalog-unpriced": "{count} instance types without any price: tradewind catalog refresh asks the clouds",
    "catalog-left-out": "{count} instance types are in no answer, because how many GPUs they have is not known",
    "catalog-licence": "Data: see LICENSE-DATA; sources beside each price (--json).",
    "own-added": "“{name}” is in the catalog: {prices} of your own prices stand beside the listed ones, and win.",
    "own-replaced": "“{name}” is in the catalog in place of the earlier one: {prices} of your own prices.",
    # compare
    "way-estimate": "estimate", "purchase-savings_plan": "savings plan", "break-even": "{hours} h a month", "break-even-never": "never (more than 730 h a month)",
    "compare-legend": "“pays from”: hours a month from which a commitment costs less than the same machine on demand; a month has 730 h.",
    "month-legend": "“a month”: {hours} h of use; a commitment is owed for all 730 h, used or not. Estimates are published discounts on the on-demand price.",
    "no-ways": "no price is known; tradewind catalog refresh asks the clouds",
    "largest-of": "the largest of {count} that {asked} means", "col-month": "a month", "col-own-hour": "owned", "col-rented-hour": "rented", "col-even": "owning pays from",
    "head-rent-or-buy": "Rent or buy", "rent-or-buy-note": "one GPU for an hour of use; a card costs {price}", "even-never": "never at this rent",
    "even-at": "{share} of all hours ({hours} h a month)", "input-watts": "power under load: {watts}",
    "col-rate": "rate", "col-rate-value": "one is", "col-rate-from": "from",
    "rate-own": "your own", "rate-refreshed": "asked for", "rate-shipped": "shipped",
    "rates-legend": "The first that speaks of two currencies holds. Good for comparing, not for accounting.",
    # refresh
    "outcome-refreshed": "refreshed", "outcome-refused": "refused; the last good prices stay in force", "outcome-failed": "failed; the last good prices stay in force",
    "outcome-not_configured": "not configured",
    "refresh-step": "{cloud} {part}: {done} of {parts} parts, {prices} prices",
    "refresh-waiting": "{cloud} {part}: the cloud asks for a pause of {seconds} s",
    "refresh-told": "{prices} prices and {machines} machines were told",
    "refresh-changes": "{new} new, {gone} gone, {dearer} dearer, {cheaper} cheaper, {same} as before",
    "refresh-went-on": "went on where an earlier refresh was cut off", "refresh-spot": "{count} new points of spot prices",
    "refresh-skipped": "{count} not understood: {names}", "refresh-no-machine": "{count} without a machine that is known, left out: {names}",
    "refresh-part-failed": "{part} is as before: {why}", "head-largest": "largest changes",
    "refresh-cut-off": "Cut off: the next tradewind catalog refresh goes on from here.",
}  # fmt: skip
