// The pictures and their two scales. Every shape carries its times in data
// attributes, as svg.go has written them, and stands at the height at which Go
// has drawn it. From these come pixels, for any stretch of time and any choice
// of lanes. The scripts draw nothing of their own but the ticks.
const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const GUTTER = 112, MARGIN = 14, LEAST = 200; // pixels, pixels, nanoseconds
const FOLDED = 18; // the height of a folded lane

const num = (element, name) => Number(element.getAttribute("data-" + name));
const set = (element, name, value) => element.setAttribute(name, Math.round(value * 10) / 10);
const hide = (element, off) => element.classList.toggle("off", off);

// panel is one picture: an SVG element and the stretch that it shows.
function panel(id, from, to) {
  const svg = $(id);
  return {
    svg, plot: svg.querySelector(".plot"), axis: svg.querySelector(".axis"), from, to, left: GUTTER, right: 0,
    bottom: num(svg.querySelector(".axis"), "bottom"), full: svg.viewBox.baseVal.height,
    shapes: [], labels: [], badges: [], marks: [], rooms: [], cursor: null,
  };
}

const overview = panel("overview", ...data.story);
const lens = panel("lens", ...data.lens);
const bracket = $("bracket");

// collect reads what is to be moved, once.
function collect(p) {
  const read = { rect: readRect, line: readLine, polygon: readArea, path: readGlyph, text: readLabel, g: readBadge };
  for (const element of p.plot.children) {
    if (element === bracket) continue;
    if (element.classList.contains("cursor")) p.cursor = element;
    else read[element.localName]?.(p, element);
  }
  p.marks = p.shapes.filter((s) => s.kind === "g" && !s.element.classList.contains("arrival"));
  p.bars = p.shapes.filter((s) => s.kind === "r" && !s.element.matches(".epoch, .broken, .overlap"));
  for (const bar of p.bars) bar.soft = bar.element.matches(".pause, .downtime, .ghost");
  p.heads = [...p.svg.querySelectorAll(".head")].map(readHead);
  p.captions = [...p.svg.querySelectorAll("[data-lane].caption")];
}

// laneAt is the lane at a height, -1 if there is none.
const laneAt = (y) => data.lanes.findIndex((l) => l.top - 1 <= y && y <= l.bottom + 3);

function keepShape(p, kind, element, t, u, y0, y1, more) {
  const lanes = [laneAt(y0), laneAt(y1)].filter((l) => l >= 0);
  p.shapes.push({ kind, element, t, u, y0, y1, lanes, detail: element.getAttribute("data-d"), off: element.classList.contains("off"), ...more });
}

function readRect(p, e) {
  const y = Number(e.getAttribute("y"));
  keepShape(p, "r", e, num(e, "t"), num(e, "u"), y, y + Number(e.getAttribute("height")), { least: num(e, "w") });
}

function readLine(p, e) {
  keepShape(p, "l", e, num(e, "t"), num(e, "u"), Number(e.getAttribute("y1")), Number(e.getAttribute("y2")));
}

function readArea(p, e) {
  const corners = e.getAttribute("data-p").split(" ").map((c) => c.split(",").map(Number));
  const heights = corners.map((c) => c[1]);
  keepShape(p, "a", e, corners[0][0], corners[corners.length - 1][0], Math.min(...heights), Math.max(...heights), { corners });
}

function readGlyph(p, e) {
  keepShape(p, "g", e, num(e, "t"), num(e, "t"), num(e, "y"), num(e, "y"));
}

function readLabel(p, e) {
  const y = num(e, "y"), fall = num(e, "f");
  p.labels.push({
    element: e, t: num(e, "t"), u: num(e, "u"), y, end: y + fall, above: num(e, "v"), need: num(e, "n"), place: e.getAttribute("data-p"),
    own: (e.getAttribute("data-o") ?? "").split(" "),
    texts: [e.getAttribute("data-a"), e.getAttribute("data-b")].filter((text) => text).map((text) => [text, measured(e, text)]), lanes: e.hasAttribute("data-l") ? e.getAttribute("data-l").split(" ").map(Number) : [laneAt(y - 2)].filter((l) => l >= 0),
  });
}

// measured is the width of a text in the font of a label. Labels of one class have one font.
const pen = document.createElement("canvas").getContext("2d"), fonts = new Map();
function measured(label, text) {
  const kind = label.getAttribute("class").replace(/ k.| off/g, "");
  if (!fonts.has(kind)) fonts.set(kind, ((s) => s.fontWeight + " " + s.fontSize + " " + s.fontFamily)(getComputedStyle(label)));
  pen.font = fonts.get(kind);
  return pen.measureText(text).width;
}

function readBadge(p, e) {
  p.badges.push({ element: e, t: num(e, "t"), y: num(e, "y"), lane: laneAt(num(e, "y")) });
}

function readHead(e) {
  const lane = data.lanes[num(e, "lane")];
  const texts = [...e.querySelectorAll("text")].map((text) => ({ text, y: Number(text.getAttribute("y")) - lane.top }));
  return { element: e, index: num(e, "lane"), bars: [...e.querySelectorAll("rect")], texts };
}

// scale returns the function from times to pixels.
function scale(p) {
  const per = (p.right - p.left) / (p.to - p.from);
  return (t) => p.left + (t - p.from) * per;
}

// move moves all that a panel shows to the stretch that it shows.
function move(p) {
  if (arrange(p)) settle(p);
  const x = scale(p);
  for (const s of p.shapes) moveShape(p, s, x);
  const taken = new Map();
  placeBars(p);
  takeMarks(p, x, taken);
  moveBadges(p, x, taken);
  for (const l of p.labels) moveLabel(p, l, x, taken);
  drawTicks(p, x);
  moveCursor(p, x);
  describe(p);
}

function moveShape(p, s, x) {
  const off = s.gone || s.u < p.from || s.t > p.to;
  if (off !== s.off) hide(s.element, s.off = off);
  if (off) return;
  if (s.kind === "r") {
    s.from = Math.max(x(s.t), p.left - 4);
    s.to = Math.min(Math.max(x(s.u), x(s.t) + s.least), p.right + 4);
    set(s.element, "x", s.from);
    set(s.element, "width", Math.max(0, s.to - s.from));
  } else if (s.kind === "l") {
    set(s.element, "x1", x(s.t));
    set(s.element, "x2", x(s.u));
  } else if (s.kind === "a") {
    s.element.setAttribute("points", s.corners.map(([t], i) => x(t).toFixed(1) + "," + s.heights[i].toFixed(1)).join(" "));
  } else {
    s.element.setAttribute("transform", "translate(" + x(s.t).toFixed(1) + " " + s.top.toFixed(1) + ")");
  }
}

// placeBars keeps texts off the bars, as placeBars in svg.go does: by lines, as for texts.
function placeBars(p) {
  p.barred = new Map();
  for (const s of p.bars) {
    if (s.off) continue;
    for (let line = lineOf({ y: s.top }); line <= lineOf({ y: s.bottom }); line++) {
      if (!p.barred.has(line)) p.barred.set(line, []);
      p.barred.get(line).push(s);
    }
  }
}

// barred reports whether a text would stand on a bar that is not its own, as barred in labels.go does.
function barred(p, box, own) {
  let within = false, soft = false;
  const top = box.y - 9.5, bottom = box.y + 2.5;
  for (let line = lineOf({ y: top }); line <= lineOf({ y: bottom }); line++) {
    for (const s of p.barred.get(line) ?? []) {
      if (box.to <= s.from || s.to <= box.from || bottom <= s.top || s.bottom <= top) continue;
      if (own.includes(s.detail)) within ||= s.from <= box.from && box.to <= s.to && s.top <= top && bottom <= s.bottom;
      else if (!s.soft) return true;
      else soft = true;
    }
  }
  return soft && !within;
}

// takeMarks keeps texts off the marks, as takeMarks in svg.go does.
function takeMarks(p, x, taken) {
  for (const s of p.marks) {
    const at = x(s.t);
    if (!s.gone && at >= p.left && at <= p.right) keep(taken, { from: at - 7.5, to: at + 7.5, y: s.top + 4 });
  }
}

// moveBadges spreads the numbers of steps as spread in svg.go does.
function moveBadges(p, x, taken) {
  const size = 18, gap = 2, free = new Map(), end = new Map();
  const all = [];
  for (const b of p.badges) {
    const off = b.gone || b.t < p.from || b.t > p.to;
    hide(b.element, off);
    if (off) continue;
    const place = Math.max(x(b.t), free.get(b.top) ?? 0, p.left + size / 2);
    free.set(b.top, place + size + gap);
    all.push({ b, place });
  }
  for (const { b, place } of all.reverse()) {
    const at = Math.min(place, end.get(b.top) ?? p.right - size / 2);
    end.set(b.top, at - size - gap);
    keep(taken, { from: at - size / 2, to: at + size / 2, y: b.top + 4 });
    b.element.setAttribute("transform", "translate(" + at.toFixed(1) + " " + b.top.toFixed(1) + ")");
    b.element.firstElementChild.setAttribute("d", "M" + (x(b.t) - at).toFixed(1) + " 9L0 0");
  }
}

// moveLabel finds room for a label as place in labels.go does.
function moveLabel(p, l, x, taken) {
  const x0 = x(l.t), x1 = x(l.u);
  const visible = !l.gone && Math.max(x0, p.left) <= Math.min(x1, p.right) && x1 - x0 >= l.need;
  for (const [text, width] of visible ? l.texts : []) {
    for (const base of l.above ? [l.top, l.higher] : [l.top]) {
      for (const at of choices(p, l.place, x0, x1, width)) {
        const y = l.fall ? base + l.fall * ((at + width / 2 - x0) / (x1 - x0)) : base;
        if (!take(p, taken, { from: at - 1, to: at + width + 1, y }, l.own)) continue;
        set(l.element, "x", at);
        set(l.element, "y", y);
        if (l.element.textContent !== text) l.element.textContent = text;
        hide(l.element, false);
        return;
      }
    }
  }
  hide(l.element, true);
}

// MIDDLES are as in labels.go.
const MIDDLES = [1 / 2, 1 / 4, 3 / 4, 1 / 8, 7 / 8];

function choices(p, place, x0, x1, width) {
  const gap = 9, from = Math.max(x0, p.left), to = Math.min(x1, p.right), rest = to - from - width;
  switch (place) {
    case "i": return rest >= gap ? [from + 4] : [];
    case "m": return rest < gap ? [] : MIDDLES.map((part) => from + rest * part);
    case "f": return [Math.max(p.left + 4, Math.min(from + 4, p.right - width - 4))];
    case "a": return x0 >= p.left ? [x0 + gap, x0 - gap - width] : [];
    default: return x1 <= p.right ? [x1 - gap - width, x1 + gap] : [];
  }
}

// Room is kept by rows as high as a line, so that a text is compared only
// with those of its own row and the two next to it.
const LINE = 13, lineOf = (box) => Math.floor(box.y / LINE);

function keep(taken, box) {
  if (!taken.has(lineOf(box))) taken.set(lineOf(box), []);
  taken.get(lineOf(box)).push(box);
}

function take(p, taken, box, own) {
  if (box.from < p.left - 1 || box.to > p.right + 1 || barred(p, box, own)) return false;
  const touches = (t) => box.from < t.to && t.from < box.to && Math.abs(box.y - t.y) < LINE;
  for (const near of [-1, 0, 1]) if (taken.get(lineOf(box) + near)?.some(touches)) return false;
  keep(taken, box);
  return true;
}

// ticks are the times of the ticks of a panel, as in axis.go.
function ticks(p) {
  const least = (p.to - p.from) * 96 / (p.right - p.left);
  let step = 1, decimals = 9;
  for (let i = 0; step < least && i < 54; i++) {
    step *= i % 3 === 1 ? 2.5 : 2;
    if (i % 3 === 2 && decimals > 0) decimals--;
  }
  const all = [];
  for (let t = Math.ceil(Math.max(0, p.from) / step) * step; t <= p.to && all.length < 100; t += step) all.push(t);
  return { all, decimals };
}

function drawTicks(p, x) {
  const { all, decimals } = ticks(p), drawn = [];
  for (const t of all) {
    const line = document.createElementNS(SVG, "line");
    set(line, "x1", x(t)); set(line, "x2", x(t)); set(line, "y1", 18); set(line, "y2", p.low);
    drawn.push(line);
    for (const y of [14, p.low + 15]) {
      const text = document.createElementNS(SVG, "text");
      set(text, "x", x(t)); set(text, "y", y);
      text.textContent = seconds(t, decimals);
      drawn.push(text);
    }
  }
  p.axis.replaceChildren(...drawn);
}

const seconds = (t, decimals) => (t / 1e9).toFixed(decimals) + "s";

// moment is a time to the microsecond, as traces.Moment writes it.
const moment = (t) => seconds(t, 6).replace(/0{1,3}s$/, "s");

function brief(nanos) {
  const [unit, name] = nanos >= 1e9 ? [1e9, "s"] : nanos >= 1e6 ? [1e6, "ms"] : nanos >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  return Number((nanos / unit).toPrecision(3)) + name;
}

const stretch = (p) => {
  const { decimals } = ticks(p);
  return seconds(Math.max(0, p.from), decimals + 1) + " to " + seconds(p.to, decimals + 1);
};

// fit makes a panel as wide as the page. On a narrow one, names take no more
// room than they need.
function fit(p, width) {
  const names = Math.max(...p.heads.map((h) => h.texts[0].text.getComputedTextLength()));
  p.left = width < 560 ? Math.min(GUTTER, Math.max(48, 14 + names + 8)) : GUTTER;
  p.right = width - MARGIN;
  const clip = p.svg.querySelector("clipPath rect");
  set(clip, "x", p.left);
  set(clip, "width", p.right - p.left);
  for (const head of p.heads) set(head.bars[0], "width", p.right);
  p.width = width;
  frame(p);
}

// frame gives the SVG element its size.
function frame(p) {
  const height = p.full - p.bottom + p.low;
  p.svg.setAttribute("viewBox", "0 0 " + p.width + " " + height);
  p.svg.setAttribute("width", p.width);
  p.svg.setAttribute("height", height);
}

// describe keeps the description of a panel true.
function describe(p) {
  const desc = p.svg.querySelector("desc");
  p.lanesText ??= desc.textContent.slice(desc.textContent.indexOf("Lanes "));
  const inside = data.steps.map((s, i) => [s[0], i + 1]).filter(([at]) => p.from <= at && at <= p.to).map(([, n]) => n);
  const which = inside.length === 0 ? "No step is in it. " : (inside.length === 1 ? "Step " : "Steps ") + inside.join(", ") + ". ";
  const gone = data.lanes.filter((_, i) => hidden.has(i)).map((l) => l.name);
  const text = "From " + moment(p.from) + " to " + moment(p.to) + ". " + which + (gone.length ? "Hidden: " + gone.join(", ") + ". " : "") + p.lanesText;
  if (desc.textContent !== text) desc.textContent = text;
}
