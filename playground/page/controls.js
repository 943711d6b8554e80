// The controls of parameters: sliders over the values that are worth to be tried.

// element makes an element.
export const element = (name, attributes = {}, ...children) => {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value !== false && value !== undefined) e.setAttribute(key, value === true ? "" : value);
  }
  e.append(...children);
  return e;
};

// seconds is a length of time as Go writes it, such as 1m0s, 2s or 100ms.
export const seconds = (text) => {
  const units = {h: 3600, m: 60, s: 1, ms: 1e-3, "µs": 1e-6, us: 1e-6, ns: 1e-9};
  let sum = 0;
  for (const [, number, unit] of text.matchAll(/([0-9.]+)(h|ms|m|s|µs|us|ns)/g)) sum += Number(number) * units[unit];
  return sum;
};

const lengths = ["100ms", "200ms", "500ms", "1s", "2s", "3s", "4s", "6s", "8s", "10s", "15s", "20s", "30s", "1m0s"];
const counts = [0, 1, 2, 3, 4, 5, 6, 8];

// values are those that a slider has, in their order: some within the range, the usual one, and the present one. A
// lease that is not set is empty.
const values = (range, usual, now) => {
  if (range.names) return range.names;
  const measure = range.length ? seconds : Number;
  const least = measure(range.least), most = measure(range.most);
  const list = (range.length ? lengths : counts.map(String)).filter((v) => measure(v) >= least && measure(v) <= most);
  for (const one of [usual, now]) if (one !== "" && !list.some((v) => measure(v) === measure(one))) list.push(one);
  list.sort((a, b) => measure(a) - measure(b));
  return usual === "" ? ["", ...list] : list;
};

const brief = (value) => value === "" ? "= ttl" : value.replace("1m0s", "60s");

// control is the slider of a parameter. change is called with the new value, tryAll with the control.
export const control = (range, usual, now, change, tryAll) => {
  const list = values(range, usual, now);
  const index = () => Math.max(list.findIndex((v) => v === c.value || (c.value !== "" && v !== "" && range.length && seconds(v) === seconds(c.value))), 0);
  const id = `p-${range.name}`;
  const output = element("output", {for: id});
  const slider = element("input", {type: "range", id, min: 0, max: list.length - 1, step: 1, autocomplete: "off", "aria-describedby": `${id}-about`,
    oninput: () => { c.value = list[slider.value]; shown(); change(c); }});
  const strip = element("div", {class: "strip", role: "group", "aria-label": `Verdicts by ${range.name}`, hidden: true});
  const c = {name: range.name, value: now, usual, list, index, shown: null, verdicts: new Map()};
  const shown = () => {
    slider.value = index();
    output.textContent = brief(c.value);
    slider.setAttribute("aria-valuetext", brief(c.value));
    c.element.classList.toggle("set", c.value !== usual);
    strip.hidden = c.verdicts.size === 0;
    strip.replaceChildren(...list.map((v) => {
      const verdict = c.verdicts.get(v);
      return element("button", {type: "button", class: verdict?.kind, "aria-pressed": String(v === list[index()]),
        title: `${range.name} ${brief(v)}: ${verdict?.text || "not tried"}`, "aria-label": `${range.name} ${brief(v)}: ${verdict?.text || "not tried"}`,
        onclick: () => { c.value = v; shown(); change(c); }}, brief(v));
    }));
  };
  c.shown = shown;
  c.element = element("div", {class: "parameter"},
    element("div", {class: "top"}, element("label", {for: id}, range.name), output,
      element("button", {type: "button", class: "try", title: `Search with each value of ${range.name}`, "aria-label": `Try all values of ${range.name}`, onclick: () => tryAll(c)}, "try all")),
    slider, strip, element("p", {class: "about", id: `${id}-about`}, range.about));
  shown();
  return c;
};
