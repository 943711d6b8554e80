// Lanes are hidden by choice, and folded where nothing happens in the stretch
// that a picture shows. What is left moves up.
const hidden = new Set();
let folding = Boolean(data.fold);

// happens reports whether a shape begins, ends or stands in the stretch, in a
// lane. What has lasted since the start, or lasts to the end, does not begin
// or end.
function happens(p, s, lane) {
  const inside = (t) => t > Math.max(0, p.from) && t < Math.min(p.to, runEnd);
  switch (s.kind) {
    case "r": case "g": return s.lanes.includes(lane) && (inside(s.t) || inside(s.u));
    case "l": return laneAt(s.y0) === lane && inside(s.t) || laneAt(s.y1) === lane && inside(s.u);
  }
  return false;
}

// runEnd is the end of the run: the stretch of the whole run has a margin of a
// sixty-fourth.
const runEnd = data.run[1] + data.run[0];

// busyLanes are the lanes in which something happens in a panel's stretch.
function busyLanes(p) {
  const busy = new Set();
  for (const s of p.shapes) {
    if (s.lanes.every((l) => busy.has(l))) continue;
    for (const lane of s.lanes) if (!busy.has(lane) && happens(p, s, lane)) busy.add(lane);
  }
  for (const b of p.badges) if (b.t >= p.from && b.t <= p.to) busy.add(b.lane);
  return busy;
}

// arrange gives each lane of a panel its room, and reports whether that has
// changed.
function arrange(p) {
  if (dragging && p.rooms.length) return false;
  const busy = folding ? busyLanes(p) : null;
  const key = data.lanes.map((_, i) => hidden.has(i) ? "h" : busy && !busy.has(i) ? "f" : "o").join("");
  if (p.key === key) return false;
  p.key = key;
  let at = 0, past = 0;
  p.rooms = data.lanes.map((lane, i) => {
    const gap = lane.top - past, how = key[i];
    past = lane.bottom;
    if (how !== "h" || lane.caption && groupShows(i)) at += gap;
    const room = { how, top: at, height: how === "h" ? 0 : how === "f" ? FOLDED : lane.bottom - lane.top };
    at += room.height;
    return room;
  });
  p.low = at + p.bottom - past;
  return true;
}

// groupShows reports whether any lane is shown of the group that begins with
// this one.
function groupShows(first) {
  for (let i = first; i < data.lanes.length && (i === first || !data.lanes[i].caption); i++) if (!hidden.has(i)) return true;
  return false;
}

// height is where in a panel stands what Go has drawn at a height.
function height(p, y) {
  let shift = 0;
  for (let i = 0; i < data.lanes.length; i++) {
    const lane = data.lanes[i], room = p.rooms[i];
    if (y < lane.top) return Math.min(y + shift, room.top);
    if (y <= lane.bottom) return room.top + (y - lane.top) * room.height / (lane.bottom - lane.top);
    shift = room.top + room.height - lane.bottom;
  }
  return y + shift;
}

// settle moves all that a panel shows to the rooms of its lanes.
function settle(p) {
  const how = (lane) => p.rooms[lane].how;
  const lost = new Set(p.shapes.filter((s) => s.kind === "l" && s.lanes.some((l) => how(l) === "h")).map((s) => s.detail));
  for (const s of p.shapes) {
    s.gone = s.lanes.some((l) => how(l) === "h") || s.kind === "g" && (s.lanes.some((l) => how(l) === "f") || s.detail !== null && lost.has(s.detail));
    s.top = height(p, s.y0);
    const bottom = s.bottom = height(p, s.y1);
    if (s.kind === "r") {
      set(s.element, "y", s.top);
      set(s.element, "height", Math.max(0, bottom - s.top));
    } else if (s.kind === "l") {
      set(s.element, "y1", s.top);
      set(s.element, "y2", bottom);
    } else if (s.kind === "a") {
      s.heights = s.corners.map((c) => height(p, c[1]));
    }
  }
  for (const l of p.labels) {
    l.gone = l.lanes.some((lane) => how(lane) !== "o");
    l.top = height(p, l.y);
    l.fall = height(p, l.end) - l.top;
    l.higher = height(p, l.above);
  }
  for (const b of p.badges) {
    b.gone = b.lane >= 0 && how(b.lane) !== "o";
    b.top = height(p, b.y);
  }
  settleHeads(p);
  for (const line of [p.cursor, p === overview ? bracket : null]) {
    if (line?.localName === "line") set(line, "y2", p.low);
    else if (line) set(line, "height", p.low + p.full - p.bottom - Number(line.getAttribute("y")));
  }
  set(p.svg.querySelector("clipPath rect"), "height", p.full - p.bottom + p.low);
  frame(p);
}

function settleHeads(p) {
  for (const head of p.heads) {
    const room = p.rooms[head.index];
    hide(head.element, room.how === "h");
    for (const bar of head.bars) {
      set(bar, "y", room.top);
      set(bar, "height", room.height);
    }
    head.texts.forEach(({ text, y }, i) => {
      hide(text, i > 0 && room.how === "f");
      set(text, "y", room.top + (room.how === "f" ? 13 : y));
    });
  }
  for (const caption of p.captions) {
    const first = num(caption, "lane");
    hide(caption, !groupShows(first));
    set(caption, "y", p.rooms[first].top - 7);
  }
}

function fold(on) {
  folding = on;
  $("fold").setAttribute("aria-pressed", String(on));
  request(overview, lens);
}

function showLanes() {
  document.querySelectorAll("#lanes input").forEach((box, i) => {
    if (box.checked) hidden.delete(i);
    else hidden.add(i);
  });
  $("lanes-left").textContent = hidden.size ? " (" + hidden.size + " hidden)" : "";
  request(overview, lens);
}

function startLanes() {
  $("fold").setAttribute("aria-pressed", String(folding));
  $("fold").addEventListener("click", () => fold(!folding));
  $("lanes").addEventListener("change", showLanes);
  $("all-lanes").addEventListener("click", () => {
    for (const box of document.querySelectorAll("#lanes input")) box.checked = true;
    showLanes();
  });
}
