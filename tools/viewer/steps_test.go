package viewer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/traces/story"
)

// marked is the number of the step that is marked in the list, 0 if none is.
const marked = `[...document.querySelectorAll(".step")].findIndex((s) => s.hasAttribute("aria-current")) + 1`

// badges are the numbers that are marked in the pictures.
const badges = `[...new Set([...document.querySelectorAll(".badge.current")].map((b) => b.dataset.step))].join()`

// at fails the test unless a step is the current one: in the list, in the lens, in the
// address, and as announced.
func (b *tab) at(steps []story.Step, n int) {
	b.Helper()
	want(b, "the step marked in the list", value[int](b, marked), n)
	want(b, "the step marked in the pictures", value[string](b, badges), fmt.Sprint(n))
	want(b, "the steps marked in the lens", b.count("#lens .badge.current"), 1)
	want(b, "the address", value[string](b, "location.hash"), fmt.Sprintf("#step=%d", n))
	want(b, "where it is announced", value[string](b, `document.getElementById("said").getAttribute("aria-live")`), "polite")
	said := b.text("#said")
	b.contains("what is announced", said, fmt.Sprintf("Step %d of %d", n, len(steps)))
	b.contains("what is announced", said, steps[n-1].Text)
	want(b, "what stands above the picture", b.text("#current"), said)
}

// violating is the number of the step with which the property is broken.
func violating(steps []story.Step) int {
	for i, s := range steps {
		if s.Violating {
			return i + 1
		}
	}
	return 0
}

// TestStepping: the lens is at the violation at first, and the step before it is the one
// before, by key and by button.
func TestStepping(t *testing.T) {
	trace := sample(t, "gc-pause")
	steps := story.Steps(trace)
	bad := violating(steps)
	if bad < 4 {
		t.Fatalf("the violation is step %d", bad)
	}
	b := open(t, trace, view{})
	want(b, "the step marked at first", value[int](b, marked), bad)
	want(b, "the address at first", value[string](b, "location.hash"), "")
	b.press("p")
	b.at(steps, bad-1)
	b.click("#previous")
	b.at(steps, bad-2)
	b.shoot("step")
	b.click("#next")
	b.at(steps, bad-1)
	b.press("n", "n")
	b.at(steps, bad+1)
	for range len(steps) + 2 {
		b.press("p")
	}
	b.at(steps, 1)
	for range len(steps) + 2 {
		b.press("n")
	}
	b.at(steps, len(steps))
	b.click(".step:nth-child(2)")
	b.at(steps, 2)
}

// TestSteppingFromElsewhere: once the lens has left the current step, none is marked, and
// the next one is the next after where the lens is.
func TestSteppingFromElsewhere(t *testing.T) {
	trace := sample(t, "gc-pause")
	steps := story.Steps(trace)
	b := open(t, trace, view{hash: "#step=3"})
	b.at(steps, 3)
	middle := func() float64 {
		return value[float64](b, `(() => { const at = (s) => parseFloat(s) * 1e9, d = document.querySelector("#lens desc").textContent;
			const [, from, to] = /From (-?[\d.]+)s to ([\d.]+)s/.exec(d); return (at(from) + at(to)) / 2; })()`)
	}
	for range 12 {
		b.press(">")
	}
	want(b, "the step marked after the lens has left it", value[int](b, marked), 0)
	want(b, "the address after that", value[string](b, "location.hash"), "")
	from := middle()
	next := 0
	for i, s := range steps {
		if next == 0 && float64(s.At) > from {
			next = i + 1
		}
	}
	b.press("n")
	b.at(steps, next)
	for range 12 {
		b.press(">")
	}
	from = middle()
	before := 0
	for i, s := range steps {
		if float64(s.At) < from {
			before = i + 1
		}
	}
	b.press("p")
	b.at(steps, before)
}

// TestAddress: an address with a step opens the page there, and a new one goes there.
func TestAddress(t *testing.T) {
	trace := sample(t, "double-grant")
	steps := story.Steps(trace)
	b := open(t, trace, view{hash: "#step=2"})
	b.at(steps, 2)
	value[string](b, `location.hash = "#step=4"`)
	b.settle()
	b.at(steps, 4)
	for _, wrong := range []string{"#step=0", "#step=400", "#step=x", "#other"} {
		b := open(t, trace, view{hash: wrong})
		want(b, "the step marked with the address "+wrong, value[int](b, marked), violating(steps))
	}
}

// TestLensDescription: the description of the lens, and of the overview, is of what they
// show.
func TestLensDescription(t *testing.T) {
	trace := sample(t, "gc-pause")
	b := open(t, trace, view{})
	for n, s := range story.Steps(trace) {
		b.press("0")
		b.click(fmt.Sprintf(".step:nth-child(%d)", n+1))
		desc := b.text("#lens desc")
		var from, to float64
		if _, err := fmt.Sscanf(desc, "From %fs to %fs", &from, &to); err != nil || from > s.At.Seconds() || to < s.At.Seconds() || to-from > 0.1 {
			t.Errorf("step %d at %v: %q (%v)", n+1, s.At, desc, err)
		}
		_, list, _ := strings.Cut(desc, "tep")
		list, _, _ = strings.Cut(list, ".")
		if !strings.Contains(" "+strings.NewReplacer("s ", " ", ",", "").Replace(list)+" ", fmt.Sprintf(" %d ", n+1)) {
			t.Errorf("%q does not name step %d", desc, n+1)
		}
	}
	whole := b.text("#overview desc")
	b.press("]", "]")
	if b.text("#overview desc") == whole {
		t.Error("the description of the overview is as it was before it was zoomed")
	}
	want(b, "what describes the lens", value[string](b, `document.getElementById(document.getElementById("lens").getAttribute("aria-describedby")).localName`), "desc")
}

// TestRepeatedSteps: time-outs that follow each other are one step with one number, which says how often and until when, and opens to
// their times; each leads to its moment, and opening goes to no step.
func TestRepeatedSteps(t *testing.T) {
	trace := corpus(t, "lost-wakeup_test-lease-deaf_progress")
	steps := story.Steps(trace)
	b := open(t, trace, view{width: 1440, height: 900})
	want(b, "steps", b.count(".step"), len(steps))
	repeated := 0
	for i, s := range steps {
		if s.Again == 0 {
			continue
		}
		repeated++
		of := fmt.Sprintf(".step:nth-child(%d) .again", i+1)
		want(b, "times that are shown folded", b.count(of+"[open] time"), 0)
		want(b, "what is repeated", b.text(of+" summary"), fmt.Sprintf("%d times more until %.4fs", s.Again, s.Until.Seconds()))
		before := value[int](b, marked)
		b.click(of + " summary")
		want(b, "the step after opening", value[int](b, marked), before)
		want(b, "times that are shown unfolded", b.count(of+"[open] time"), min(s.Again, 20))
		b.click(of + " time:nth-of-type(2)")
		want(b, "the moment", fmt.Sprintf("%.4fs", value[float64](b, `parseFloat(document.getElementById("look-at").textContent)`)), b.text(of+" time:nth-of-type(2)"))
	}
	if repeated < 2 {
		t.Errorf("%d of %d steps are repeated", repeated, len(steps))
	}
	b.shoot("repeated-steps")
}

// TestKeysAreWhole: a key of a program, longer than those of locks, stands whole in the story, beside what is believed, in what is
// said of a shape, and in the lens.
func TestKeysAreWhole(t *testing.T) {
	const key = "shop:{orders}:customer-4711:invoice-2026-11:locked"
	trace := sample(t, "gc-pause")
	trace.History.LockName = key
	for i := range trace.History.Observations {
		if o := &trace.History.Observations[i]; o.Key == "lock" {
			o.Key = key
		}
	}
	b := open(t, trace, view{width: 1440, height: 900})
	b.contains("the story", b.text(".steps"), "acquires the lock ("+key+" = ")
	b.click(".step:nth-child(2)")
	b.contains("what is true", b.text("#true"), "key "+key+" = ")
	b.contains("what is said of shapes", b.text("#data"), "has "+key+" = ")
	shown := 0
	for range story.Steps(trace) {
		b.press("n")
		shown += value[int](b, `[...document.querySelectorAll("#lens .lab:not(.off)")].filter((e) => e.textContent.includes(%s)).length`, key)
	}
	if shown == 0 {
		t.Error("the lens has the key at no step")
	}
	b.shoot("long-key")
}
