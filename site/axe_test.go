package site

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// kinds are the main kinds of pages, each by one of them.
var kinds = []struct{ name, page string }{
	{"home", "index.html"},
	{"guide", "guide/index.html"},
	{"document", "guide/bring-your-own-lock.html"},
	{"wide-tables", "guide/locks.html"},
	{"scenarios", "scenarios/index.html"},
	{"scenario", "scenarios/lost-reply.html"},
	{"properties", "properties/index.html"},
	{"property", "properties/fencing.html"},
	{"locks", "locks/index.html"},
	{"lock", "locks/setpx-twostep.html"},
	{"experiment", "experiments/hotspot.html"},
	{"track-record", "track-record/index.html"},
	{"report", "track-record/redislock-v0.9.3.html"},
	{"api", "api/index.html"},
	{"package", "api/locktest.html"},
}

// violation is what axe says is wrong with elements of a page.
type violation struct {
	ID, Help string
	Nodes    []struct {
		HTML           string
		FailureSummary string
	}
}

// axe judges a page by all of its rules. What is in a frame is a page of its own.
const axe = `axe.run(document, {iframes: false, preload: false, resultTypes: ["violations"]}).then((r) => r.violations.map((v) => (
	{ID: v.id, Help: v.help, Nodes: v.nodes.slice(0, 3).map((n) => ({HTML: n.html.slice(0, 300), FailureSummary: n.failureSummary}))})))`

// views are the screens that pages are looked at on.
var views = []view{
	{width: 1440, height: 1000}, {width: 1440, height: 1000, dark: true}, {width: 1024, height: 1000},
	{width: 390, height: 1000}, {width: 390, height: 1000, dark: true},
}

// TestPages: axe finds nothing in any kind of page, in light and dark, on a wide screen and on a telephone; and no page is wider
// than its screen: what is wide scrolls within itself.
func TestPages(t *testing.T) {
	built(t)
	script := axeScript(t)
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			b := open(t, k.page, views[0])
			value[bool](b, script+"\n;true")
			for _, v := range views {
				b.look(v)
				if over := value[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
					t.Errorf("the page is wider than %d px by %d:\n%s", v.width, over, value[string](b, wide))
				}
				if v.width != 1024 {
					b.judge(v)
				}
				b.shoot(fmt.Sprintf("%s-%d-%s", k.name, v.width, v.scheme()))
			}
		})
	}
}

// wide are some elements that are too wide.
const wide = `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, pre, .picture, .top nav"))
	.slice(0, 5).map((e) => e.outerHTML.slice(0, 120)).join("\n")`

// judge reports what axe finds.
func (b *tab) judge(v view) {
	b.Helper()
	for _, found := range value[[]violation](b, axe) {
		b.Errorf("%d px, %s: %s: %s", v.width, v.scheme(), found.ID, found.Help)
		for _, n := range found.Nodes {
			b.Logf("  %s\n  %s", n.HTML, strings.ReplaceAll(n.FailureSummary, "\n", "\n  "))
		}
	}
}

// axeScript is what `npm ci` has installed.
func axeScript(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("%v: run `npm ci` in site first, as `make site-browser` does", err)
	}
	return string(script)
}

// TestAxeFinds: axe is asked so that it finds what is wrong.
func TestAxeFinds(t *testing.T) {
	built(t)
	script := axeScript(t)
	b := open(t, "guide/index.html", views[0])
	value[bool](b, `document.querySelector("main").insertAdjacentHTML("beforeend", '<p style="color: #999; background: #fff">grey</p><img src="">'); `+script+"\n;true")
	found := map[string]bool{}
	for _, v := range value[[]violation](b, axe) {
		found[v.ID] = true
	}
	if !found["color-contrast"] || !found["image-alt"] {
		t.Errorf("axe found %v, want color-contrast and image-alt", found)
	}
}
