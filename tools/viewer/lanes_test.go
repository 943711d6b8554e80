package viewer

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// at is a stretch of a picture's description, in seconds.
func stretch(b *tab, picture string) (from, to float64) {
	b.Helper()
	if _, err := fmt.Sscanf(b.text("#"+picture+" desc"), "From %fs to %fs", &from, &to); err != nil {
		b.Fatal(err)
	}
	return from, to
}

// TestOverviewZooms: by key, by button and by wheel; and it moves, and goes back.
func TestOverviewZooms(t *testing.T) {
	b := open(t, sample(t, "gc-pause"), view{})
	from, to := stretch(b, "overview")
	whole := to - from
	lensFrom, lensTo := stretch(b, "lens")
	for _, zoom := range []func(){
		func() { b.press("]") },
		func() { b.click("#close") },
		func() { b.wheel("#overview", -200, kb.ModifierCtrl) },
	} {
		before := to - from
		zoom()
		if from, to = stretch(b, "overview"); to-from >= before*0.7 {
			t.Errorf("the overview shows %.3fs after zooming, and showed %.3fs", to-from, before)
		}
		b.contains("the scale", b.text("#scale"), "of a run of 3.11s")
	}
	b.shoot("overview-zoomed")
	if f, l := stretch(b, "lens"); f != lensFrom || l != lensTo {
		t.Error("the lens has moved")
	}
	before := from
	b.press("shift+" + kb.ArrowLeft)
	if from, _ = stretch(b, "overview"); from >= before {
		t.Errorf("the overview begins at %v after a move to the left, and began at %v", from, before)
	}
	b.press("[")
	if f, l := stretch(b, "overview"); l-f <= to-from {
		t.Error("the overview is not wider")
	}
	want(b, "whether the overview shows the whole run", value[string](b, `document.getElementById("whole").getAttribute("aria-pressed")`), "false")
	b.press("w")
	if f, l := stretch(b, "overview"); l-f < whole-1e-6 {
		t.Errorf("the whole run has %.3fs, and had %.3fs", l-f, whole)
	}
	b.contains("the scale", b.text("#scale"), "the whole run, 3.11s")
	// A step that a narrow overview does not show brings it along.
	b.press("]", "]", "]", "]", "]")
	b.click(".step:first-child")
	at := value[float64](b, `Number(document.querySelector(".step").dataset.at) / 1e9`)
	if f, l := stretch(b, "overview"); at < f || at > l {
		t.Errorf("the overview shows %v to %v, and not the step at %v", f, l, at)
	}
}

func (b *tab) wheel(selector string, by float64, modifiers kb.Modifier) {
	b.Helper()
	at := b.box(selector)
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseWheel, at.X+at.Width/2, at.Y+at.Height/2, func(p *input.DispatchMouseEventParams) {
		p.DeltaY, p.DeltaX, p.Modifiers = by, 0.01, int64(modifiers) // zero would be left out
	}))
	b.settle()
	b.settle()
}

// TestLensOfTallPicture: with so many lanes that the lens lies further down, it comes into
// sight with the next step, and idle lanes are folded from the start.
func TestLensOfTallPicture(t *testing.T) {
	s := sampletraces.NewStage("gc-pause", "setpx", 14)
	for i := range 14 {
		at := time.Duration(i+1) * 50 * time.Millisecond
		s.Answer(at+time.Millisecond, s.Call(at, fmt.Sprint("c", i+1), model.Acquire, nil), model.OK)
	}
	b := open(t, s.Build(), view{width: 1400, height: 700})
	want(b, "whether idle lanes are folded", value[string](b, `document.getElementById("fold").getAttribute("aria-pressed")`), "true")
	if at := b.box("#lens"); at.Y < 700 {
		t.Fatalf("the lens is at %v before the first step", at)
	}
	b.press("n")
	if at := b.box("#lens"); at.Y < 0 || at.Y > 600 {
		t.Errorf("the lens is at %v after a step", at)
	}
}

// lanes are the heights and names of a picture's lanes, and which can be seen.
type laneBox struct {
	Name           string
	Top, Height    float64
	Shown, HasNote bool
}

func lanes(b *tab, picture string) []laneBox {
	b.Helper()
	return value[[]laneBox](b, `[...document.querySelectorAll("#" + %s + " .head")].map((h) => ({
		Name: h.querySelector(".name").textContent, Top: Number(h.querySelector(".lane").getAttribute("y")), Height: Number(h.querySelector(".lane").getAttribute("height")),
		Shown: h.getClientRects().length > 0, HasNote: h.querySelector(".note").getClientRects().length > 0 }))`, picture)
}

// shapes are all shapes of a picture with their places, to compare.
const shapes = `[...document.querySelectorAll("#%s .plot > *")].map((e) => e.outerHTML).join("\n")`

// TestIdleLanesFold: lanes in which nothing happens fold, and only those; unfolding restores
// the picture.
func TestIdleLanesFold(t *testing.T) {
	b := open(t, sample(t, "gc-pause"), view{})
	before, heights := lanes(b, "lens"), b.box("#lens").Height
	picture := value[string](b, fmt.Sprintf(shapes, "lens"))
	busy := value[[]bool](b, `[...document.querySelectorAll("#lens .head .lane")].map((lane) => { const box = lane.getBoundingClientRect();
		return [...document.querySelectorAll("#lens .plot > path.mark:not(.off), #lens .plot > .badge:not(.off), #lens .plot > path.arrival:not(.off)")].some((e) => {
			const r = e.getBoundingClientRect(), y = r.y + r.height / 2; return y >= box.y - 2 && y <= box.bottom + 2; }); })`)
	b.press("f")
	b.shoot("folded")
	folded := 0
	for i, l := range lanes(b, "lens") {
		switch {
		case l.Height < before[i].Height && busy[i]:
			t.Errorf("%s is folded, and something happens in it", l.Name)
		case l.Height < before[i].Height:
			folded++
			want(b, "whether "+l.Name+" is seen", l.Shown, true)
			want(b, "whether its note is", l.HasNote, false)
		case l.Height == before[i].Height && !busy[i]:
			t.Errorf("%s is not folded, and nothing happens in it", l.Name)
		}
	}
	if folded == 0 || folded == len(before) {
		t.Fatalf("%d of %d lanes are folded", folded, len(before))
	}
	if now := b.box("#lens").Height; now >= heights {
		t.Errorf("the lens is %v high with folded lanes, and was %v", now, heights)
	}
	want(b, "whether the button is pressed", value[string](b, `document.getElementById("fold").getAttribute("aria-pressed")`), "true")
	b.click("#fold")
	if now := value[string](b, fmt.Sprintf(shapes, "lens")); now != picture {
		t.Error("unfolding does not restore the picture")
	}
}

// TestLanesHide: a lane that is hidden is gone with all that is in it and leads to it, what
// is below moves up, and the description says so.
func TestLanesHide(t *testing.T) {
	b := open(t, sample(t, "gc-pause"), view{})
	before := lanes(b, "overview")
	picture := value[string](b, fmt.Sprintf(shapes, "overview"))
	messages := b.count("#overview .msg.k1")
	b.click("#lanes summary")
	b.shoot("lanes")
	b.click("#lanes label:nth-of-type(2) input") // c2
	b.press(kb.Escape)
	want(b, "whether the list of lanes is open", value[bool](b, `document.getElementById("lanes").open`), false)
	after := lanes(b, "overview")
	want(b, "the hidden lane", before[1].Name, "c2")
	want(b, "whether it is seen", after[1].Shown, false)
	if after[2].Top >= before[2].Top {
		t.Error("the next lane has not moved up")
	}
	if messages == 0 || b.count("#overview .msg.k1") != 0 {
		t.Errorf("c2 had %d messages, and has %d", messages, b.count("#overview .msg.k1"))
	}
	if n := b.count("#overview .claim.k1, #overview .wait.k1"); n != 0 {
		t.Errorf("%d bars of c2 are left", n)
	}
	for _, picture := range []string{"overview", "lens"} {
		b.contains("the description", b.text("#"+picture+" desc"), "Hidden: c2.")
	}
	b.contains("the list's title", b.text("#lanes summary"), "1 hidden")
	b.press("l", kb.Tab)
	b.press(" ") // by key, it is shown again
	want(b, "whether it is seen", lanes(b, "overview")[1].Shown, true)
	if now := value[string](b, fmt.Sprintf(shapes, "overview")); now != picture {
		t.Error("the picture is not as it was")
	}
	// All lanes of a group: its caption goes, too.
	b.click("#lanes label:nth-of-type(1) input")
	b.click("#lanes label:nth-of-type(2) input")
	want(b, "captions of clients", value[int](b, `[...document.querySelectorAll("#overview .caption:not(.off)")].filter((c) => c.textContent.startsWith("Clients")).length`), 0)
	b.click("#all-lanes")
	if now := value[string](b, fmt.Sprintf(shapes, "overview")); now != picture {
		t.Error("the picture is not as it was")
	}
}

// overlaps are the texts and numbers that cover each other in a picture.
const overlaps = `(() => { const found = [];
	for (const svg of document.querySelectorAll("#overview, #lens")) {
		const all = [...svg.querySelectorAll(".plot > text, .plot > .badge circle")].filter((e) => e.getClientRects().length > 0).map((e) => {
			const r = e.getBoundingClientRect(), cut = e.localName === "circle" ? 0.6 : 2.2;
			return { name: e.localName === "circle" ? e.parentElement.textContent : e.textContent, x: r.x + 0.5, r: r.right - 0.5, y: r.y + cut, b: r.bottom - cut };
		});
		all.forEach((a, i) => { for (const b of all.slice(i + 1)) if (a.x < b.r && b.x < a.r && a.y < b.b && b.y < a.b) found.push(svg.id + ": " + a.name + " | " + b.name); });
	}
	return found; })()`

// TestTextsDoNotOverlap: no label and no number of a step covers another, on wide and on
// narrow pages, at every step.
func TestTextsDoNotOverlap(t *testing.T) {
	pages := map[string]*traces.Trace{"long": long()}
	for _, s := range []string{"gc-pause", "double-grant", "deadlock", "attributed"} {
		pages[s] = sample(t, s)
	}
	for name, trace := range pages { // unordered: each is tested by itself
		for _, width := range []int64{1600, 1120, 390} {
			b := open(t, trace, view{width: width, height: 900, hash: "#step=1"})
			for i := range story.Steps(trace) {
				for _, both := range value[[]string](b, overlaps) {
					t.Errorf("%s, %d wide, step %d: %s", name, width, i+1, both)
				}
				b.press("n")
			}
		}
	}
}

// barred are the texts in the pictures that stand on a bar which is not their own. A pause and the outline of what was may lie over
// another bar with its text.
const barred = `(() => { const found = [];
	for (const svg of document.querySelectorAll("#overview, #lens")) {
		const shown = (selector) => [...svg.querySelectorAll(selector)].filter((e) => e.getClientRects().length > 0).map((e) => ({ e, r: e.getBoundingClientRect() }));
		const plot = svg.querySelector("clipPath rect").getBBox(), left = svg.getBoundingClientRect().x + plot.x, right = left + plot.width;
		const bars = shown(".plot > rect:not(.epoch, .broken, .overlap, .bracket)");
		for (const { e, r } of shown(".plot > text")) {
			const t = { x: Math.max(left, r.x + 0.5), r: Math.min(right, r.right - 0.5), y: r.y + 2.4, b: r.bottom - 2.4 };
			const own = (e.dataset.o ?? "").split(" ");
			const on = bars.filter(({ r }) => t.x < r.right && r.x < t.r && t.y < r.bottom && r.y < t.b);
			const within = on.some(({ e, r }) => own.includes(e.dataset.d) && r.x - 1 <= t.x && t.r <= r.right + 1 && r.y - 1 <= t.y && t.b <= r.bottom + 1);
			for (const { e: bar } of on) {
				if (own.includes(bar.dataset.d) || within && bar.matches(".pause, .downtime, .ghost")) continue;
				found.push(svg.id + ": " + e.textContent + " | " + bar.getAttribute("class"));
			}
		}
	}
	return found; })()`

// stepped are the overlaps and the barred when the page is opened and at every step.
const stepped = `(() => { const all = [];
	const look = (when) => { for (const what of [...` + overlaps + `, ...` + barred + `]) all.push(when + ": " + what); };
	look("at first");
	document.querySelectorAll(".step").forEach((step, i) => { step.click(); look("step " + (i + 1)); });
	return all; })()`

// TestTextsKeepOffBars: in the counterexamples of the corpus no label stands on a bar that is not its own, nor on another, when the
// page is opened and at every step, on wide and on narrow pages.
func TestTextsKeepOffBars(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "traces", "corpus", "*.json"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d traces: %v", len(files), err)
	}
	shown := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		trace := corpus(t, name)
		for _, width := range []int64{1440, 390} {
			b := open(t, trace, view{width: width, height: 900})
			shown += b.count(".plot > text")
			b.shoot(fmt.Sprintf("bars-%s-%d", name, width))
			for _, both := range value[[]string](b, stepped) {
				t.Errorf("%s, %d wide: %s", name, width, both)
			}
		}
	}
	if shown < 20*len(files) {
		t.Errorf("%d labels are shown on %d pages", shown, 2*len(files))
	}
}

// TestNamesOfLanes: on every width the names of lanes stand beside what is drawn, not on it.
func TestNamesOfLanes(t *testing.T) {
	for _, width := range []int64{1600, 820, 390, 360} {
		b := open(t, sample(t, "gc-pause"), view{width: width, height: 900})
		over := value[[]string](b, `[...document.querySelectorAll("#overview, #lens")].flatMap((svg) => {
			const left = Number(svg.querySelector("clipPath rect").getAttribute("x"));
			return [...svg.querySelectorAll(".head text")].filter((e) => { const r = e.getBBox(); return r.x + r.width > left + 1; }).map((e) => e.textContent); })`)
		if len(over) > 0 {
			t.Errorf("%d wide: %s", width, strings.Join(over, ", "))
		}
	}
}

// printing is a trace whose lock prints a line at each call and each return of a client, of which some are long, and one that is of no client.
func printing(t testing.TB) *traces.Trace {
	trace := corpus(t, "gc-pause_setpx_no-lost-update")
	for i := range trace.Events {
		e := &trace.Events[i]
		if e.Kind != sim.EventMark {
			continue
		}
		line := "level=INFO msg=\"lock: " + e.Detail + "\" key=lock attempt=1 elapsed=2.31ms"
		if len(trace.Remarks)%3 == 0 {
			line = e.Detail
		}
		trace.Remarks = append(trace.Remarks, sim.Remark{Seq: e.Seq, At: e.At, Actor: e.Actor, Line: line})
	}
	last := trace.Events[len(trace.Events)-1]
	trace.Remarks = append(trace.Remarks, sim.Remark{Seq: last.Seq, At: last.At, Line: "<b>done</b>"})
	return trace
}

// TestPrintedLane: what a lock printed is a lane, with a row for each client, in which lines are read at steps, and which folds as others
// do; its texts stand on nothing, and a click on a line shows the moment.
func TestPrintedLane(t *testing.T) {
	for _, width := range []int64{1440, 390} {
		b := open(t, printing(t), view{width: width, height: 900})
		value[any](b, `[...document.querySelectorAll("#overview .head")].at(-1).scrollIntoView({ block: "center" })`)
		b.shoot(fmt.Sprintf("printed-%d", width))
		for _, what := range value[[]string](b, stepped) {
			t.Errorf("%d wide: %s", width, what)
		}
		read := value[int](b, `(() => { let n = 0; for (const step of document.querySelectorAll(".step")) { step.click();
			n += [...document.querySelectorAll("#lens .lab:not(.off)")].filter((e) => e.textContent.startsWith("level=INFO")).length; } return n; })()`)
		if read < 3 {
			t.Errorf("%d wide: %d of the lines are read in the lens, at all steps", width, read)
		}
		rows := value[int](b, `(() => { const lane = [...document.querySelectorAll("#overview .head .lane")].at(-1).getBBox();
			return new Set([...document.querySelectorAll("#overview path.mark")].map((e) => Number(e.dataset.y)).filter((y) => y > lane.y)).size; })()`)
		want(b, "rows of those who print", rows, 3)
		note := value[bool](b, `(() => { const head = [...document.querySelectorAll("#overview .head")].at(-1), lane = head.querySelector(".lane").getBBox(), note = head.querySelector(".note").getBBox(); return note.y + note.height <= lane.y + lane.height; })()`)
		want(b, "whether the number of lines is within the lane", note, true)
		value[any](b, `[...document.querySelectorAll("#lens .head")].at(-1).scrollIntoView({ block: "center" })`)
		b.shoot(fmt.Sprintf("printed-lens-%d", width))
		b.press("l")
		b.click("#lanes label:last-of-type input")
		want(b, "lanes of printed lines that are shown", value[int](b, `[...document.querySelectorAll("#overview .head:not(.off) .name")].filter((e) => e.textContent === "printed").length`), 0)
	}
}
