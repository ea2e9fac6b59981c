"""What reports look like beyond other pages: pictures as wide as the page, their keys, states, long tables."""

REPORT_STYLE = """
:root { --violet: #6b4fa0; --teal: #0f6e6e; }
@media (prefers-color-scheme: dark) { :root { --violet: #b9a3e3; --teal: #5cc8c0; } }
main { max-width: 76rem; }
.verdict { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); }
h3 { font-size: .9375rem; font-weight: 600; margin: .25rem 0; }
.said { font-size: 1.0625rem; margin: .5rem 0; max-width: 60rem; }
.state { font-size: 1rem; font-weight: 600; white-space: nowrap; padding: .1rem .55rem; border: 1.5px solid;
  border-radius: 999px; vertical-align: middle; }
.good { color: var(--good); } .warn { color: var(--warn); } .going { color: var(--mark); }
.verdict .good, .verdict .warn, .verdict .bad { color: inherit; font-weight: inherit; }
.verdict .bad { border-left-color: var(--bad); }
svg.fluid { display: block; overflow: visible; }
svg.fluid text { font-size: 12px; }
svg text.lane { fill: var(--ink); font-size: 12.5px; }
svg text.inside { fill: var(--ground); font-weight: 700; }
svg text.sign { font-size: 13px; font-weight: 700; paint-order: stroke; stroke: var(--ground); stroke-width: 4px;
  stroke-linejoin: round; }
svg text.notice { fill: var(--warn); } svg text.taken, svg text.refused { fill: var(--bad); }
svg .bar { stroke: var(--ground); stroke-width: 1; }
.waiting, .asked, .releasing { fill: var(--dot); background: var(--dot); }
.starting { fill: var(--warn); background: var(--warn); }
.training, .rented { fill: var(--mark); background: var(--mark); }
.ending { fill: var(--dot); background: var(--dot); }
.silent { fill: none; stroke: var(--bad); background: none; }
svg .bar.silent { stroke: var(--bad); stroke-width: 2; stroke-dasharray: 4 3; }
svg .saved { fill: var(--ground); stroke: var(--good); stroke-width: 2; }
svg .saved.complete { fill: var(--good); }
svg .saved.torn { stroke: var(--bad); } svg .saved.unverified { stroke: var(--warn); stroke-dasharray: 3 2; }
.legend { display: flex; flex-wrap: wrap; gap: .15rem 1rem; }
.legend .key { display: inline-block; width: 1.4em; height: .8em; margin-right: .4em; border-radius: 2px; }
.legend .waiting, .legend .asked { height: .2em; vertical-align: .3em; }
.legend .starting, .legend .releasing { height: .45em; vertical-align: .15em; }
.legend .silent { border: 2px dashed var(--bad); }
.charts { display: grid; gap: 1.5rem 2rem; }
@media (min-width: 46rem) { .charts { grid-template-columns: 1fr 1fr; } }
svg .line { fill: none; stroke-width: 1.75; stroke-linejoin: round; }
svg path.band { stroke: none; fill-opacity: .22; }
svg .repeated { stroke-dasharray: 2 3; opacity: .75; }
svg .gap { fill: var(--dot); fill-opacity: .22; }
svg .point { stroke: var(--ground); stroke-width: 1.5; }
svg .line-0 { stroke: var(--mark); } svg .line-1 { stroke: var(--warn); stroke-dasharray: 7 3; }
svg .line-2 { stroke: var(--good); stroke-dasharray: 2 3; }
svg .line-3 { stroke: var(--bad); stroke-dasharray: 9 3 2 3; }
svg .band.line-0, svg .point.line-0 { fill: var(--mark); } svg .band.line-1, svg .point.line-1 { fill: var(--warn); }
svg .band.line-2, svg .point.line-2 { fill: var(--good); } svg .band.line-3, svg .point.line-3 { fill: var(--bad); }
svg .point.line-1, svg .point.line-2, svg .point.line-3, svg .point.line-0 { stroke: var(--ground); }
.stroke { display: inline-block; width: 1.6em; margin-right: .4em; vertical-align: .3em; border-top: 2px solid; }
.stroke.line-0 { border-color: var(--mark); } .stroke.line-1 { border-color: var(--warn); border-top-style: dashed; }
.stroke.line-2 { border-color: var(--good); border-top-style: dotted; }
.stroke.line-3 { border-color: var(--bad); border-top-style: dashed; }
svg .part { stroke: var(--ground); stroke-width: 1.5; }
svg .whisker { stroke: var(--ink); stroke-width: 2; } svg .seen { stroke: var(--bad); stroke-width: 2; }
.swatch { display: inline-block; width: .9em; height: .9em; margin-right: .5em; border-radius: 2px;
  vertical-align: -.1em; }
.part-0 { fill: var(--mark); background: var(--mark); }
.part-1 { fill: var(--good); background: var(--good); }
.part-2 { fill: var(--warn); background: var(--warn); }
.part-3 { fill: var(--violet); background: var(--violet); }
.part-4 { fill: var(--dot); background: var(--dot); }
.part-5 { fill: var(--teal); background: var(--teal); }
.part-6 { fill: var(--soft); background: var(--soft); }
svg text[class^="on-part"] { fill: var(--ground); font-weight: 600; }
tbody th { font-weight: 500; }
.figures thead th:nth-child(n + 2), .attempts thead th:nth-child(n + 3), .money thead th:nth-child(n + 4),
.checkpoints thead th:nth-child(3) { text-align: right; }
.timed th, .checkpoints td:nth-child(2), .date { white-space: nowrap; }
.sources td:nth-child(2) { min-width: 11rem; }
.kind { font-size: .875rem; border: 1px solid var(--line); border-radius: 4px; padding: 0 .4em; white-space: nowrap; }
.kind.measured, .kind.told { border-color: var(--good); color: var(--good); }
.kind.estimated, .kind.assumed, .kind.unknown { border-color: var(--warn); color: var(--warn); border-style: dashed; }
.kind.listed, .kind.computed { border-color: var(--mark); color: var(--mark); }
.events { font-size: .875rem; }
.events td, .events th, .sources td, .money th { overflow-wrap: anywhere; }
pre { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .75rem;
  font-size: .8125rem; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 34rem) { .wide table { font-size: .8125rem; }
  .attempts :is(th, td):nth-child(5), .money :is(th, td):is(:nth-child(2), :nth-child(3)),
  .events :is(th, td):nth-child(3) { display: none; }
  .date, thead th { white-space: normal; }
  table.sources { table-layout: fixed; } .sources td:nth-child(2) { min-width: 0; }
  .sources :is(th, td):nth-child(5) { display: none; } .sources :is(th, td):nth-child(4) { width: 31%; }
  .kind { font-size: .75rem; white-space: normal; } }
@media print { main { max-width: none; } svg, .bar, .swatch, .key, .part { print-color-adjust: exact; }
  .charts { grid-template-columns: 1fr 1fr; } figure, figcaption { break-inside: avoid; }
  section { break-inside: auto; } h2 { margin: 1.2rem 0 .3rem; } h3, thead { break-after: avoid; }
  .said { font-size: 11pt; } table, .kind, pre { font-size: 8.5pt; } th, td { padding: .15rem .4rem; }
  .sources td:nth-child(2) { min-width: 0; } .sources td:nth-child(4) { min-width: 14rem; }
  .sources td:nth-child(2) { white-space: nowrap; } .events { font-size: 8pt; } h2 + p { break-after: avoid; } }
"""
