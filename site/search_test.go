package site

import (
	"strings"
	"testing"
)

// typed searches for a text, and returns the addresses of what is found, once the search has answered.
const typed = `(async () => {
	const q = document.getElementById("query");
	q.focus();
	const results = document.getElementById("results");
	results.hidden = true;
	q.value = %s;
	q.dispatchEvent(new Event("input"));
	while (results.hidden) await new Promise((done) => setTimeout(done, 20));
	return [...results.querySelectorAll("a")].map((a) => a.href);
})()`

// TestSearch: the search finds pages and their sections, from a page in any directory, without a server; each result leads to
// a file of the site.
func TestSearch(t *testing.T) {
	files := map[string]bool{}
	for _, f := range built(t) {
		files[f] = true
	}
	for _, from := range []string{"index.html", "locks/setpx.html"} {
		b := open(t, from, view{width: 1440, height: 900})
		for query, want := range map[string]string{
			"fencing": "properties/fencing.html", "setpx-twostep": "locks/setpx-twostep.html", "sentinel topolog": "guide/topologies.html",
			"Ownership locktest": "api/locktest.html", "lost-reply": "scenarios/lost-reply.html",
		} {
			found := value[[]string](b, typed, query)
			has := false
			for _, url := range found {
				_, file, _ := strings.Cut(url, "/"+public+"/")
				file, _, _ = strings.Cut(file, "#")
				if !files[file] {
					t.Errorf("%q from %s: %s is no file of the site", query, from, url)
				}
				has = has || file == want
			}
			if !has {
				t.Errorf("%q from %s: %v, want %s among them", query, from, found, want)
			}
		}
		if found := value[[]string](b, typed, "qqqqzzzz"); len(found) > 0 {
			t.Errorf("what is nowhere is found in %v", found)
		}
		b.shoot("search-" + strings.ReplaceAll(from, "/", "-"))
	}
}

// TestWithoutScript: a page says the same without its script, and does not offer what needs one.
func TestWithoutScript(t *testing.T) {
	built(t)
	b := open(t, "locks/index.html", view{width: 1440, height: 900, scriptOff: true})
	b.shoot("without-script")
	got := value[map[string]bool](b, `({
		search: document.querySelector("form.search").getClientRects().length > 0,
		theme: document.querySelector("button.theme").getClientRects().length > 0,
		matrix: document.querySelectorAll(".matrix td").length > 1000,
		nav: document.querySelectorAll(".top nav a").length === 8,
	})`)
	for what, want := range map[string]bool{"search": false, "theme": false, "matrix": true, "nav": true} {
		if got[what] != want {
			t.Errorf("%s is %v, want %v", what, got[what], want)
		}
	}
}

// TestTheme: the button changes the theme, which the next page keeps.
func TestTheme(t *testing.T) {
	built(t)
	b := open(t, "index.html", view{width: 1440, height: 900})
	const ground = `getComputedStyle(document.body).backgroundColor`
	light := value[string](b, ground)
	value[bool](b, `document.querySelector("button.theme").click(); true`)
	dark := value[string](b, ground)
	if light == dark {
		t.Errorf("the ground is %s in light and dark", light)
	}
	if got := value[string](b, `document.querySelector("button.theme").getAttribute("aria-pressed")`); got != "true" {
		t.Errorf("the button is pressed: %s", got)
	}
	value[bool](b, `document.querySelector("button.theme").click(); true`)
	if again := value[string](b, ground); again != light {
		t.Errorf("the ground is %s after two clicks, want %s", again, light)
	}
}
