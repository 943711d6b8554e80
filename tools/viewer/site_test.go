package viewer

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// siteDir is where `make site` has built the site.
var siteDir = filepath.Join("..", "..", "site", "public")

// siteKinds are the main kinds of pages, each by one of them.
var siteKinds = []struct{ name, page string }{
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
	{"reports", "track-record/reports.html"},
	{"api", "api/index.html"},
	{"package", "api/locktest.html"},
}

// openSite shows a page of the site, as a browser opens a file.
func openSite(t testing.TB, page string, v view) *tab {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(siteDir, filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("%v: run `make site` first", err)
	}
	return openFile(t, file, v)
}

// siteFiles are the paths of all files of the site, with slashes.
func siteFiles(t testing.TB) (list []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(siteDir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatalf("%v: run `make site` first", err)
	}
	return list
}

// TestSitePages: axe finds nothing in any kind of page, in light and dark, on a wide screen and on a telephone; and no page is
// wider than its screen: what is wide scrolls within itself.
func TestSitePages(t *testing.T) {
	for _, k := range siteKinds {
		t.Run(k.name, func(t *testing.T) {
			views := append(looks(), view{width: 1024, height: 1000})
			b := openSite(t, k.page, views[0])
			for _, v := range views {
				b.look(v)
				b.settle()
				if over := value[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
					t.Errorf("the page is wider than %d px by %d:\n%s", v.width, over, value[string](b, wide))
				}
				if v.width != 1024 {
					b.axe(k.name + ", " + v.String())
				}
				b.shoot(fmt.Sprintf("site-%s-%d-dark-%t", k.name, v.width, v.dark))
			}
		})
	}
}

// wide are some elements that are too wide.
const wide = `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, pre, .picture, .top nav"))
	.slice(0, 5).map((e) => e.outerHTML.slice(0, 120)).join("\n")`

// TestSiteAxeFinds: axe is asked so that it finds what is wrong.
func TestSiteAxeFinds(t *testing.T) {
	b := openSite(t, "guide/index.html", view{})
	value[bool](b, `(document.querySelector("main").insertAdjacentHTML("beforeend", '<p style="color: #999; background: #fff">grey</p><img src="">'), true)`)
	broken := strings.Join(b.broken("a page with two faults"), "\n")
	if !strings.Contains(broken, "color-contrast: ") || !strings.Contains(broken, "image-alt: ") {
		t.Errorf("axe found %q, want color-contrast and image-alt", broken)
	}
}

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

// TestSiteFirstScreen: beside the commands, the first screen has the way to the playground, and a counterexample that one can step
// through there; on a telephone, the way to both.
func TestSiteFirstScreen(t *testing.T) {
	s := httptest.NewServer(http.FileServer(http.Dir(siteDir)))
	defer s.Close()
	const inFrame = `document.querySelector("iframe.viewer").contentDocument`
	for _, v := range []view{{width: 1440, height: 900}, {width: 1280, height: 800}} {
		b := openAddress(t, s.URL+"/index.html", v)
		for _, what := range []string{".home .highlight", `.home a.button[href$="playground/index.html"]`, "iframe.viewer"} {
			if at := b.box(what); at.Width < 100 || at.X < 0 || at.X+at.Width > float64(v.width) || at.Y+at.Height > float64(v.height) {
				t.Errorf("%v: %s is at %v", v, what, at)
			}
		}
		b.wait("the counterexample", "Boolean("+inFrame+`?.querySelector(".step[aria-current].bad"))`)
		next := value[box](b, `(() => { const r = `+inFrame+`.getElementById("previous").getBoundingClientRect(); return {X: r.x, Y: r.y, Width: r.width, Height: r.height}; })()`)
		before := value[string](b, inFrame+`.getElementById("current").textContent`)
		frame := b.box("iframe.viewer")
		if next.Y+next.Height > frame.Height {
			t.Errorf("%v: the button is at %v of a frame of %v", v, next, frame)
		}
		b.shoot(fmt.Sprintf("site-first-%d", v.width))
		b.clickAt(frame.X+1+next.X+next.Width/2, frame.Y+1+next.Y+next.Height/2)
		if now := value[string](b, inFrame+`.getElementById("current").textContent`); now == before || !strings.HasPrefix(now, "Step ") {
			t.Errorf("%v: the step is %q after a click, and was %q", v, now, before)
		}
	}
	b := openAddress(t, s.URL+"/index.html", view{width: 390, height: 844})
	for _, what := range []string{`.home a.button[href$="playground/index.html"]`, `.home .actions a[href*="counterexamples/"]`} {
		if at := b.box(what); at.Width < 100 || at.Y+at.Height > 844 {
			t.Errorf("on a telephone %s is at %v", what, at)
		}
	}
	want(b, "frames on a telephone", b.count("iframe.viewer"), 0)
}

// TestSiteSearch: the search finds pages and their sections, from a page in any directory, without a server; each result leads to
// a file of the site.
func TestSiteSearch(t *testing.T) {
	files := map[string]bool{}
	for _, f := range siteFiles(t) {
		files[f] = true
	}
	for _, from := range []string{"index.html", "locks/setpx.html"} {
		b := openSite(t, from, view{width: 1440, height: 900})
		for query, want := range map[string]string{
			"fencing": "properties/fencing.html", "setpx-twostep": "locks/setpx-twostep.html", "sentinel topolog": "guide/topologies.html",
			"Ownership locktest": "api/locktest.html", "lost-reply": "scenarios/lost-reply.html",
		} {
			found := value[[]string](b, typed, query)
			has := false
			for _, url := range found {
				_, file, _ := strings.Cut(url, "/site/public/")
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

// TestSiteWithoutScript: a page says the same without its script, and does not offer what needs one.
func TestSiteWithoutScript(t *testing.T) {
	b := openSite(t, "locks/index.html", view{width: 1440, height: 900, scriptOff: true})
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

// TestSiteTheme: the button changes the theme.
func TestSiteTheme(t *testing.T) {
	b := openSite(t, "index.html", view{width: 1440, height: 900})
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

// TestSiteThemeOfFrames: a counterexample in a frame has the theme of the page around it, when that is chosen and afterwards.
func TestSiteThemeOfFrames(t *testing.T) {
	s := httptest.NewServer(http.FileServer(http.Dir(siteDir)))
	defer s.Close()
	for name, system := range map[string]bool{"light": false, "dark": true} { // unordered: each by itself
		t.Run(name, func(t *testing.T) {
			b := openAddress(t, s.URL+"/scenarios/gc-pause.html", view{width: 1440, height: 900, dark: system})
			value[bool](b, `document.querySelector("iframe.viewer").scrollIntoView(); true`)
			is := func(dark bool) string {
				return fmt.Sprintf(`((ink) => ink && (ink[0] > 128) === %v)(document.querySelector("iframe.viewer").contentDocument?.querySelector(".steps") &&
					getComputedStyle(document.querySelector("iframe.viewer").contentDocument.body).color.match(/\d+/g).map(Number))`, dark)
			}
			b.wait("the system's theme", "Boolean("+is(system)+")")
			value[bool](b, `document.querySelector("button.theme").click(); true`)
			b.wait("the other theme", "Boolean("+is(!system)+")")
			b.shoot("site-frame-chosen-against-" + name)
			value[bool](b, `document.querySelector("iframe.viewer").contentWindow.location.reload(); true`)
			b.wait("the other theme of a frame that is loaded", "Boolean("+is(!system)+") && document.querySelector(\"iframe.viewer\").contentDocument.readyState === \"complete\"")
			value[bool](b, `document.querySelector("button.theme").click(); true`)
			b.wait("the system's theme again", "Boolean("+is(system)+")")
		})
	}
}
