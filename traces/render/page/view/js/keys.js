// Keys, which work on the whole page, and the start.
const next = () => stepBy(1), previous = () => stepBy(-1);
const STEPS = {
  ArrowRight: next, ArrowDown: next, ArrowLeft: previous, ArrowUp: previous, Home: () => stepTo(false), End: () => stepTo(true),
};
const KEYS = {
  n: next, j: next, p: previous, k: previous, ".": () => stepDetail(1), ",": () => stepDetail(-1), o: openChosen,
  ">": () => look(...moved(lens, 0.2)), "<": () => look(...moved(lens, -0.2)),
  "+": () => zoomLens(0.6), "=": () => zoomLens(0.6), "-": () => zoomLens(1 / 0.6), 0: home,
  "]": () => zoomOverview(0.6), "[": () => zoomOverview(1 / 0.6), w: () => showWhole(!same(overview, data.run)),
  f: () => fold(!folding), l: () => openLanes(), "/": search, "?": () => $("keys").showModal(), Escape: close,
};
const SHIFTED = { ArrowLeft: () => survey(...moved(overview, -0.2)), ArrowRight: () => survey(...moved(overview, 0.2)) };

// home puts the lens back to where it was.
function home() {
  look(...data.lens);
  firstOf();
}

// firstOf marks the step that the lens shows at first, without the address.
function firstOf() {
  if (location.hash) history.replaceState(null, "", "#");
  firstStep();
  say(step < 0 ? "The lens is back where it was." : stepText(step));
}

function openLanes() {
  $("lanes").open = !$("lanes").open;
  if ($("lanes").open) $("lanes").querySelector("input").focus();
  else $("lanes").querySelector("summary").focus();
}

// close closes what is open, the last first.
function close() {
  if (picked !== null) choose(null);
  else if ($("lanes").open) $("lanes").open = false;
  else showOperation(0);
}

// keysOf are the keys to which one belongs. Those of the steps scroll the page if it has no steps, and a list that
// scrolls in itself while the focus is in it; with Shift, they select text.
function keysOf(event) {
  if (!Object.hasOwn(STEPS, event.key)) return KEYS;
  if (event.shiftKey) return SHIFTED;
  return steps.length && !event.target.closest(".entries, .menu .list") ? STEPS : {};
}

// onKey is for keys that no field takes.
function onKey(event) {
  const keys = keysOf(event);
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !Object.hasOwn(keys, event.key)) return;
  if ($("keys").open || event.target.closest("select, textarea, input:not([type=checkbox])")) return;
  event.preventDefault();
  keys[event.key]();
}

function copyCommand() {
  const code = $("command"), button = $("copy");
  const done = () => { button.textContent = "Copied"; say("Copied"); setTimeout(() => { button.textContent = "Copy"; }, 1500); };
  const select = () => getSelection().selectAllChildren(code);
  if (!navigator.clipboard) { select(); document.execCommand("copy"); return done(); }
  navigator.clipboard.writeText(code.textContent).then(done, select);
}

function layOut() {
  const width = Math.max(300, Math.floor(document.querySelector(".scroll").clientWidth));
  for (const p of [overview, lens]) { arrange(p); fit(p, width); }
  set($("zoom"), "width", width);
  document.querySelector(".stage").style.setProperty("--tools", document.querySelector(".tools").offsetHeight + "px");
  holdLook();
  request(overview, lens);
  moveStale();
}

// foldRules folds the rule on a narrow page, where it would hold up the picture.
function foldRules() {
  const rules = document.querySelector(".rules"), narrow = matchMedia("(max-width: 820px)");
  if (!rules) return;
  const fit = () => { rules.open = !narrow.matches; };
  narrow.addEventListener("change", fit);
  fit();
}

function start() {
  document.body.classList.add("scripted");
  lens.plot.replaceChildren(...[...overview.plot.children].filter((child) => child !== bracket).map((child) => child.cloneNode(true)));
  for (const p of [overview, lens]) {
    collect(p);
    arrange(p);
    p.width = p.svg.viewBox.baseVal.width;
    settle(p);
    p.svg.setAttribute("role", "group"); // no longer a mere image
  }
  onDrag(overview, dragOverview);
  onDrag(lens, dragLens);
  const on = (id, act) => $(id).addEventListener("click", act);
  foldRules();
  on("in", () => zoomLens(0.5));
  on("out", () => zoomLens(2));
  on("reset", home);
  on("wide", () => zoomOverview(2));
  on("close", () => zoomOverview(0.5));
  on("whole", () => showWhole(!same(overview, data.run)));
  if ($("copy")) on("copy", copyCommand); // a run on real servers has no command
  on("help", () => $("keys").showModal());
  on("keys-close", () => $("keys").close());
  on("operation-close", () => showOperation(0));
  startLanes();
  startSteps();
  startEvents();
  document.addEventListener("keydown", onKey);
  new ResizeObserver(layOut).observe(document.querySelector(".scroll"));
  layOut();
  firstStep();
}

start();
