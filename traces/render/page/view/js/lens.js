// Where the lens and the overview look.
let dragging = false;

// within is a stretch as near as can be to what is asked for, inside the run.
function within(from, to) {
  const span = Math.max(LEAST, Math.min(data.run[1] - data.run[0], to - from));
  const start = Math.max(data.run[0], Math.min(data.run[1] - span, from));
  return [start, start + span];
}

// look moves the lens.
function look(from, to) {
  [lens.from, lens.to] = within(from, to);
  choose(null);
  leaveStep();
  request(lens);
}

// survey moves the overview.
function survey(from, to) {
  [overview.from, overview.to] = within(from, to);
  request(overview);
}

// request has panels moved before the next frame is drawn.
const stale = new Set();
let pending = false;
function request(...panels) {
  for (const p of panels) stale.add(p);
  if (pending) return;
  pending = true;
  requestAnimationFrame(moveStale);
}

function moveStale() {
  pending = false;
  for (const p of stale) move(p);
  stale.clear();
  showZoom();
  filterSoon();
}

const same = (p, stretch) => Math.abs(p.from - stretch[0]) < 1 && Math.abs(p.to - stretch[1]) < 1;

// showZoom shows which part of the overview the lens shows, and which part of
// the run the overview.
function showZoom() {
  const x = scale(overview), zoom = $("zoom");
  const inside = (v) => Math.max(overview.left, Math.min(overview.right, v));
  const from = inside(x(lens.from)), to = Math.max(from + 1, inside(x(lens.to)));
  set(bracket, "x", from);
  set(bracket, "width", to - from);
  zoom.setAttribute("viewBox", "0 0 " + (overview.right + MARGIN) + " 34");
  zoom.querySelector(".beam").setAttribute("points", [[from, 0], [to, 0], [overview.right, 34], [overview.left, 34]].map((c) => c.map((v) => v.toFixed(1)).join(",")).join(" "));
  const times = (overview.to - overview.from) / (lens.to - lens.from);
  const span = brief(lens.to - lens.from);
  zoom.querySelector("text").textContent = times < 1.05 ? "Lens: " + span : "Lens: " + span + ", magnified " + (times < 10 ? times.toFixed(1) : Number(times.toPrecision(2))) + "×";
  const whole = same(overview, data.run);
  $("whole").setAttribute("aria-pressed", String(whole));
  $("scale").textContent = whole ? data.wholeText : same(overview, data.story) ? data.storyText : stretch(overview) + " of a run of " + data.runText;
}

const timeAt = (p, clientX) => {
  const box = p.svg.getBoundingClientRect();
  const x = (clientX - box.left) * (p.right + MARGIN) / box.width;
  return p.from + (x - p.left) / (p.right - p.left) * (p.to - p.from);
};

const middle = (p) => (p.from + p.to) / 2;
const turned = (p, factor, around) => [around - (around - p.from) * factor, around + (p.to - around) * factor];
const zoomLens = (factor, around = middle(lens)) => look(...turned(lens, factor, around));
const zoomOverview = (factor, around = middle(overview)) => survey(...turned(overview, factor, around));
const moved = (p, by) => [p.from + (p.to - p.from) * by, p.to + (p.to - p.from) * by];

// centre moves the lens to a moment and keeps its span. The overview follows,
// if it does not show the moment.
function centre(at) {
  const span = Math.min(lens.to - lens.from, (data.lens[1] - data.lens[0]) * 4);
  look(at - span * 0.5, at + span * 0.5);
  if (at >= overview.from && at <= overview.to) return;
  const wide = overview.to - overview.from;
  if (at >= data.story[0] && at <= data.story[1] && wide >= data.story[1] - data.story[0]) survey(...data.story);
  else survey(at - wide / 2, at + wide / 2);
}

const showWhole = (on) => survey(...(on ? data.run : data.story));

// Dragging.

function dragOverview(event) {
  const start = timeAt(overview, event.clientX);
  return (now) => {
    const at = timeAt(overview, now.clientX);
    if (Math.abs(now.clientX - event.clientX) > 3) look(Math.min(start, at), Math.max(start, at));
  };
}

function dragLens(event) {
  const { from, to } = lens, per = (to - from) / (lens.right - lens.left);
  lens.svg.classList.add("dragged");
  return (now) => {
    const by = (now.clientX - event.clientX) * per;
    if (Math.abs(now.clientX - event.clientX) > 3) look(from - by, to - by);
  };
}

function onDrag(p, begin) {
  let go = null, start = null;
  p.svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    start = event; go = begin(event); dragging = true;
    p.svg.setPointerCapture(event.pointerId);
  });
  p.svg.addEventListener("pointermove", (event) => {
    if (!go) hover(event);
    else if (Math.abs(event.clientX - start.clientX) > 3) { choose(null); go(event); }
  });
  p.svg.addEventListener("pointerleave", () => { if (!go) choose(null); });
  const drop = () => { go = null; dragging = false; p.svg.classList.remove("dragged"); request(lens); };
  p.svg.addEventListener("pointerup", (event) => {
    const still = go && Math.abs(event.clientX - start.clientX) <= 3;
    drop();
    if (still) click(p, event);
  });
  p.svg.addEventListener("pointercancel", drop);
  p.svg.addEventListener("wheel", (event) => onWheel(p, event), { passive: false });
  p.svg.addEventListener("dblclick", (event) => (p === lens ? zoomLens : zoomOverview)(0.5, timeAt(p, event.clientX)));
  p.svg.addEventListener("blur", () => choose(null));
}

// onWheel moves or zooms the picture that the pointer is on.
function onWheel(p, event) {
  const [zoom, go] = p === lens ? [zoomLens, look] : [zoomOverview, survey];
  if (event.deltaX && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    event.preventDefault();
    go(...moved(p, event.deltaX / 1000));
  } else if (event.ctrlKey || event.metaKey || document.activeElement === p.svg) {
    event.preventDefault();
    zoom(Math.exp(event.deltaY / 400), timeAt(p, event.clientX));
  }
}
