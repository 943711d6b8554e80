package viewer

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// smallTexts are the texts that are shown with less than 12 pixels, each with its size.
const smallTexts = `(() => { const all = {};
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n; (n = walk.nextNode());) {
		const e = n.parentElement, svg = e.closest("svg");
		if (!n.data.trim() || !e.getClientRects().length || e.closest("script, style, title, desc")) continue;
		const size = parseFloat(getComputedStyle(e).fontSize) * (svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1);
		if (size < 11.99) all[size.toFixed(1) + " px: " + e.localName + "." + e.getAttribute("class")] = n.data.trim().slice(0, 30);
	}
	return Object.entries(all).map(([what, text]) => what + ": " + text).sort();
})()`

// readable fails the test if a text is too small, or the page is wider than the window.
func (b *tab) readable(what string, width int64) {
	b.Helper()
	for _, small := range value[[]string](b, smallTexts) {
		b.Errorf("%s: %s", what, small)
	}
	want(b, what+": the page's width", value[int64](b, `document.documentElement.scrollWidth`), width)
}

// TestPictureFirst: the picture is in the first window, also on a phone, three Tab stops at most come before it, and no
// text is too small.
func TestPictureFirst(t *testing.T) {
	for _, width := range []int64{390, 1024, 1440} {
		for _, name := range []string{"gc-pause", "attributed"} {
			b := open(t, sample(t, name), view{width: width, height: 844})
			what := fmt.Sprintf("%s, %d wide", name, width)
			at := b.box("#overview")
			t.Logf("%s: the picture begins at %.0f", what, at.Y)
			if at.Y > 500 {
				t.Errorf("%s: the picture begins at %.0f of 844", what, at.Y)
			}
			b.readable(what, width)
			stops := 0
			for ; stops < 10 && !value[bool](b, `document.activeElement.id === "overview"`); stops++ {
				b.press(kb.Tab)
			}
			t.Logf("%s: Tab stop %d is the picture", what, stops)
			if stops > 4 {
				t.Errorf("%s: %d Tab stops come before the picture", what, stops-1)
			}
			b.shoot(fmt.Sprintf("first-%s-%d", name, width))
		}
	}
	b := open(t, sampletraces.GCPause(), view{width: 390, height: 844, scriptOff: true})
	b.readable("without its script", 390)
}

// TestArrows: arrows, Home and End go from step to step and scroll nothing, but for where they have another meaning.
func TestArrows(t *testing.T) {
	trace := sample(t, "gc-pause")
	steps := story.Steps(trace)
	b := open(t, trace, view{width: 1440, height: 700})
	for _, focus := range []string{"body", "#overview", "#fold", "#lanes summary", ".step .number"} {
		value[any](b, `document.querySelector(%s).focus()`, focus)
		for _, press := range []struct {
			key  string
			step int
		}{
			{kb.Home, 1}, {kb.ArrowRight, 2}, {kb.ArrowDown, 3}, {"j", 4}, {kb.ArrowLeft, 3}, {kb.ArrowUp, 2}, {"k", 1}, {kb.ArrowUp, 1}, {kb.End, len(steps)}, {kb.ArrowDown, len(steps)},
		} {
			before := value[float64](b, "scrollY")
			b.press(press.key)
			want(b, fmt.Sprintf("the step after %q in %s", press.key, focus), value[int](b, marked), press.step)
			want(b, fmt.Sprintf("how far %q scrolls the page", press.key), value[float64](b, "scrollY")-before, 0)
		}
	}
	b.press("/")
	for _, field := range []string{"#query", "#actor"} {
		value[any](b, `document.querySelector(%s).focus()`, field)
		b.press(kb.Home, kb.ArrowLeft, kb.ArrowUp)
		want(b, "the step after keys in "+field, value[int](b, marked), len(steps))
	}
	b = open(t, trace, view{width: 390, height: 844})
	b.press(kb.Home)
	if at := b.box("#lens"); at.Y > 744 {
		t.Errorf("on a phone the lens is at %v after a step", at)
	}
}
