"use strict";
// Moves the pictures to other stretches of time. Every shape carries its
// times in data attributes, as svg.go has written them; this script computes
// pixels from them and draws nothing of its own but the ticks.
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const GUTTER = 112, MARGIN = 14, LEAST = 200; // pixels, pixels, nanoseconds
  const tip = $("tip");

  const num = (element, name) => Number(element.getAttribute("data-" + name));
  const set = (element, name, value) => element.setAttribute(name, Math.round(value * 10) / 10);

  // panel is one picture: an SVG element and the stretch that it shows.
  function panel(id, from, to) {
    const svg = $(id);
    const plot = svg.querySelector(".plot");
    return { svg, plot, from, to, left: GUTTER, right: 0, axis: svg.querySelector(".axis"), shapes: [], labels: [], badges: [] };
  }

  // collect finds what is to be moved, once.
  function collect(p) {
    p.shapes = [...p.plot.querySelectorAll(":scope > rect[data-t], :scope > line, :scope > polygon, :scope > path")];
    p.labels = [...p.plot.querySelectorAll(":scope > text")];
    p.marks = p.shapes.filter((s) => s.localName === "path" && !s.classList.contains("arrival"));
    p.badges = [...p.plot.querySelectorAll(":scope > .badge")];
  }

  // scale returns the function from times to pixels.
  function scale(p) {
    const per = (p.right - p.left) / (p.to - p.from);
    return (t) => p.left + (t - p.from) * per;
  }

  function move(p) {
    const x = scale(p);
    for (const s of p.shapes) moveShape(p, s, x);
    const taken = new Map();
    takeMarks(p, x, taken);
    moveBadges(p, x, taken);
    for (const l of p.labels) moveLabel(p, l, x, taken);
    drawTicks(p, x);
  }

  function moveShape(p, s, x) {
    if (s.hasAttribute("data-p")) {
      const corners = s.getAttribute("data-p").split(" ").map((c) => c.split(",").map(Number));
      const off = corners[corners.length - 1][0] < p.from || corners[0][0] > p.to;
      s.classList.toggle("off", off);
      if (!off) s.setAttribute("points", corners.map(([t, y]) => x(t).toFixed(1) + "," + y).join(" "));
      return;
    }
    const t = num(s, "t"), u = s.hasAttribute("data-u") ? num(s, "u") : t;
    const off = u < p.from || t > p.to;
    s.classList.toggle("off", off);
    if (off) return;
    if (s.localName === "rect") {
      const from = Math.max(x(t), p.left - 4), to = Math.min(Math.max(x(u), x(t) + num(s, "w")), p.right + 4);
      set(s, "x", from);
      set(s, "width", Math.max(0, to - from));
    } else if (s.localName === "line") {
      set(s, "x1", x(t));
      set(s, "x2", x(u));
    } else {
      s.setAttribute("transform", "translate(" + x(t).toFixed(1) + " " + s.getAttribute("data-y") + ")");
    }
  }

  // takeMarks keeps texts off the marks, as takeMarks in svg.go does.
  function takeMarks(p, x, taken) {
    for (const s of p.marks) {
      const at = x(num(s, "t"));
      if (at >= p.left && at <= p.right) keep(taken, { from: at - 4, to: at + 4, y: num(s, "y") + 4 });
    }
  }

  // moveBadges spreads the numbers of steps as spread in svg.go does.
  function moveBadges(p, x, taken) {
    const size = 15, free = new Map(), end = new Map();
    const all = [];
    for (const b of p.badges) {
      const t = num(b, "t"), y = num(b, "y"), off = t < p.from || t > p.to;
      b.classList.toggle("off", off);
      if (off) continue;
      const place = Math.max(x(t), free.get(y) ?? 0);
      free.set(y, place + size + 1);
      all.push({ b, t, y, place });
    }
    for (const { b, t, y, place } of all.reverse()) {
      const at = Math.min(place, end.get(y) ?? p.right - size / 2);
      end.set(y, at - size - 1);
      keep(taken, { from: at - size / 2, to: at + size / 2, y: y + 4 });
      b.setAttribute("transform", "translate(" + at.toFixed(1) + " " + y + ")");
      b.firstElementChild.setAttribute("d", "M" + (x(t) - at).toFixed(1) + " 9L0 0");
    }
  }

  // moveLabel finds room for a label as place in labels.go does.
  function moveLabel(p, l, x, taken) {
    const x0 = x(num(l, "t")), x1 = x(num(l, "u")), y = num(l, "y"), fall = num(l, "f"), letter = num(l, "e");
    const place = l.getAttribute("data-p");
    const visible = Math.max(x0, p.left) <= Math.min(x1, p.right) && x1 - x0 >= num(l, "n");
    for (const text of visible ? [l.getAttribute("data-a"), l.getAttribute("data-b")] : []) {
      if (!text) continue;
      const width = [...text].length * letter;
      for (const at of choices(p, place, x0, x1, width, fall)) {
        const base = fall ? y + fall * ((at + width / 2 - x0) / (x1 - x0)) : y;
        if (!take(p, taken, { from: at - 1, to: at + width + 1, y: base })) continue;
        set(l, "x", at);
        set(l, "y", base);
        if (l.textContent !== text) l.textContent = text;
        l.classList.remove("off");
        return;
      }
    }
    l.classList.add("off");
  }

  function choices(p, place, x0, x1, width, fall) {
    const gap = 9, from = Math.max(x0, p.left), to = Math.min(x1, p.right), rest = to - from - width;
    switch (place) {
      case "i": return rest >= gap ? [from + 4] : [];
      case "m": return rest < gap ? [] : fall ? [from + rest / 2, from + rest / 4, to - width - rest / 4] : [from + rest / 2];
      case "f": return [Math.max(p.left + 4, Math.min(from + 4, p.right - width - 4))];
      case "a": return x0 >= p.left ? [x0 + gap, x0 - gap - width] : [];
      default: return x1 <= p.right ? [x1 - gap - width, x1 + gap] : [];
    }
  }

  // Room is kept by rows as high as a line, so that a text is compared only
  // with those of its own row and the two next to it.
  const LINE = 12, row = (box) => Math.floor(box.y / LINE);

  function keep(taken, box) {
    if (!taken.has(row(box))) taken.set(row(box), []);
    taken.get(row(box)).push(box);
  }

  function take(p, taken, box) {
    if (box.from < p.left - 1 || box.to > p.right + 1) return false;
    const touches = (t) => box.from < t.to && t.from < box.to && Math.abs(box.y - t.y) < LINE;
    for (const near of [-1, 0, 1]) if (taken.get(row(box) + near)?.some(touches)) return false;
    keep(taken, box);
    return true;
  }

  // drawTicks draws the time axis as ticks in axis.go does.
  function drawTicks(p, x) {
    const least = (p.to - p.from) * 96 / (p.right - p.left);
    let step = 1, decimals = 9;
    for (let i = 0; step < least && i < 54; i++) {
      step *= i % 3 === 1 ? 2.5 : 2;
      if (i % 3 === 2 && decimals > 0) decimals--;
    }
    const bottom = num(p.axis, "bottom"), ticks = [];
    for (let t = Math.ceil(Math.max(0, p.from) / step) * step; t <= p.to && ticks.length < 300; t += step) {
      const line = document.createElementNS(SVG, "line");
      set(line, "x1", x(t)); set(line, "x2", x(t)); set(line, "y1", 18); set(line, "y2", bottom);
      ticks.push(line);
      for (const y of [14, bottom + 15]) {
        const text = document.createElementNS(SVG, "text");
        set(text, "x", x(t)); set(text, "y", y);
        text.textContent = (t / 1e9).toFixed(decimals) + "s";
        ticks.push(text);
      }
    }
    p.axis.replaceChildren(...ticks);
  }

  // fit makes a panel as wide as the page.
  function fit(p, width) {
    const height = p.svg.viewBox.baseVal.height;
    p.right = width - MARGIN;
    p.svg.setAttribute("viewBox", "0 0 " + width + " " + height);
    p.svg.setAttribute("width", width);
    set(p.svg.querySelector("clipPath rect"), "width", p.right - p.left);
    for (const lane of p.svg.querySelectorAll(".lane")) set(lane, "width", p.right);
  }

  const overview = panel("overview", data.story[0], data.story[1]);
  const lens = panel("lens", data.lens[0], data.lens[1]);
  const bracket = $("bracket");

  // showZoom draws which part of the overview the lens shows.
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
  }

  function brief(nanos) {
    const [unit, name] = nanos >= 1e9 ? [1e9, "s"] : nanos >= 1e6 ? [1e6, "ms"] : nanos >= 1e3 ? [1e3, "µs"] : [1, "ns"];
    return Number((nanos / unit).toPrecision(3)) + name;
  }

  // look moves the lens, within the run.
  function look(from, to) {
    const whole = data.run[1] - data.run[0];
    const span = Math.max(LEAST, Math.min(whole, to - from));
    lens.from = Math.max(data.run[0], Math.min(data.run[1] - span, from));
    lens.to = lens.from + span;
    choose(null);
    request();
  }

  let pending = false;
  function request() {
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => { pending = false; move(lens); showZoom(); });
  }

  const timeAt = (p, clientX) => {
    const box = p.svg.getBoundingClientRect();
    const x = (clientX - box.left) * (p.right + MARGIN) / box.width;
    return p.from + (x - p.left) / (p.right - p.left) * (p.to - p.from);
  };

  function zoomBy(factor, around) {
    look(around - (around - lens.from) * factor, around + (lens.to - around) * factor);
  }

  // centre moves the lens to a moment and keeps its span.
  function centre(at) {
    const span = Math.min(lens.to - lens.from, (data.lens[1] - data.lens[0]) * 4);
    look(at - span * 0.5, at + span * 0.5);
    if (at < overview.from || at > overview.to) showWhole(true);
  }

  function showWhole(on) {
    [overview.from, overview.to] = on ? data.run : data.story;
    $("whole").setAttribute("aria-pressed", String(on));
    move(overview);
    showZoom();
  }

  // Details.

  function showTip(d, x, y) {
    const lines = [["b", d.title], ["div", d.when, "when"], ...(d.lines || []).map((l) => ["div", l])];
    tip.replaceChildren(...lines.map(([name, text, kind]) => {
      const line = document.createElement(name);
      line.textContent = text;
      if (kind) line.className = kind;
      return line;
    }));
    tip.hidden = false;
    const left = Math.min(x + 14, innerWidth - tip.offsetWidth - 8);
    const top = y + 18 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 12 : y + 18;
    tip.style.left = Math.max(4, left) + "px";
    tip.style.top = Math.max(4, top) + "px";
  }

  let chosen = [];
  function choose(index) {
    for (const element of chosen) element.classList.remove("chosen");
    chosen = index === null ? [] : [overview, lens].flatMap((p) => p.shapes.filter((s) => s.getAttribute("data-d") === index));
    for (const element of chosen) element.classList.add("chosen");
    if (index === null) tip.hidden = true;
  }

  // under finds the shape at a point, or near it: messages are thin.
  function under(event) {
    for (const [dx, dy] of [[0, 0], [0, 2], [0, -2], [2, 0], [-2, 0], [3, 3], [-3, 3], [3, -3], [-3, -3]]) {
      const element = document.elementFromPoint(event.clientX + dx, event.clientY + dy);
      const found = element && element.closest("[data-d]");
      if (found && !found.classList.contains("epoch") && !found.classList.contains("broken")) return found;
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

  // Stepping through details by key.
  const order = data.details.map((d, i) => i).sort((a, b) => data.details[a].at - data.details[b].at || a - b);
  let position = -1;
  function stepDetail(by) {
    if (position < 0) position = order.findIndex((i) => data.details[i].at >= lens.from) - (by > 0 ? 1 : 0);
    position = Math.max(0, Math.min(order.length - 1, position + by));
    const index = order[position], d = data.details[index];
    if (d.at < lens.from || d.at > lens.to) { centre(d.at); move(lens); }
    choose(String(index));
    const target = chosen.find((s) => lens.svg.contains(s) && !s.classList.contains("off"));
    const box = (target || lens.svg).getBoundingClientRect();
    showTip(d, box.left, box.top + Math.min(30, box.height));
  }

  // Steps.
  const steps = [...document.querySelectorAll(".step")].map((s) => num(s, "at"));
  let step = -1;
  function stepTo(by) {
    if (!steps.length) return;
    step = Math.max(0, Math.min(steps.length - 1, step + by));
    centre(steps[step]);
  }

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
    return (now) => look(from - (now.clientX - event.clientX) * per, to - (now.clientX - event.clientX) * per);
  }

  function onDrag(p, begin) {
    let go = null, start = null;
    p.svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      start = event; go = begin(event);
      p.svg.setPointerCapture(event.pointerId);
    });
    p.svg.addEventListener("pointermove", (event) => { if (go) { choose(null); go(event); } else hover(event); });
    p.svg.addEventListener("pointerleave", () => { if (!go) choose(null); });
    for (const end of ["pointerup", "pointercancel"]) {
      p.svg.addEventListener(end, (event) => {
        if (go && p === overview && Math.abs(event.clientX - start.clientX) <= 3) centre(timeAt(p, event.clientX));
        go = null;
        p.svg.classList.remove("dragged");
      });
    }
    p.svg.addEventListener("wheel", (event) => {
      if (event.deltaX && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        const by = event.deltaX * (lens.to - lens.from) / 1000;
        event.preventDefault();
        look(lens.from + by, lens.to + by);
      } else if (event.ctrlKey || event.metaKey || document.activeElement === p.svg) {
        event.preventDefault();
        zoomBy(Math.exp(event.deltaY / 400), timeAt(p, event.clientX));
      }
    }, { passive: false });
    p.svg.addEventListener("dblclick", (event) => zoomBy(0.5, timeAt(p, event.clientX)));
    p.svg.addEventListener("keydown", onKey);
    p.svg.addEventListener("blur", () => choose(null));
  }

  function onKey(event) {
    const span = lens.to - lens.from, middle = (lens.from + lens.to) / 2;
    const keys = {
      ArrowLeft: () => look(lens.from - span / 5, lens.to - span / 5),
      ArrowRight: () => look(lens.from + span / 5, lens.to + span / 5),
      "+": () => zoomBy(0.6, middle), "=": () => zoomBy(0.6, middle), "-": () => zoomBy(1 / 0.6, middle),
      0: () => look(...data.lens), n: () => stepTo(1), p: () => stepTo(-1),
      ".": () => stepDetail(1), ",": () => stepDetail(-1), Escape: () => choose(null),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  }

  function goTo(element) {
    centre(num(element, "at"));
    lens.svg.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }

  // leadSteps makes the steps lead to their moments. By key it is their
  // numbers that do: the steps remain a list.
  function leadSteps() {
    document.querySelectorAll(".step").forEach((element, index) => {
      const go = () => { step = index; goTo(element); };
      const number = element.querySelector(".number");
      number.tabIndex = 0;
      number.setAttribute("role", "button");
      number.setAttribute("aria-label", "Lens to step " + (index + 1));
      element.addEventListener("click", go);
      number.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        go();
      });
    });
  }

  function copyCommand() {
    const code = $("command"), button = $("copy");
    const done = () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy"; }, 1500); };
    const select = () => getSelection().selectAllChildren(code);
    if (!navigator.clipboard) { select(); document.execCommand("copy"); return done(); }
    navigator.clipboard.writeText(code.textContent).then(done, select);
  }

  function layOut() {
    const width = Math.max(340, Math.floor(document.querySelector(".scroll").clientWidth));
    for (const p of [overview, lens]) { fit(p, width); move(p); }
    set($("zoom"), "width", width);
    showZoom();
  }

  function start() {
    document.body.classList.add("scripted");
    collect(overview);
    lens.plot.replaceChildren(...[...overview.plot.children].filter((child) => child !== bracket).map((child) => child.cloneNode(true)));
    collect(lens);
    for (const p of [overview, lens]) p.svg.setAttribute("role", "group"); // no longer a mere image
    onDrag(overview, dragOverview);
    onDrag(lens, dragLens);
    $("in").addEventListener("click", () => zoomBy(0.5, (lens.from + lens.to) / 2));
    $("out").addEventListener("click", () => zoomBy(2, (lens.from + lens.to) / 2));
    $("reset").addEventListener("click", () => look(...data.lens));
    $("next").addEventListener("click", () => stepTo(1));
    $("previous").addEventListener("click", () => stepTo(-1));
    $("whole").hidden = String(data.run) === String(data.story);
    $("whole").addEventListener("click", () => showWhole($("whole").getAttribute("aria-pressed") !== "true"));
    $("copy").addEventListener("click", copyCommand);
    leadSteps();
    document.querySelector("tbody").addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      if (row) goTo(row);
    });
    new ResizeObserver(layOut).observe(document.querySelector(".scroll"));
    layOut();
  }

  start();
})();
