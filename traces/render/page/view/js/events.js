// The table of events: all of them, searched and filtered.
const body = document.querySelector("#events tbody");
const PORTION = 1000; // rows that are shown at a time
const rows = readRows();
let matches = rows, limit = PORTION, current = -1;

// readRows reads the rows that the table has, and those of the rest, which
// become elements when they are shown.
function readRows() {
  const all = [...body.rows].map((element) => ({
    seq: Number(element.cells[0].textContent), at: num(element, "at"), group: num(element, "g"),
    actor: element.cells[2].textContent, element, text: element.cells[3].textContent,
  }));
  for (const [seq, at, actor, group, what, how] of data.rest || []) {
    all.push({ seq, at, group, actor: data.texts[actor], text: data.texts[what] + data.texts[how] });
  }
  for (const r of all) r.words = (r.seq + " " + r.actor + " " + r.text).toLowerCase();
  return all.sort((a, b) => a.seq - b.seq);
}

function rowElement(r) {
  if (!r.element) {
    const color = data.accounts.find((a) => a.name === r.actor)?.color || "kx";
    r.element = made("tr", [made("td", String(r.seq)), made("td", seconds(r.at, 6)), made("td", r.actor, "actor " + color), made("td", r.text)]);
    r.element.dataset.at = r.at;
  }
  r.element.row = r;
  return r.element;
}

const count = (n) => n.toLocaleString("en");

// showRows shows the events that match, as many as the limit says, and how
// many there are.
function showRows() {
  body.replaceChildren(...matches.slice(0, limit).map(rowElement));
  const left = matches.length - limit;
  $("more").hidden = left <= 0;
  $("more").textContent = "Show " + count(Math.min(left, PORTION)) + " more";
  const all = matches.length === rows.length ? count(rows.length) + " events" : count(matches.length) + " of " + count(rows.length) + " events match";
  $("count").textContent = left > 0 ? all + "; the first " + count(limit) + " are shown" : all;
}

function filter() {
  const words = $("query").value.toLowerCase().split(/\s+/).filter((w) => w);
  const actor = $("actor").value, group = $("group").value, inLens = $("in-lens").checked;
  markRow(-1); // of the matches so far
  seen = [lens.from, lens.to];
  matches = rows.filter((r) => words.every((w) => r.words.includes(w)) && (!actor || r.actor === actor) &&
    (!group || r.group === Number(group)) && (!inLens || r.at >= lens.from && r.at <= lens.to));
  limit = PORTION;
  showRows();
}

// filterSoon keeps a table of what the lens shows true when the lens has moved, but for
// moves to one of its events: seen is the stretch that the table stays for.
let waiting = 0, seen = [];
function filterSoon() {
  if (!$("in-lens").checked || lens.from === seen[0] && lens.to === seen[1]) return;
  clearTimeout(waiting);
  waiting = setTimeout(filter, 150);
}

// markRow makes a row the current one.
function markRow(index) {
  if (current >= 0) matches[current]?.element?.removeAttribute("aria-current");
  current = index;
  if (index < 0) return;
  if (index >= limit) { limit = (Math.floor(index / PORTION) + 1) * PORTION; showRows(); }
  const element = rowElement(matches[index]);
  element.setAttribute("aria-current", "true");
}

// goRow moves the lens to the event of a row.
function goRow(index) {
  markRow(index);
  const r = matches[index];
  centre(r.at);
  clearTimeout(waiting);
  seen = [lens.from, lens.to];
  moveStale();
  showMoment(r.at, r.seq, "event " + r.seq);
  say((index + 1) + " of " + matches.length + ": event " + r.seq + ", " + seconds(r.at, 6) + ", " + r.actor + " " + r.text);
}

// goMatch goes to the next match, or the one before, round and round.
function goMatch(by) {
  if (!matches.length) return say("No event matches.");
  goRow(current < 0 ? (by > 0 ? 0 : matches.length - 1) : (current + by + matches.length) % matches.length);
  reveal(matches[current].element);
}

function onTableKey(event) {
  const by = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
  if (by && matches.length) {
    event.preventDefault();
    markRow(Math.max(0, Math.min(matches.length - 1, current + by)));
    reveal(matches[current].element);
    say(matches[current].element.textContent);
  } else if (event.key === "Enter" && current >= 0) {
    goRow(current);
    reveal(lens.svg);
  }
}

function search() {
  $("events").open = true;
  $("query").focus();
  $("query").select();
}

function startEvents() {
  for (const id of ["query", "actor", "group", "in-lens"]) $(id).addEventListener("input", filter);
  $("query").addEventListener("keydown", (event) => {
    if (event.key === "Enter") { event.preventDefault(); goMatch(event.shiftKey ? -1 : 1); }
    if (event.key === "Escape") { $("query").value = ""; filter(); $("query").blur(); }
  });
  $("more").addEventListener("click", () => { limit += PORTION; showRows(); });
  body.tabIndex = 0;
  body.addEventListener("keydown", onTableKey);
  body.addEventListener("click", (event) => {
    const element = event.target.closest("tr");
    if (!element || String(getSelection())) return;
    goRow(matches.indexOf(element.row));
    reveal(lens.svg);
  });
  showRows();
}
