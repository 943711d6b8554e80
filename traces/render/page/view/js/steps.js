// Steps: the one where one is, and the way to the next and the one before.
const steps = [...document.querySelectorAll(".step")];
let step = -1; // none

// goStep moves the lens to a step, which is then the current one.
function goStep(index) {
  centre(data.steps[index][0]);
  markStep(index);
  history.replaceState(null, "", "#step=" + (index + 1));
  say(stepText(index));
  scrollToLens();
}

// showLens scrolls the page to the lens, unless it is in sight or beside the story.
function showLens() {
  const box = lens.svg.getBoundingClientRect();
  if (!beside.matches && (box.bottom < 100 || box.top > innerHeight - 100)) reveal(lens.svg);
}

// scrollToLens scrolls the pictures, beside the story, as far as the lens needs to be seen.
function scrollToLens() {
  const stage = document.querySelector(".stage"), end = Math.min(stage.getBoundingClientRect().bottom, innerHeight);
  moveStale();
  const box = lens.svg.getBoundingClientRect();
  if (beside.matches && box.top > end - 100) stage.scrollTop += Math.min(box.bottom, box.top + end / 2) - end;
}

function stepText(index) {
  const text = (name) => steps[index].querySelector(name).firstChild.textContent.trim();
  const bad = steps[index].classList.contains("bad") ? " (the violation)" : "";
  return "Step " + (index + 1) + " of " + steps.length + ", " + text("time") + ": " + text(".actor") + " " + text(".text") + bad;
}

// markStep marks a step in the list and in the pictures.
function markStep(index) {
  step = index;
  steps.forEach((element, i) => {
    if (i === index) element.setAttribute("aria-current", "step");
    else element.removeAttribute("aria-current");
  });
  for (const badge of document.querySelectorAll(".badge")) badge.classList.toggle("current", num(badge, "step") === index + 1);
  if (index < 0) return;
  $("current").textContent = stepText(index);
  showMoment(...data.steps[index], "step " + (index + 1));
}

// leaveStep forgets the current step when the lens does not show it any more.
function leaveStep() {
  if (step < 0) return;
  const at = data.steps[step][0];
  if (at >= lens.from && at <= lens.to) return;
  markStep(-1);
  $("current").textContent = "";
  if (location.hash) history.replaceState(null, "", "#");
}

// stepBy goes to the next step or the one before: of the current one, or else
// of where the lens is.
function stepBy(by) {
  if (!steps.length) return;
  const last = steps.length - 1, at = middle(lens);
  let to = step + by;
  if (step < 0 && by > 0) {
    to = data.steps.findIndex((s) => s[0] > at);
    if (to < 0) to = last;
  } else if (step < 0) {
    to = data.steps.findLastIndex((s) => s[0] < at);
  }
  goStep(Math.max(0, Math.min(last, to)));
  showLens();
}

// stepTo goes to the first step, or to the last.
function stepTo(last) {
  goStep(last ? steps.length - 1 : 0);
  showLens();
}

// fromAddress goes to the step that the address names, and reports whether it
// names one.
function fromAddress() {
  const found = /^#step=(\d+)$/.exec(location.hash);
  const index = found ? Number(found[1]) - 1 : -1;
  if (index < 0 || index >= steps.length) return false;
  if (index !== step) goStep(index);
  return true;
}

function startSteps() {
  steps.forEach((element, index) => {
    const number = element.querySelector(".number");
    number.tabIndex = 0;
    number.setAttribute("role", "button");
    number.setAttribute("aria-label", "Lens to step " + (index + 1));
    element.addEventListener("click", (event) => {
      const repeat = event.target.closest(".again time");
      if (repeat) { centre(num(repeat, "at")); showMoment(num(repeat, "at"), Infinity); }
      else if (!event.target.closest(".again")) { goStep(index); showLens(); }
    });
    number.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      goStep(index);
      showLens();
    });
  });
  $("next").addEventListener("click", () => stepBy(1));
  $("previous").addEventListener("click", () => stepBy(-1));
  addEventListener("hashchange", fromAddress);
}

// firstStep marks the step at which the lens is when the page is opened: the
// one that the address names, or the violating one, or the first that it shows.
function firstStep() {
  if (fromAddress()) return;
  const inside = data.steps.map(([at], i) => i).filter((i) => data.steps[i][0] >= lens.from && data.steps[i][0] <= lens.to);
  const index = inside.find((i) => steps[i].classList.contains("bad")) ?? inside[0];
  if (index === undefined) showMoment(Math.max(0, middle(lens)), Infinity);
  else markStep(index);
}
