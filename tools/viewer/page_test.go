package viewer

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestStoryBesidePicture: the story scrolls, and the picture beside it stays.
func TestStoryBesidePicture(t *testing.T) {
	const height = 600 // low enough that the story is longer by more than it is scrolled
	for _, width := range []int64{1120, 1400, 1700} {
		b := open(t, sample(t, "gc-pause"), view{width: width, height: height})
		tale, stage := b.box(".tale"), b.box(".stage")
		if tale.X+tale.Width > stage.X || stage.Width < tale.Width {
			t.Errorf("%d wide: the story is at %v, the picture at %v", width, tale, stage)
		}
		value[any](b, `scrollTo({top: document.querySelector(".bench").getBoundingClientRect().top + 60, behavior: "instant"})`)
		b.settle()
		tale, stage = b.box(".tale"), b.box(".stage")
		if tale.Y > -50 || stage.Y < 0 || stage.Y > 20 || stage.Height > height {
			t.Errorf("%d wide, scrolled: the story is at %v, the picture at %v", width, tale, stage)
		}
	}
}

// TestKeysOnWholePage: keys work wherever the focus is, are listed behind a question mark,
// and leave fields and other keys alone.
func TestKeysOnWholePage(t *testing.T) {
	b := open(t, sample(t, "gc-pause"), view{})
	for _, focus := range []string{"#copy", ".step .number", "#overview", "#fold", "#lanes summary"} {
		value[any](b, `document.querySelector(%s).focus()`, focus)
		before := value[int](b, marked)
		b.press("p")
		want(b, "the step after p in "+focus, value[int](b, marked), before-1)
	}
	b.press("?")
	want(b, "whether the keys are listed", value[bool](b, `document.getElementById("keys").open`), true)
	b.shoot("keys")
	for _, key := range []string{"n", "p", "j", "k", "←", "→", "↑", "↓", "Home", "End", ".", ",", "o", "<", ">", "+", "−", "0", "Shift ←", "]", "[", "w", "f", "l", "/", "Esc", "?"} {
		if !value[bool](b, `[...document.querySelectorAll("#keys kbd")].some((k) => k.textContent === %s)`, key) {
			t.Errorf("the key %s is not listed", key)
		}
	}
	before := value[int](b, marked)
	b.press("n")
	want(b, "the step after n in the list of keys", value[int](b, marked), before)
	b.press(kb.Escape)
	want(b, "whether the keys are listed after Escape", value[bool](b, `document.getElementById("keys").open`), false)
	from, _ := stretch(b, "lens")
	b.press(">")
	if now, _ := stretch(b, "lens"); now <= from {
		t.Error("the lens has not moved")
	}
	from, to := stretch(b, "lens")
	b.press("+")
	if f, l := stretch(b, "lens"); l-f >= to-from {
		t.Error("the lens is not closer")
	}
}

// TestKeyboardOnly: everything on the page can be reached and done by keys.
func TestKeyboardOnly(t *testing.T) {
	b := open(t, sample(t, "gc-pause"), view{})
	reached := map[string]bool{}
	for range 80 {
		b.press(kb.Tab)
		id := value[string](b, `(() => { const e = document.activeElement; return e.id || e.className || e.parentElement.id || e.localName; })()`)
		reached[id] = true
		if e := value[bool](b, `document.activeElement !== document.body && getComputedStyle(document.activeElement).outlineStyle === "none"`); e {
			t.Errorf("the focus on %s cannot be seen", id)
		}
	}
	for _, id := range []string{"number", "previous", "next", "in", "out", "reset", "wide", "close", "whole", "fold", "lanes", "help", "overview", "lens", "copy", "events"} {
		if !reached[id] {
			t.Errorf("Tab does not reach %s", id)
		}
	}
	value[any](b, `document.querySelectorAll(".step .number")[3].focus()`)
	b.press(kb.Enter)
	want(b, "the step after Enter on the fourth number", value[int](b, marked), 4)
	value[any](b, `document.getElementById("next").focus()`)
	b.press(kb.Enter)
	want(b, "the step after Enter on the button", value[int](b, marked), 5)
}

// TestReducedMotion: nothing moves by itself if the reader does not want that.
func TestReducedMotion(t *testing.T) {
	for _, still := range []bool{true, false} {
		b := open(t, sample(t, "gc-pause"), view{moving: !still})
		value[any](b, `(() => { window.ways = []; const old = Element.prototype.scrollIntoView; Element.prototype.scrollIntoView = function (o) { ways.push(o.behavior); return old.call(this, o); }; })()`)
		b.press("/", kb.Enter)
		way := value[string](b, `[...new Set(ways)].join()`)
		if still {
			want(b, "how the page scrolls", way, "auto")
		} else {
			want(b, "how the page scrolls", way, "smooth")
		}
		moving := value[int](b, `document.getAnimations().length`)
		want(b, "animations", moving, 0)
	}
}

// TestPhone: 390 pixels are enough: nothing is cut off at the side, everything can be read,
// and tapped.
func TestPhone(t *testing.T) {
	for _, s := range sampletraces.Samples {
		b := open(t, s.Make(), view{width: 390, height: 844, touch: true})
		want(b, s.Name+": the page's width", value[int](b, `document.documentElement.scrollWidth`), 390)
		if at := b.box("#lens"); at.X < 0 || at.X+at.Width > 390 || at.Width < 320 {
			t.Errorf("%s: the lens is at %v", s.Name, at)
		}
		small := value[[]string](b, `[...document.querySelectorAll(".tools button, .menu summary")].filter((e) => e.getClientRects().length && e.getBoundingClientRect().height < 24).map((e) => e.id)`)
		if len(small) > 0 {
			t.Errorf("%s: too small to tap: %v", s.Name, small)
		}
		if s.Name != "gc-pause" {
			continue
		}
		b.shoot("phone-top")
		value[any](b, `document.querySelector(".stage").scrollIntoView()`)
		b.settle()
		b.shoot("phone-picture")
		before := value[int](b, marked)
		b.click("#previous")
		want(b, "the step after a tap", value[int](b, marked), before-1)
		b.contains("the line above the picture", b.text("#current"), fmt.Sprintf("Step %d of", before-1))
		value[any](b, `scrollTo(0, document.querySelector("#lens").getBoundingClientRect().bottom + scrollY - 300)`)
		b.settle()
		if at := b.box(".bar"); at.Y != 0 || at.Height > 110 {
			t.Errorf("further down, the buttons are at %v", at)
		}
		b.shoot("phone-lens")
		value[any](b, `document.getElementById("lanes").scrollIntoView({inline: "nearest", block: "nearest"})`)
		b.click("#lanes summary")
		b.shoot("phone-lanes")
		if at := b.box("#lanes .list"); at.X < 0 || at.X+at.Width > 390 || at.Y < 0 || at.Y+at.Height > 844 || at.Height < 100 {
			t.Errorf("the list of lanes is at %v", at)
		}
		b.press(kb.Escape)
		b.press("/")
		b.settle()
		b.shoot("phone-events")
		want(b, "the page's width with the events", value[int](b, `document.documentElement.scrollWidth`), 390)
	}
}

// contrasts are the texts whose contrast is too low: 4.5 to 1, or 3 to 1 in the pictures.
const contrasts = `(() => {
	const canvas = new OffscreenCanvas(1, 1), pen = canvas.getContext("2d", { willReadFrequently: true });
	const color = (c) => { pen.clearRect(0, 0, 1, 1); pen.fillStyle = c; pen.fillRect(0, 0, 1, 1); return [...pen.getImageData(0, 0, 1, 1).data]; };
	const light = ([r, g, b]) => { const f = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
	const over = (top, under) => top.slice(0, 3).map((v, i) => v * top[3] / 255 + under[i] * (1 - top[3] / 255));
	const ground = (e) => { const all = []; for (; e; e = e.parentElement) all.push(color(getComputedStyle(e).backgroundColor)); return all.reverse().reduce((under, top) => over(top, under), [255, 255, 255]); };
	return [...document.querySelectorAll("h1, h2, h3, p, li, td, th, dt, dd, button, time, label, .text, .scale, kbd")].filter((e) => e.getClientRects().length && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())).flatMap((e) => {
		const a = light(over(color(getComputedStyle(e).color), ground(e))), b = light(ground(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		return ratio < 4.5 ? [e.localName + "." + e.className + " " + ratio.toFixed(1) + " " + e.textContent.slice(0, 30)] : []; });
})()`

// TestDark: the dark page is dark, and everything on it can be read, as on the light one.
func TestDark(t *testing.T) {
	for _, dark := range []bool{true, false} {
		b := open(t, sample(t, "gc-pause"), view{dark: dark, height: 1000, width: 1400})
		b.press("p", "o")
		b.shoot(fmt.Sprintf("dark-%v", dark))
		light := value[float64](b, `(() => { const [r, g, b] = getComputedStyle(document.querySelector(".stage")).backgroundColor.match(/\d+/g).map(Number); return (r + g + b) / 3; })()`)
		want(b, "whether the page is dark", light < 60, dark)
		b.press("/")
		for _, low := range value[[]string](b, contrasts) {
			t.Errorf("dark %v: too little contrast: %s", dark, low)
		}
	}
}

// TestEveryKeyOnEveryPage: no key puts anything on the console, whatever the page shows, and
// no picture without lanes or steps stops the script.
func TestEveryKeyOnEveryPage(t *testing.T) {
	unfinished := sample(t, "calm")
	unfinished.Trouble = &traces.Trouble{Kind: "crashed", Reason: "The run crashed"}
	unfinished.Events, unfinished.History, unfinished.Verdicts = nil, model.History{}, nil
	experiment := sample(t, "calm")
	experiment.Experiment, experiment.Verdicts = &traces.Experiment{Until: experiment.EndAt()}, nil
	pages := []*traces.Trace{unfinished, experiment, long()}
	for _, s := range sampletraces.Samples {
		pages = append(pages, s.Make())
	}
	for i, trace := range pages {
		for _, dark := range []bool{false, true} {
			b := open(t, trace, view{dark: dark})
			if i == 1 {
				b.contains("the scale", b.text("#scale"), "where the recording was cut")
			}
			b.press("n", "p", ".", ".", ",", "o", kb.Escape, kb.ArrowLeft, kb.ArrowRight, kb.ArrowUp, kb.ArrowDown, kb.Home, kb.End, "j", "k", "<", ">", "+", "=", "-", "]", "]", "[", "shift+"+kb.ArrowLeft, "shift+"+kb.ArrowRight,
				"w", "w", "f", "f", "l", "l", "0", "?", kb.Escape, "/", kb.Enter, kb.Enter, kb.Escape, kb.Escape)
		}
	}
}

// TestWithoutScript: the page can be read without its script, and shows nothing that needs
// it.
func TestWithoutScript(t *testing.T) {
	b := open(t, sample(t, "gc-pause"), view{scriptOff: true})
	for selector, n := range map[string]int{".js": 0, "#tip": 0, "#keys": 0, "#overview": 1, "#lens": 1, "#events": 1} {
		want(b, "how many of "+selector+" can be seen", b.count(selector), n)
	}
	if b.count(".step") < 5 || b.count("#overview .claim") < 2 {
		t.Error("the story or the picture is missing")
	}
	b.shoot("no-script")
}
