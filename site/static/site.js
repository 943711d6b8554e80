"use strict";
// The theme, the search, and what they need. Without this script everything but the search can be used.
(() => {
  const root = document.documentElement;
  const home = document.querySelector('link[rel="home"]').href;

  // The theme: what the system says, until the button says otherwise.
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = document.querySelector("button.theme");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const label = () => theme.setAttribute("aria-pressed", String(isDark()));
  // Pages in frames are told: they may come from a directory, where they share nothing with this one.
  const frames = document.querySelectorAll("iframe.viewer");
  const tell = (frame) => frame.contentWindow.postMessage({ theme: root.dataset.theme || "" }, "*");
  for (const frame of frames) frame.addEventListener("load", () => tell(frame));
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    if ((next === "dark") === dark.matches) {
      delete root.dataset.theme;
    } else {
      root.dataset.theme = next;
    }
    try {
      root.dataset.theme ? localStorage.setItem("theme", next) : localStorage.removeItem("theme");
    } catch {} // it is not kept
    label();
    frames.forEach(tell);
  });
  dark.addEventListener("change", label);
  label();

  // The search. Its pages and its library are loaded when it is first used, by script elements: a
  // page that was opened from a directory cannot fetch.
  const form = document.querySelector("form.search");
  const query = document.getElementById("query");
  const results = document.getElementById("results");
  form.hidden = false;
  let index = null;

  const load = (file) =>
    new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = new URL(file, home).href;
      script.onload = done;
      script.onerror = () => failed(new Error(file + " cannot be loaded"));
      document.head.append(script);
    });

  const ready = () => {
    index ??= Promise.all([load("minisearch.js"), load("search-index.js")]).then(() => {
      const pages = window.lockpickPages;
      const made = new MiniSearch({ fields: ["t", "h", "x"], idField: "i", processTerm: (term) => term.toLowerCase() });
      made.addAll(pages.map((page, i) => ({ ...page, i })));
      return (text) => {
        const found = made.search(text, { prefix: true, fuzzy: (term) => (term.length > 5 ? 0.2 : false), combineWith: "AND", boost: { t: 6, h: 3 } });
        return found.slice(0, 12).map((one) => ({ ...pages[one.id], terms: one.terms }));
      };
    });
    return index;
  };

  // excerpt is the text around the first of the terms.
  const excerpt = (page) => {
    const text = page.x;
    const at = Math.max(0, Math.min(...page.terms.map((term) => text.toLowerCase().indexOf(term)).filter((i) => i >= 0), text.length));
    const from = at === text.length ? 0 : Math.max(0, text.lastIndexOf(" ", Math.max(0, at - 40)));
    return (from > 0 ? "… " : "") + text.slice(from, from + 130).trim() + (from + 130 < text.length ? " …" : "");
  };

  const element = (name, text, className) => {
    const e = document.createElement(name);
    e.textContent = text;
    if (className) e.className = className;
    return e;
  };

  const show = (found, text) => {
    results.replaceChildren();
    results.hidden = text === "";
    if (text === "") return;
    if (found.length === 0) {
      results.append(element("p", `Nothing is found for “${text}”.`));
      return;
    }
    const list = document.createElement("ul");
    for (const page of found) {
      const link = document.createElement("a");
      link.href = new URL(page.u, home).href;
      const title = element("strong", page.t);
      if (page.h) title.append(element("span", " › " + page.h));
      title.append(element("small", page.s));
      link.append(title, element("span", excerpt(page), "excerpt"));
      const item = document.createElement("li");
      item.append(link);
      list.append(item);
    }
    results.append(list);
  };

  let asked = 0;
  const search = async () => {
    const text = query.value.trim();
    const mine = ++asked;
    try {
      const find = await ready();
      if (mine === asked) show(text === "" ? [] : find(text), text);
    } catch (e) {
      results.hidden = false;
      results.replaceChildren(element("p", "The search cannot be used: " + e.message));
    }
  };

  query.addEventListener("focus", () => ready().catch(() => {})); // search says what is wrong
  query.addEventListener("input", search);
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    results.querySelector("a")?.click();
  });
  form.addEventListener("keydown", (e) => {
    const links = [query, ...results.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      links[(at + (e.key === "ArrowDown" ? 1 : links.length - 1)) % links.length].focus();
    } else if (e.key === "Escape") {
      query.value = "";
      show([], "");
      query.blur();
    }
  });
  document.addEventListener("click", (e) => {
    if (!form.contains(e.target)) results.hidden = true;
  });
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && !e.ctrlKey && !e.metaKey && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
      e.preventDefault();
      query.focus();
    }
  });

  // On the way to a page of a long list, its name is in sight.
  const here = document.querySelector('.pages li a[aria-current="page"]');
  const pages = document.querySelector(".pages");
  if (here && pages.scrollHeight > pages.clientHeight) pages.scrollTop = here.offsetTop - pages.clientHeight / 3;
})();
