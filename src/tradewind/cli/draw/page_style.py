"""The look of a page: dark and light by the reader's setting, light on paper; nothing is told by colour alone."""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5a6675; --line: #d5dbe3; --ground: #ffffff; --card: #f4f6f9;
  --mark: #0b62a8; --good: #17703a; --warn: #8a5300; --bad: #b3261e; --dot: #8d99a8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --soft: #a3aebb; --line: #37414e; --ground: #12171d;
  --card: #1b222b; --mark: #69b3f2; --good: #6fcf97; --warn: #f0b35a; --bad: #ff8a80; --dot: #7b8794; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC",
  sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.note, figcaption, footer { color: var(--soft); font-size: .875rem; margin: .25rem 0; }
.bad { color: var(--bad); font-weight: 600; }
dl { margin: .5rem 0; display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .25rem 1rem; }
dt { color: var(--soft); }
dd { margin: 0; grid-column: 2; overflow-wrap: anywhere; }
.verdict { grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .75rem; margin: 1.25rem 0; }
.verdict div { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--mark);
  border-radius: 6px; padding: .75rem 1rem; }
.verdict dd { font-size: 1.1rem; font-weight: 600; }
.verdict dd.note { font-size: .875rem; font-weight: 400; }
.verdict .good { border-left-color: var(--good); }
.verdict .warn { border-left-color: var(--warn); }
figure { margin: 0; }
svg.scaled { width: 100%; height: auto; display: block; }
svg text { fill: var(--soft); font-size: 13px; }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .axis { stroke: var(--soft); stroke-width: 1; }
svg .dot { fill: var(--dot); }
svg line.limit { stroke: var(--warn); stroke-width: 1.5; stroke-dasharray: 6 4; }
svg text.limit { fill: var(--warn); }
svg .unbeaten circle { fill: var(--ground); stroke: var(--mark); stroke-width: 1.5; }
svg .unbeaten text { fill: var(--mark); font-weight: 600; }
svg .chosen circle { fill: var(--mark); stroke: var(--mark); stroke-width: 1.5; }
svg .chosen text { fill: var(--ground); font-weight: 700; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { color: var(--soft); font-weight: 500; white-space: nowrap; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.choices thead th:nth-child(n + 3) { text-align: right; }
tr.chosen { background: var(--card); font-weight: 600; }
details { border-bottom: 1px solid var(--line); padding: .4rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
details dl { margin-left: 1rem; }
ol, ul { padding-left: 1.5rem; margin: .5rem 0; }
li { margin: .35rem 0; overflow-wrap: anywhere; }
footer { margin-top: 2.5rem; }
@media (max-width: 34rem) { dl:not(.verdict) { grid-template-columns: 1fr; } dl:not(.verdict) dd { grid-column: 1; }
  svg.scaled text { font-size: 25px; } svg.scaled g text { font-size: 18px; } .number { white-space: normal; }
  th, td { padding: .35rem .3rem; } td { overflow-wrap: anywhere; }
  .choices :is(th, td):nth-child(n + 5) { display: none; } }
@media print { :root { color-scheme: light; --ink: #000; --soft: #444; --line: #bbb; --ground: #fff; --card: #fff;
  --mark: #0b4a80; --good: #0d5c2c; --warn: #6b4000; --bad: #8c1d17; --dot: #777; }
  body { font-size: 10pt; } main { max-width: none; padding: 0; } .wide { overflow: visible; }
  details::details-content { content-visibility: visible; height: auto; }
  section, tr, li, details, .verdict div { break-inside: avoid; } h2 { break-after: avoid; } }
"""
