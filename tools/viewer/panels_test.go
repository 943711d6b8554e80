package viewer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// place is where in the window a moment stands in a picture.
func (b *tab) place(picture string, nanos int64) float64 {
	b.Helper()
	from, to := stretch(b, picture)
	plot := value[box](b, `(() => { const svg = document.getElementById(%s), r = svg.getBoundingClientRect(), c = svg.querySelector("clipPath rect");
		const per = r.width / svg.viewBox.baseVal.width, x = Number(c.getAttribute("x")) * per; return {X: r.x + x, Y: r.y, Width: Number(c.getAttribute("width")) * per, Height: r.height}; })()`, picture)
	return plot.X + (float64(nanos)/1e9-from)/(to-from)*plot.Width
}

// lane is the middle of a lane in the window.
func (b *tab) lane(picture string, n string) float64 {
	b.Helper()
	at := value[box](b, `(() => { const r = document.querySelectorAll("#" + %s + " .head .lane")[Number(%s)].getBoundingClientRect(); return {X: r.x, Y: r.y, Width: r.width, Height: r.height}; })()`, picture, n)
	return at.Y + at.Height/2
}

// TestMoment: a click shows what each client believes then, beside what is true.
func TestMoment(t *testing.T) {
	trace := sample(t, "gc-pause")
	b := open(t, trace, view{})
	for _, c := range []struct {
		at             int64
		believed, true []string
	}{
		{50e6, []string{"c1is pausedbelieves that it holds the lock", "c2does not believe that it holds the lockwaits for the lock"}, []string{"redis1", "c1's key lock = 9f2c41…, until 2.002"}},
		{2020e6, []string{"c1is pausedbelieves that it holds the lock"}, []string{"has no key of the lock"}},
		{2050e6, []string{"c1is pausedbelieves that it holds the lock", "c2believes that it holds the lock"}, []string{"c2's key lock = 41aa07…"}},
	} {
		b.clickAt(b.place("overview", c.at), b.lane("overview", "4")) // the resource's
		at := b.text("#look-at")
		if seconds := value[float64](b, `parseFloat(document.getElementById("look-at").textContent) * 1e9`); seconds < float64(c.at)-5e6 || seconds > float64(c.at)+5e6 {
			t.Errorf("the moment is %s, %d was clicked at", at, c.at)
		}
		t.Log(at, b.text("#believed"), "|", b.text("#true"))
		for _, text := range c.believed {
			b.contains("what is believed at "+at, b.text("#believed"), text)
		}
		for _, text := range c.true {
			b.contains("what is true at "+at, b.text("#true"), text)
		}
	}
	b.shoot("moment")
	sides := [2]box{b.box(".sides > div:first-child"), b.box(".sides > div:last-child")}
	if sides[0].X+sides[0].Width > sides[1].X || sides[0].Y != sides[1].Y {
		t.Errorf("they are not side by side: %v, %v", sides[0], sides[1])
	}
	want(b, "lines at the moment in the overview", b.count("#overview .cursor:not(.off)"), 1)
}

// TestOverlapIsToBeSeen: where the violation is, both clients believe that they hold the
// lock, and one has the key.
func TestOverlapIsToBeSeen(t *testing.T) {
	b := open(t, sample(t, "gc-pause"), view{})
	b.contains("what is believed at the violation", b.text("#believed"), "c1")
	b.press("p")
	t.Log(b.text("#look-at"), "|", b.text("#believed"), "|", b.text("#true"))
	b.contains("the moment", b.text("#look-at"), "step")
	b.contains("what is believed", b.text("#believed"), "believes that it holds the lock")
	b.contains("what is true", b.text("#true"), "primary")
}

// TestMomentOfStep: the moment of a step is after it, though other things happen at the same
// time.
func TestMomentOfStep(t *testing.T) {
	trace := sample(t, "gc-pause")
	b := open(t, trace, view{})
	n := 0
	for i, s := range story.Steps(trace) {
		if !strings.HasPrefix(s.Text, "acquires the lock") {
			continue
		}
		n++
		b.click(fmt.Sprintf(".step:nth-child(%d)", i+1))
		b.contains("the moment", b.text("#look-at"), fmt.Sprintf("step %d", i+1))
		b.contains("what is believed then", b.text("#believed"), s.Actor+"believes that it holds the lock")
	}
	if n < 2 {
		t.Errorf("%d steps are acquisitions", n)
	}
}

// TestOperation: a click on an operation shows what it sent, what came back and what the
// node did, in order.
func TestOperation(t *testing.T) {
	b := open(t, sample(t, "gc-pause"), view{})
	want(b, "whether an operation is shown at first", value[bool](b, `document.getElementById("operation").hidden`), true)
	b.click("#overview .claim.k1") // c2's
	b.contains("the operation", b.text("#operation-title"), "c2: acquire")
	b.contains("its outcome", b.text("#operation-outcome"), "acquire: ok")
	entries := value[[]string](b, `[...document.querySelectorAll("#entries li")].map((e) => e.className + " " + e.textContent)`)
	t.Log(strings.Join(entries, "\n"))
	b.shoot("operation")
	granted := -1
	for i, e := range entries {
		if strings.Contains(e, "redis1 creates key lock = 41aa07") {
			granted = i
		}
	}
	if granted < 1 || granted+1 >= len(entries) {
		t.Fatalf("the grant is entry %d of %d", granted, len(entries))
	}
	b.contains("what was sent before the grant", entries[granted-1], "sent")
	b.contains("what was sent before the grant", entries[granted-1], "c2 sends: SET")
	b.contains("what came back", entries[granted+1], "back")
	b.contains("what came back", entries[granted+1], "c2 hears: +OK")
	b.contains("what came again and again", b.text("#entries .again"), "c2: the same 31 times more, the last from 1.976")
	b.contains("others of the hold", b.text("#hold-title"), "c2: release")
	b.click("#hold button")
	if !strings.Contains(b.text("#operation-title"), "c2: ") || strings.Contains(b.text("#operation-title"), "acquire") {
		t.Errorf("the other operation of the hold is %q", b.text("#operation-title"))
	}
	b.click("#operation-close")
	want(b, "whether the operation is shown", value[bool](b, `document.getElementById("operation").hidden`), true)
	// A mark leads to its operation.
	b.press("0")
	value[any](b, `document.querySelector("#lens .mark.k0:not(.off)").scrollIntoView({ block: "end" })`)
	b.click("#lens .mark.k0:not(.off)")
	b.contains("the operation of a mark", b.text("#operation-title"), "c1: write")
	b.contains("what it sent", b.text("#entries"), "register is written: 1")
}

// TestOperationByKey: from event to event, and to the operation, without a pointer.
func TestOperationByKey(t *testing.T) {
	b := open(t, sample(t, "gc-pause"), view{})
	b.press(".")
	want(b, "whether a detail is told", value[bool](b, `document.getElementById("tip").hidden`), false)
	first := b.text("#said")
	b.press(".")
	if b.text("#said") == first {
		t.Errorf("after the next event the same is announced: %q", first)
	}
	for range 40 {
		if strings.Contains(b.text("#said"), "writes") {
			break
		}
		b.press(",")
	}
	b.press("o")
	b.contains("the operation", b.text("#operation-title"), "write")
	b.contains("what is announced", b.text("#said"), "write")
	b.press(kb.Escape, kb.Escape)
	want(b, "whether the operation is hidden", value[bool](b, `document.getElementById("operation").hidden`), true)
}

// TestSteppingFromThePointer: the keys go on from what the pointer has chosen since.
func TestSteppingFromThePointer(t *testing.T) {
	b := open(t, sample(t, "gc-pause"), view{})
	b.press(".", ".")
	const chosen = `Number(document.querySelector(".chosen").dataset.d)`
	order := value[[]int](b, `((all) => all.map((d, i) => i).sort((a, c) => all[a].at - all[c].at || a - c))(JSON.parse(document.getElementById("data").textContent).details)`)
	byKey := value[int](b, chosen)
	value[any](b, `(() => {
		const mark = [...document.querySelectorAll("#lens .mark:not(.off)")].shift();
		mark.scrollIntoView({ block: "center", behavior: "instant" });
		const r = mark.getBoundingClientRect();
		document.querySelector("#lens").dispatchEvent(new PointerEvent("pointermove", { clientX: r.x + r.width / 2, clientY: r.y + r.height / 2, bubbles: true }));
	})()`)
	pointed := slices.Index(order, value[int](b, chosen))
	if at := slices.Index(order, byKey); pointed < 3 || pointed+1 >= len(order) || max(pointed-at, at-pointed) < 3 {
		t.Fatalf("the pointer chose detail %d of %d, the keys %d", pointed, len(order), at)
	}
	b.press(".")
	want(b, "the detail behind the pointer's", slices.Index(order, value[int](b, chosen)), pointed+1)
	b.press(",", ",")
	want(b, "the detail before the pointer's", slices.Index(order, value[int](b, chosen)), pointed-1)
}

// TestMomentAboveTheFold: when a page is opened, what each client believes stands beside what is true at the deciding step, in sight
// without scrolling, with the picture below it. The picture scrolls to its lens, and
// does not move otherwise from step to step.
func TestMomentAboveTheFold(t *testing.T) {
	for _, name := range []string{"gc-pause_setpx_no-lost-update", "failover-loss_setpx-fenced_fencing", "lost-wakeup_test-lease-deaf_progress", "partition_setpx_mutual-exclusion", "watchdog-late_watchdog_overrun"} {
		trace := corpus(t, name)
		bad := violating(story.Steps(trace))
		for _, v := range []view{{width: 1440, height: 900}, {width: 1920, height: 1080}, {width: 1120, height: 900}} {
			b := open(t, trace, v)
			what := fmt.Sprintf("%s, %d wide: ", name, v.width)
			b.contains(what+"the moment", b.text("#look-at"), fmt.Sprintf("step %d", bad))
			believed, is := b.box("#believed"), b.box("#true")
			if believed.Height < 20 || is.Height < 20 || believed.X+believed.Width > is.X || max(believed.Y+believed.Height, is.Y+is.Height) > float64(v.height) {
				t.Errorf("%sbelieved is at %v, true at %v", what, believed, is)
			}
			for _, client := range trace.Actors {
				if client.Kind == traces.ClientActor {
					b.contains(what+"what is believed", b.text("#believed"), client.Name)
				}
			}
			const top = `document.getElementById("overview").getBoundingClientRect().y + document.querySelector(".stage").scrollTop`
			at := value[float64](b, top)
			if at+120 > float64(v.height) {
				t.Errorf("%sthe picture is at %v", what, at)
			}
			b.shoot(fmt.Sprintf("fold-%s-%d", name, v.width))
			for range min(5, bad-1) {
				b.press("p")
				if now := value[float64](b, top); now < at-1 || now > at+1 {
					t.Errorf("%sthe picture is at %v after a step, and was at %v", what, now, at)
				}
				believed := b.box("#believed")
				if bar := b.box(".tools"); believed.Y < bar.Y+bar.Height || believed.Y+believed.Height > float64(v.height) {
					t.Errorf("%sbelieved is at %v after a step, and the bar at %v", what, believed, bar)
				}
			}
			b.shoot(fmt.Sprintf("fold-%s-%d-stepped", name, v.width))
		}
	}
}
