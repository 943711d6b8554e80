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
	{"guide", "guide.html"},
	{"document", "guide/bring-your-own-lock.html"},
	{"wide-tables", "guide/locks.html"},
	{"scenarios", "scenarios.html"},
	{"scenario", "scenarios/lost-reply.html"},
	{"properties", "properties.html"},
	{"property", "properties/fencing.html"},
	{"locks", "locks.html"},
	{"lock", "locks/setpx-twostep.html"},
	{"experiment", "experiments/hotspot.html"},
	{"track-record", "track-record.html"},
	{"report", "track-record/redislock-v0.9.3.html"},
	{"api", "api.html"},
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
const axe = `axe.run(document, {iframes: false, resultTypes: ["violations"]}).then((r) => r.violations.map((v) => (
	{ID: v.id, Help: v.help, Nodes: v.nodes.slice(0, 3).map((n) => ({HTML: n.html.slice(0, 300), FailureSummary: n.failureSummary}))})))`

// TestAxe: axe finds nothing in any kind of page, in light and dark, on a wide screen and on a telephone.
func TestAxe(t *testing.T) {
	built(t)
	script, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("%v: run `npm ci` in site first, as `make site-test` does", err)
	}
	for _, k := range kinds {
		for _, v := range []view{{width: 1440, height: 900}, {width: 1440, height: 900, dark: true}, {width: 390, height: 844}} {
			scheme := "light"
			if v.dark {
				scheme = "dark"
			}
			name := fmt.Sprintf("%s-%s-%d", k.name, scheme, v.width)
			t.Run(name, func(t *testing.T) {
				b := open(t, k.page, v)
				value[bool](b, string(script)+"\n;true")
				for _, v := range value[[]violation](b, axe) {
					t.Errorf("%s: %s", v.ID, v.Help)
					for _, n := range v.Nodes {
						t.Logf("  %s\n  %s", n.HTML, strings.ReplaceAll(n.FailureSummary, "\n", "\n  "))
					}
				}
			})
		}
	}
}

// TestAxeFinds: axe is asked so that it finds what is wrong.
func TestAxeFinds(t *testing.T) {
	built(t)
	script, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, "guide.html", view{width: 1440, height: 900})
	value[bool](b, `document.querySelector("main").insertAdjacentHTML("beforeend", '<p style="color: #999; background: #fff">grey</p><img src="">'); `+string(script)+"\n;true")
	found := map[string]bool{}
	for _, v := range value[[]violation](b, axe) {
		found[v.ID] = true
	}
	if !found["color-contrast"] || !found["image-alt"] {
		t.Errorf("axe found %v, want color-contrast and image-alt", found)
	}
}

// TestWidths: no page is wider than its screen; what is wide scrolls within itself.
func TestWidths(t *testing.T) {
	built(t)
	for _, k := range kinds {
		for _, width := range []int64{390, 1024, 1440} {
			t.Run(fmt.Sprintf("%s-%d", k.name, width), func(t *testing.T) {
				for _, dark := range []bool{false, true} {
					if dark && *shots == "" {
						continue // the widths are the same
					}
					b := open(t, k.page, view{width: width, height: 900, dark: dark})
					if over := value[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
						wide := value[string](b, `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, pre")).slice(0, 5).map((e) => e.outerHTML.slice(0, 120)).join("\n")`)
						t.Errorf("the page is wider than %d px by %d:\n%s", width, over, wide)
					}
					b.shoot(fmt.Sprintf("%s-%d-%v", k.name, width, dark))
				}
			})
		}
	}
}
