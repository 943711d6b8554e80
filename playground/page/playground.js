// The page: the form, and what comes of a search.
import {Engine} from "./engine.js";
import {control, element} from "./controls.js";
import * as link from "./link.js";

const $ = (id) => document.getElementById(id);
const first = {lock: "setpx", scenario: "gc-pause", seed: "1", runs: "50"};
// Which parameters have a slider at once, besides those of the scenario's faults.
const main = ["lease", "ttl", "clients"];

let catalogue, engine, drawer;
let controls = [];
let show = ""; // the finding that the link names, as property or property~limit
let now = null; // the search at hand: what was asked for, its findings, its end
let shown = null; // the finding that is shown
let queue = []; // searches of "try all" that are to come
let moved = null; // the control that was moved last: its verdicts are kept

const listed = (text) => (text || "").split(" ").filter(Boolean).map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]);
const grouped = (n) => n.toLocaleString("en");
const megabytes = (n) => (n / 1e6).toFixed(1);
const violation = (f) => f.property + (f.limit ? "~limit" : "");
const lockOf = (id) => catalogue.locks.find((l) => l.id === id);
const scenarioOf = (id) => catalogue.scenarios.find((s) => s.id === id);
const cell = () => scenarioOf($("scenario").value).cells[$("lock").value];

const say = (text) => { $("status").textContent = text; };
const trouble = (text) => { $("trouble").textContent = text; $("trouble").hidden = !text; };
const bar = (done, of) => {
  if (of === undefined) $("bar").removeAttribute("value");
  else { $("bar").max = of; $("bar").value = done; }
};

// fill fills a choice, in groups.
const fill = (select, groups, value) => {
  select.replaceChildren(...groups.filter(([, list]) => list.length > 0).map(([name, list]) =>
    element("optgroup", {label: name}, ...list.map(([id, text]) => element("option", {value: id}, text)))));
  select.value = value;
  select.disabled = false;
};

// choose shows a choice in the form. What does not exist or does not apply is said, and left out.
const choose = (chosen) => {
  const wrong = [];
  const lock = chosen.lock ?? first.lock;
  if (!lockOf(lock)) wrong.push(`There is no lock ${lock}.`);
  const locks = catalogue.stores.flatMap((s) => [[s.name, false], [`${s.name}, flawed`, true]].map(([name, flawed]) =>
    [name, catalogue.locks.filter((l) => l.store === s.id && Boolean(l.flawed) === flawed).map((l) => [l.id, l.id])]));
  fill($("lock"), locks, lockOf(lock) ? lock : first.lock);
  const scenarios = catalogue.scenarios.filter((s) => s.cells[$("lock").value]);
  const scenario = chosen.scenario ?? first.scenario;
  const applies = scenarios.some((s) => s.id === scenario);
  if (!applies) wrong.push(scenarioOf(scenario) ? `The scenario ${scenario} does not apply to ${$("lock").value}.` : `There is no scenario ${scenario}.`);
  fill($("scenario"), [["Scenarios", scenarios.map((s) => [s.id, s.id])]], applies ? scenario : (scenarios.find((s) => s.id === first.scenario) ?? scenarios[0]).id);
  $("seed").value = chosen.seed ?? first.seed;
  $("runs").value = chosen.runs ?? first.runs;
  const l = lockOf($("lock").value);
  $("lock-about").textContent = l.summary;
  $("scenario-about").textContent = scenarioOf($("scenario").value).summaries[l.store];
  show = chosen.show ?? "";
  moved = null;
  wrong.push(...parameters(chosen.parameters ?? {}));
  trouble(wrong.join(" "));
};

// parameters makes the controls. It returns what is wrong with the values.
const parameters = (set) => {
  const usual = new Map(listed(cell().values));
  const needed = new Map(listed(cell().set));
  const ranges = catalogue.stores.find((s) => s.id === lockOf($("lock").value).store).parameters;
  const faults = ranges.slice(ranges.findIndex((r) => r.name === "events") + 1).map((r) => r.name);
  controls = ranges.map((r) => {
    const fallback = r.name === "lease" ? "" : r.names ? r.names[0] : "0";
    const common = usual.get(r.name) ?? fallback;
    return control(r, common, set[r.name] ?? common, changed, tryAll);
  });
  const front = (c) => main.includes(c.name) || c.value !== c.usual || needed.has(c.name) || (faults.includes(c.name) && usual.has(c.name));
  $("sliders").replaceChildren(...controls.filter(front).map((c) => c.element));
  $("others").replaceChildren(...controls.filter((c) => !front(c)).map((c) => c.element));
  return Object.keys(set).filter((name) => !controls.some((c) => c.name === name)).map((name) => `There is no parameter ${name}.`);
};

// chosen is what the form says.
const chosen = () => ({
  lock: $("lock").value, scenario: $("scenario").value, seed: $("seed").value, runs: $("runs").value, show,
  parameters: Object.fromEntries(controls.filter((c) => c.value !== c.usual).map((c) => [c.name, c.value])),
});

// asked is the search of a choice, as the program reads it.
const asked = (c) => ({
  scenario: c.scenario, lock: c.lock, seed: c.seed, schedules: Number(c.runs), show: c.show,
  parameters: [...listed(cell().set), ...Object.entries(c.parameters)].map(([name, value]) => ({name, value})),
});

const keep = () => history.replaceState(null, "", link.write(chosen()));

let soon = 0;
// forget drops verdicts that were found with other settings.
const forget = (but) => {
  moved = but;
  for (const c of controls) if (c !== but && c.verdicts.size > 0) { c.verdicts.clear(); c.shown(); }
};

// changed begins anew a moment after a control was moved.
const changed = (c) => {
  forget(c);
  keep();
  clearTimeout(soon);
  soon = setTimeout(search, 250);
};

// search begins a search, in place of the one at hand.
const search = () => {
  clearTimeout(soon);
  if (!$("form").reportValidity()) return;
  queue = [];
  engine.stop();
  keep();
  trouble("");
  begin(chosen(), null);
};

// begin asks for a search: trying is the control that it tries a value of, null for the search that is shown.
const begin = (choice, trying, value) => {
  now = {choice, trying, value, findings: [], end: null, started: performance.now()};
  if (!trying) {
    shown = null;
    for (const id of ["verdict", "meaning", "properties", "again", "findings", "picture"]) $(id).hidden = true;
  }
  $("stop").disabled = false;
  if (engine.ready) say("Searching…");
  engine.ask("search", JSON.stringify(asked(choice)), now);
};

// tryAll searches with each value of a parameter.
const tryAll = (c) => {
  if (!$("form").reportValidity()) return;
  engine.stop();
  trouble("");
  forget(c);
  c.verdicts.clear();
  const base = chosen();
  queue = c.list.map((value) => () => {
    const all = {...base.parameters, [c.name]: value};
    if (value === c.usual) delete all[c.name];
    begin({...base, parameters: all}, c, value);
  });
  queue.push(() => begin(base, null));
  queue.shift()();
};

// verdictOf is a result in a word for its color and a text.
const verdictOf = (end) => {
  const faults = end.verdicts.some((v) => v.faults > 0), limits = end.verdicts.some((v) => v.limits > 0);
  if (faults) return {kind: "fault", text: "The lock is broken", more: "Some property is violated as a fault of the lock, and not merely because a lease ended."};
  if (limits) return {kind: "limit", text: "A limit of leases", more: "What is violated is a limit that every lease has: it ended, as granted, while its holder was held up. Fencing, or a longer lease, helps."};
  if (end.interrupted) return {kind: "open", text: "Stopped", more: "Nothing was found before the search was stopped."};
  if (end.word === "none-found") return {kind: "none", text: "Nothing found", more: "All schedules of this search keep every property. Another seed, or more schedules, may find more."};
  if (end.word === "vacuous") return {kind: "open", text: "Nothing to be seen", more: `What the scenario is about has not happened: ${end.missing.join("; ")}.`};
  return {kind: "open", text: `No result: ${end.word}`, more: "Some runs did not finish, or could not be judged."};
};

// sayVerdict shows a verdict.
const sayVerdict = ({kind, text, more}) => {
  $("verdict").className = `verdict ${kind}`;
  $("verdict").textContent = text;
  $("meaning").textContent = more;
  $("verdict").hidden = $("meaning").hidden = false;
};

// soFar shows the verdict of the findings so far, while the search goes on.
const soFar = () => {
  const v = verdictOf({word: "none-found", verdicts: now.findings.map((f) => ({faults: f.limit ? 0 : 1, limits: f.limit ? 1 : 0}))});
  if (v.kind === "none") sayVerdict({kind: "open", text: "Nothing found so far", more: "No schedule has violated a property yet. The search goes on."});
  else sayVerdict(v.kind === "limit" ? {...v, text: `${v.text}, so far`} : v);
};

// fewest is the number of schedules before it is said that nothing was found so far.
const fewest = 10;

// sizeOf says how much of a program is loaded, and how much there is.
const sizeOf = (program, m) => [m.loaded, catalogue.programs[program][m.zipped ? "packed" : "size"]];

const tell = {
  loading: (m) => { const [n, of] = sizeOf("lockpick", m); say(`Loading the program: ${megabytes(n)} of ${megabytes(of)} MB`); bar(n, of); },
  ready: () => { say(now ? "Searching…" : "Ready."); bar(0, 1); },
  progress: (m) => {
    say(`${now?.trying ? `${now.trying.name} ${now.value || "= ttl"}: ` : ""}${grouped(m.schedules)} of ${grouped(m.of)} schedules, ${grouped(m.classes)} kinds of runs`);
    bar(m.schedules, m.of);
    if (!now.trying && (now.findings.length > 0 || m.schedules >= fewest)) soFar();
  },
  found: (m) => {
    now.findings.push(m);
    if (now.trying) return;
    soFar();
    findings();
  },
  shown: (m) => {
    if (now.trying) return;
    shown = m;
    now.findings[m.found.number] = m.found;
    findings();
    draw();
  },
  shrinking: (m) => {
    say(m.needs ? `What it needs: ${grouped(m.runs)} of at most ${grouped(m.atMost)} runs` : `Shrinking: ${grouped(m.runs)} of at most ${grouped(m.atMost)} runs, ${grouped(m.before)} → ${grouped(m.deviations)} deviations`);
    bar(m.runs, m.atMost);
  },
  end: (m) => {
    now.end = m;
    const verdict = verdictOf(m);
    if (now.trying) {
      if (!m.interrupted) now.trying.verdicts.set(now.value, verdict);
      now.trying.shown();
      if (queue.length > 0 && !m.interrupted) queue.shift()();
      return;
    }
    ended(m, verdict);
  },
  idle: () => {
    if (engine.busy) return;
    $("stop").disabled = true;
    bar(1, 1);
    if (now?.end && !now.trying) {
      say(`${grouped(now.end.schedules)} schedules, ${grouped(now.end.events)} events, ${((now.took ?? 0) / 1000).toFixed(1)} s`);
    }
  },
  compared: (m) => {
    const text = m.differ === 0 ? `${m.lock} in ${m.scenario}: ${m.runs} runs are the same` : `${m.lock} in ${m.scenario}: ${m.differ} of ${m.runs} runs differ`;
    $("said").append(element("span", {class: m.differ === 0 ? "good-text" : "fault-text"}, `${text}. `));
  },
  failed: (m) => { trouble(m.reason); },
  unusable: (m) => { say("The program could not be loaded."); bar(0, 1); trouble(m.reason); $("stop").disabled = true; },
};

// hear takes a message that is about a search. Those about one that another has replaced are of no use.
const hear = (m, about) => {
  if (["loading", "ready", "unusable", "idle"].includes(m.type) || (now && about === now)) tell[m.type]?.(m);
};

// ended shows the result of a search.
const ended = (m, verdict) => {
  now.took = performance.now() - now.started;
  sayVerdict(verdict);
  $("hash").textContent = m.hash;
  $("command").textContent = m.command;
  $("properties").querySelector("tbody").replaceChildren(...m.verdicts.map((v) => {
    const words = [];
    if (v.faults > 0) words.push(element("b", {class: "fault-text"}, `${grouped(v.faults)} as a fault`));
    if (v.limits > 0) words.push(element("b", {class: "limit-text"}, `${grouped(v.limits)} as a limit of leases`));
    if (v.undecided > 0) words.push(element("span", {}, `${grouped(v.undecided)} undecided`));
    if (words.length === 0) words.push(element("span", {class: "good-text"}, "none"));
    return element("tr", {}, element("th", {scope: "row", title: catalogue.properties[v.property]}, v.property), element("td", {}, ...words.flatMap((w, i) => i > 0 ? [", ", w] : [w])));
  }));
  for (const id of ["properties", "again"]) $(id).hidden = false;
  if (show && now.findings.length > 0 && !now.findings.some((f) => violation(f) === show)) engine.ask("show", 0, now);
  if (moved && !m.interrupted) { moved.verdicts.set(moved.list[moved.index()], verdict); moved.shown(); }
  document.documentElement.dataset.searched = String(Number(document.documentElement.dataset.searched ?? 0) + 1);
  if (m.troubles) trouble(m.troubles.join("\n"));
};

// findings shows the findings so far, and the words of the one that is shown.
const findings = () => {
  $("findings").hidden = false;
  $("list").replaceChildren(...now.findings.map((f) => element("button", {
    type: "button", class: f.limit ? "limit" : "fault", "aria-pressed": String(shown?.found.number === f.number),
    onclick: () => { show = violation(f); keep(); engine.ask("show", f.number, now); },
  }, f.property + (f.limit ? " (limit)" : ""))));
  for (const id of ["sentence", "origin"]) $(id).hidden = !shown;
  for (const id of ["shrink", "download"]) $(id).disabled = !shown;
  if (!shown) return;
  $("sentence").textContent = shown.found.sentence;
  $("origin").replaceChildren(`Schedule ${grouped(shown.found.schedule)}${shown.shrunk ? ", shrunk" : ""}, hash `, element("code", {id: "found-hash"}, shown.found.hash));
  $("story").textContent = shown.story ?? "";
  $("shrink").disabled = shown.shrunk;
};

// draw has the finding that is shown drawn, by a program that is loaded with the first finding.
const draw = () => {
  drawer ??= new Engine("drawing", drawn, (reason) => { notDrawn(`it was ended: ${reason}`); });
  $("drawing").textContent = drawer.ready ? "Drawing it…" : "Loading the program that draws…";
  $("drawing").hidden = false;
  drawer.ask("draw", JSON.stringify({trace: shown.trace, command: shown.command}), shown);
};

const notDrawn = (reason) => { $("drawing").textContent = `It cannot be drawn: ${reason}.`; };

// drawn takes a message of the program that draws, and what it is about.
const drawn = (m, about) => {
  switch (m.type) {
    case "loading": {
      const [n, of] = sizeOf("drawing", m);
      $("drawing").textContent = `Loading the program that draws: ${megabytes(n)} of ${megabytes(of)} MB`;
      return;
    }
    case "unusable":
    case "failed":
      notDrawn(m.reason);
      return;
    case "drawn":
      if (about !== shown) return; // another is shown by now
      shown.story = m.story;
      $("story").textContent = m.story;
      $("drawing").hidden = true;
      picture(m.page);
  }
};

// picture shows the page of a trace, as high as it is.
const picture = (page) => {
  const frame = $("picture");
  frame.hidden = false;
  frame.onload = () => {
    const fit = () => { frame.style.height = `${Math.max(frame.contentDocument.documentElement.scrollHeight + 4, 300)}px`; };
    const body = frame.contentDocument.body;
    fit();
    new ResizeObserver(() => { frame.style.height = `${Math.max(Math.ceil(body.getBoundingClientRect().height) + 48, 300)}px`; }).observe(body);
  };
  frame.srcdoc = page;
};

const stop = () => {
  queue = [];
  clearTimeout(soon);
  engine.stop();
  if (engine.busy) return;
  now = null; // the program is being loaded
  $("stop").disabled = true;
};

const copy = async () => {
  keep();
  try {
    await navigator.clipboard.writeText(location.href);
    $("said").textContent = "The link is in the clipboard.";
  } catch {
    $("said").textContent = "The address of this page is the link.";
  }
};

const download = () => {
  const address = URL.createObjectURL(new Blob([shown.trace], {type: "application/json"}));
  element("a", {href: address, download: `${now.choice.scenario}_${now.choice.lock}_${violation(shown.found).replace("~", "_")}.json`}).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
};

const listen = () => {
  $("form").addEventListener("submit", (event) => { event.preventDefault(); show = ""; search(); });
  $("stop").addEventListener("click", stop);
  $("reset").addEventListener("click", () => { choose({lock: $("lock").value, scenario: $("scenario").value}); search(); });
  for (const id of ["lock", "scenario"]) {
    $(id).addEventListener("change", () => { choose({lock: $("lock").value, scenario: $("scenario").value, seed: $("seed").value, runs: $("runs").value}); const said = $("trouble").textContent; search(); trouble(said); });
  }
  for (const id of ["seed", "runs"]) $(id).addEventListener("change", () => { forget(null); search(); });
  $("link").addEventListener("click", copy);
  $("download").addEventListener("click", download);
  $("shrink").addEventListener("click", () => { $("shrink").disabled = true; $("stop").disabled = false; engine.ask("shrink", shown.found.number, now); });
  $("compare").addEventListener("click", () => { $("said").replaceChildren(); $("stop").disabled = false; engine.ask("compare", JSON.stringify(catalogue.known), now); });
  addEventListener("hashchange", () => { choose(link.read(location.hash)); const said = $("trouble").textContent; search(); trouble(said); });
};

const open = async () => {
  const response = await fetch("catalogue.json");
  if (!response.ok) throw new Error(`catalogue.json: ${response.status}`);
  catalogue = await response.json();
  $("version").textContent = `Lockpick ${catalogue.version}.`;
  engine = new Engine("lockpick", hear, (reason) => {
    queue = [];
    now = null;
    $("stop").disabled = true;
    trouble(`The search was ended, and its worker started again: ${reason}.`);
    say("The search was ended.");
    bar(0, 1);
  }, early);
  listen();
  choose(link.read(location.hash));
  const said = $("trouble").textContent;
  $("go").disabled = false;
  search();
  trouble(said);
};

open().catch((error) => { say("The playground cannot begin."); trouble(String(error.message || error)); });
