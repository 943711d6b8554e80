// Details: what is told of a shape, of a moment, and of an operation.
const tip = $("tip");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const beside = matchMedia("(min-width: 1100px)"); // the story stands beside the picture
const reveal = (element) => element.scrollIntoView({ block: "nearest", behavior: still.matches ? "auto" : "smooth" });

// made makes an element with a text, or with children.
function made(name, content, kind) {
  const element = document.createElement(name);
  if (Array.isArray(content)) element.append(...content);
  else element.textContent = content;
  if (kind) element.className = kind;
  return element;
}

const say = (text) => { $("said").textContent = text; };

function showTip(d, x, y) {
  tip.replaceChildren(made("b", d.title), made("div", d.when, "when"), ...(d.lines || []).map((l) => made("div", l)));
  tip.hidden = false;
  const left = Math.min(x + 14, innerWidth - tip.offsetWidth - 8);
  const top = y + 18 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 12 : y + 18;
  tip.style.left = Math.max(4, left) + "px";
  tip.style.top = Math.max(4, top) + "px";
}

// chosen are the shapes of the detail with the index picked.
let chosen = [], picked = null;
function choose(index) {
  picked = index === null ? null : Number(index);
  for (const element of chosen) element.classList.remove("chosen");
  chosen = index === null ? [] : [overview, lens].flatMap((p) => p.shapes.filter((s) => s.detail === index).map((s) => s.element));
  for (const element of chosen) element.classList.add("chosen");
  if (index === null) tip.hidden = true;
}

// under finds the shape at a point, or near it: messages are thin.
function under(event) {
  for (const [dx, dy] of [[0, 0], [0, 2], [0, -2], [2, 0], [-2, 0], [3, 3], [-3, 3], [3, -3], [-3, -3]]) {
    const element = document.elementFromPoint(event.clientX + dx, event.clientY + dy);
    const found = element && element.closest("[data-d]");
    if (found && !found.matches(".epoch, .broken, .overlap")) return found;
  }
  const element = document.elementFromPoint(event.clientX, event.clientY);
  return element && element.closest("[data-d]");
}

function hover(event) {
  const found = under(event);
  if (!found) return choose(null);
  const index = found.getAttribute("data-d");
  choose(index);
  showTip(data.details[Number(index)], event.clientX, event.clientY);
}

// click shows the moment that was clicked at, and the operation.
function click(p, event) {
  const found = under(event), d = found && data.details[num(found, "d")];
  const at = Math.max(0, timeAt(p, event.clientX));
  if (p === overview) centre(at);
  showMoment(at, Infinity);
  showOperation(d?.op || 0);
  if (event.pointerType === "touch" && found) hover(event);
  if (beside.matches && shown) reveal($("operation"));
}

// The moment: a time, and an event of that time up to which things have
// happened.
let now = null, until = 0;

function showMoment(at, seq, name) {
  [now, until] = [at, seq];
  $("look-at").textContent = moment(at) + (name ? ", " + name : "");
  fillLook(at, seq);
  for (const p of [overview, lens]) moveCursor(p, scale(p));
}

// holdLook gives the moment the room that the steps need, so that the pictures stay where they are from step to step.
function holdLook() {
  const look = $("look");
  look.style.minHeight = "";
  const heights = data.steps.map((step) => { fillLook(...step); return look.offsetHeight; });
  look.style.minHeight = Math.max(0, ...heights) + "px";
  if (now !== null) fillLook(now, until);
}

function fillLook(at, seq) {
  for (const [id, isTrue] of [["believed", false], ["true", true]]) {
    $(id).replaceChildren(...groups(at, seq, isTrue).map(({ names, parts }) => made("div", [
      made("dt", names.map(({ name, color }) => made("span", name, "actor " + color))),
      ...parts.map(([text, op]) => made("dd", op ? [data.texts[text] + " ", operationButton(op, "operation " + op)] : data.texts[text])),
    ])));
  }
}

// groups are the accounts of a moment; actors of whom the same is told stand
// together.
function groups(at, seq, isTrue) {
  const all = new Map();
  for (const account of data.accounts) {
    if (Boolean(account.true) !== isTrue) continue;
    const turn = account.turns[turnAt(account.turns, at, seq)];
    const parts = [];
    for (let i = 2; i < turn.length; i += 2) parts.push([turn[i], turn[i + 1]]);
    const key = parts.join(" ");
    if (!all.has(key)) all.set(key, { names: [], parts });
    all.get(key).names.push(account);
  }
  return [...all.values()];
}

// turnAt is the index of the last turn by a moment.
function turnAt(turns, at, seq) {
  let from = 0, to = turns.length;
  while (to - from > 1) {
    const half = (from + to) >> 1, [t, s] = turns[half];
    if (t < at || t === at && s <= seq) from = half;
    else to = half;
  }
  return from;
}

function moveCursor(p, x) {
  const off = now === null || now < p.from || now > p.to;
  hide(p.cursor, off);
  if (off) return;
  set(p.cursor, "x1", x(now));
  set(p.cursor, "x2", x(now));
}

function operationButton(op, text) {
  const button = made("button", text, "link");
  button.type = "button";
  button.addEventListener("click", () => { showOperation(op); reveal($("operation")); });
  return button;
}

const ROLES = [["sent", " sends: ", "it sent"], ["back", " hears: ", "came back"], ["did", " ", "a node did"], ["again", ": ", "again"]];

// showOperation shows what an operation sent, what came back, and what nodes
// did; nothing for 0.
let shown = 0;
function showOperation(id) {
  shown = id;
  $("operation").hidden = !id;
  if (!id) return;
  const o = data.operations[id - 1];
  $("operation-title").textContent = "Operation " + id + ", " + o.title;
  $("operation-when").textContent = o.when;
  $("operation-outcome").textContent = o.outcome;
  $("entries").replaceChildren(...(o.entries || []).map(entryRow));
  $("nothing").hidden = Boolean(o.entries);
  const doubt = o.unclear || 0, some = (o.entries || []).some((e) => e[5]);
  $("unclear").textContent = (some ? "What is marked with a question mark may be another thread's. " : "") +
    (doubt ? doubt + " messages more may be its own or those of other threads." : "");
  $("hold").replaceChildren(...data.operations.flatMap((other, i) => other.hold === o.hold && i + 1 !== id ? [operationButton(i + 1, (i + 1) + ", " + other.title)] : []));
  $("hold-title").hidden = !$("hold").childElementCount;
}

function entryRow([role, seq, at, actor, text, doubt]) {
  const [kind, verb, name] = ROLES[role];
  const line = made("li", [
    made("time", moment(at)), made("span", name, "role"),
    made("span", [made("b", data.texts[actor]), verb + data.texts[text] + (doubt ? " ?" : "")], "text"),
  ], kind);
  line.addEventListener("click", () => { centre(at); showMoment(at, seq); });
  return line;
}

// Stepping through details by key, from the one that key or pointer chose last.
const order = data.details.map((d, i) => i).sort((a, b) => data.details[a].at - data.details[b].at || a - b);
function stepDetail(by) {
  if (!order.length) return;
  let position = order.indexOf(picked);
  if (position < 0) {
    const from = now !== null && now >= lens.from && now <= lens.to ? now : lens.from;
    const first = order.findIndex((i) => data.details[i].at >= from);
    position = first < 0 ? order.length - (by > 0 ? 1 : 0) : first - (by > 0 ? 1 : 0);
  }
  position = Math.max(0, Math.min(order.length - 1, position + by));
  const index = order[position], d = data.details[index];
  if (d.at < lens.from || d.at > lens.to) { centre(d.at); moveStale(); }
  choose(String(index));
  const target = chosen.find((s) => lens.svg.contains(s) && !s.classList.contains("off"));
  const box = (target || lens.svg).getBoundingClientRect();
  showTip(d, box.left, box.top + Math.min(30, box.height));
  showMoment(d.at, Infinity);
  say([d.when, d.title, ...(d.lines || [])].join(". "));
}

// openChosen shows the operation of the chosen detail, or one that is under
// way at the moment.
function openChosen() {
  const d = chosen.length && data.details[Number(chosen[0].getAttribute("data-d"))];
  if (d && !d.op) return say("No operation belongs to this.");
  if (d) showOperation(d.op);
  else $("look").querySelector("dd button")?.click();
  if (shown) { say($("operation-title").textContent + ". " + $("operation-outcome").textContent); reveal($("operation")); }
}
