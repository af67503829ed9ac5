/** The page's style sheet: light and dark themes by system setting, narrow screens, print. */
export const STYLE = `
:root { color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --ink: #1c2330; --soft: #566072; --line: #dde1e8; --band: #c9d8f5; --accent: #2456b8;
  --passed: #2b8a57; --others: #c96a3d; --wrong_answer: #c23b4b; --runtime_error: #d9822b; --timeout: #7a55c7;
  --memory_exceeded: #2f7fc1; --output_exceeded: #1e9aa0; --compile_error: #8c6d46; --refused: #b0569b; --failed: #a64b3c;
  --judge_error: #5f7a2f; --unverified: #4a5fb0; --skipped: #a3abb8; --fault: #3b4252; --warn: #fff4d6; --warn-line: #d9a514; }
@media screen and (prefers-color-scheme: dark) { :root {
  --ground: #12161d; --card: #1a202a; --ink: #e6eaf1; --soft: #a4afc0; --line: #303947; --band: #2f4673; --accent: #8db4ff;
  --passed: #4cb782; --others: #e08c5f; --wrong_answer: #e8616f; --runtime_error: #eda55a; --timeout: #a88bea;
  --memory_exceeded: #62a8e5; --output_exceeded: #4cc0c5; --compile_error: #bd9c70; --refused: #d684c2; --failed: #d0796a;
  --judge_error: #9dbb63; --unverified: #8598e6; --skipped: #687386; --fault: #d5dbe6; --warn: #3a3117; --warn-line: #d9a514; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
.page { max-width: 72rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .75rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .4rem; }
p { margin: .4rem 0; } a { color: var(--accent); }
.soft { color: var(--soft); } .small { font-size: .875rem; }
section, .key { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
section { padding: 1.25rem; margin-top: 1.25rem; }
.keys { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 1.25rem 0 0; padding: 0; }
.key { padding: .8rem 1rem; display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.key dd { margin: 0; font-size: 1.6rem; font-weight: 650; line-height: 1.2; font-variant-numeric: tabular-nums; }
.key dt { color: var(--soft); font-size: .875rem; }
.key .small { display: block; font-weight: 400; line-height: 1.35; color: var(--soft); }
.alert { background: var(--warn); border: 1px solid var(--warn-line); border-radius: .75rem; padding: .7rem 1rem; margin-top: 1.25rem; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr)); gap: 0 1.25rem; } .two > section { min-width: 0; }
svg { display: block; width: 100%; height: auto; overflow: visible; font-size: 13px; max-width: 38rem; }
svg.shares { max-width: none; height: 1.75rem; border-radius: .4rem; overflow: hidden; margin-bottom: .75rem; }
svg text { fill: var(--soft); } svg text.strong { fill: var(--ink); }
.grid { stroke: var(--line); } .axis { stroke: var(--soft); } .band { fill: var(--band); } .dot { fill: var(--accent); }
.v-passed { fill: var(--passed); background: var(--passed); } .v-others { fill: var(--others); background: var(--others); }
.v-wrong_answer { fill: var(--wrong_answer); background: var(--wrong_answer); }
.v-runtime_error { fill: var(--runtime_error); background: var(--runtime_error); }
.v-timeout { fill: var(--timeout); background: var(--timeout); }
.v-memory_exceeded { fill: var(--memory_exceeded); background: var(--memory_exceeded); }
.v-output_exceeded { fill: var(--output_exceeded); background: var(--output_exceeded); }
.v-judge_error { fill: var(--judge_error); background: var(--judge_error); } .v-unverified { fill: var(--unverified); background: var(--unverified); }
.v-compile_error { fill: var(--compile_error); background: var(--compile_error); }
.v-refused { fill: var(--refused); background: var(--refused); } .v-failed { fill: var(--failed); background: var(--failed); }
.v-skipped { fill: var(--skipped); background: var(--skipped); } .v-fault { fill: var(--fault); background: var(--fault); }
.swatch { display: inline-block; width: .8em; height: .8em; border-radius: .2em; margin-right: .5em; vertical-align: -.05em; }
.scroll { overflow-x: auto; } .remarks { max-height: 26rem; overflow-y: auto; } .scroll:focus-visible, summary:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .4rem .75rem .4rem 0; border-top: 1px solid var(--line); vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
thead th { border-top: 0; color: var(--soft); font-weight: 600; font-size: .875rem; white-space: nowrap; }
tbody th { font-weight: 500; overflow-wrap: anywhere; min-width: 9rem; } .number { text-align: right; white-space: nowrap; }
thead button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
thead button::after { content: "\\2195"; opacity: .45; margin-left: .3em; }
[aria-sort=ascending] button::after { content: "\\2191"; opacity: 1; } [aria-sort=descending] button::after { content: "\\2193"; opacity: 1; }
.tools { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin-bottom: .75rem; } .tools[hidden] { display: none; }
.tools label { font-size: .875rem; color: var(--soft); display: grid; gap: .2rem; flex: 1 1 12rem; }
.tools output { flex: 1 1 100%; } input, select { font: inherit; color: var(--ink); background: var(--ground); border: 1px solid var(--soft); border-radius: .4rem; padding: .35rem .5rem; width: 100%; height: 2.4rem; }
.verdict { white-space: nowrap; } .number + :not(.number) { padding-left: .75rem; }
.more > td { border-top: 0; padding-top: 0; } .more:has(details:not([open])) > td { padding-bottom: .5rem; }
summary { cursor: pointer; color: var(--accent); }
.sample { border-left: 3px solid var(--line); padding-left: .9rem; margin: .75rem 0; }
pre { background: var(--ground); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem .75rem; margin: .25rem 0 .75rem; font: .8125rem/1.45 ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 24rem; overflow-y: auto; tab-size: 4; }
.tag { display: inline-block; border: 1px solid var(--warn-line); background: var(--warn); border-radius: 1rem; padding: 0 .55rem; font-size: .8125rem; white-space: nowrap; }
@media (max-width: 40rem) { .page { padding: 1.25rem .75rem 3rem; } section { padding: 1rem .85rem; } h1 { font-size: 1.35rem; } svg { font-size: 16px; }   .wide { display: none; } .number, .verdict, thead th { white-space: normal; } th, td { padding-right: .5rem; } tbody th { min-width: 5rem; } }
@media (max-width: 28rem) { .slow { display: none; } }
@media print { :root { color-scheme: light; --ground: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --warn: #fff; }
  body { font-size: 11pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; } .page { max-width: none; padding: 0; } .tools { display: none; }
  section { break-inside: auto; } svg, tr, .key { break-inside: avoid; } pre { max-height: none; overflow: visible; } .scroll { overflow: visible; max-height: none; } thead button::after { content: ""; } }
`
