package viewer

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/playground"
	"github.com/lockpick-dev/lockpick/playground/drawing"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestPlaygroundSearch: a search in the browser has the hashes and the findings that it has on this machine, in worker
// processes. So have a finding that is shrunk and the runs on all stores that the page compares by itself.
func TestPlaygroundSearch(t *testing.T) {
	b := openAddress(t, host(t, nil)+"#scenario=gc-pause&lock=setpx&seed=7&runs=200", view{})
	b.searched(1)
	t.Logf("%.1f s after it was opened the first search has ended: %s", value[float64](b, `performance.now() / 1000`), b.text("#status"))
	s, told := onMachine(t)
	s.Search(t.Context(), playground.Search{Scenario: "gc-pause", Lock: "setpx", Seed: 7, Schedules: 200})
	end := last[playground.End](t, *told)
	if end.Schedules != 200 || end.Word != "violation" {
		t.Fatalf("the search on this machine: %+v", end)
	}
	want(b, "the hash of the search", b.text("#hash"), end.Hash)
	want(b, "the command", b.text("#command"), "simrun run gc-pause --lock setpx --seed 7 --runs 200")
	want(b, "the verdict", b.text("#verdict"), "A limit of leases")
	var names []string
	for _, m := range *told {
		if f, is := m.(playground.Found); is {
			names = append(names, f.Property)
			if f.Number == 0 {
				want(b, "the hash of the finding", b.text("#found-hash"), f.Hash)
				want(b, "the sentence", b.text("#sentence"), f.Sentence)
			}
		}
	}
	if got := value[[]string](b, `[...document.querySelectorAll("#list button")].map((e) => e.textContent.replace(" (limit)", ""))`); len(got) == 0 || !slices.Equal(got, names) {
		t.Errorf("findings %q, want %q", got, names)
	}
	b.drawn()
	b.shoot("playground")

	b.reach("#shrink")
	b.wait("shrinking", `document.querySelector("#origin").textContent.includes("shrunk")`)
	s.Shrink(t.Context(), 0)
	small := last[playground.Shown](t, *told)
	want(b, "it was shrunk on this machine", small.Shrunk, true)
	want(b, "the hash of the shrunk finding", b.text("#found-hash"), small.Found.Hash)
	b.drawn()
	d, err := drawing.Draw(drawing.Request{Trace: small.Trace, Command: small.Command})
	if err != nil {
		t.Fatal(err)
	}
	want(b, "the story", b.text("#story"), strings.Join(strings.Fields(d.Story), " "))
	b.wait("the picture", `!!document.querySelector("#picture").contentDocument?.querySelector(".steps li.bad")`)
	b.contains("the page of the trace", value[string](b, `document.querySelector("#picture").contentDocument.body.textContent`), "the violation")

	b.wait("that it is idle", `document.querySelector("#stop").disabled`)
	b.reach("#compare")
	b.wait("the comparison", `document.querySelectorAll("#said span").length === 8 && document.querySelector("#stop").disabled`)
	want(b, "runs that differ from the machine's", value[int](b, `document.querySelectorAll("#said .fault-text").length`), 0)
}

// TestPlaygroundLink: the address keeps the lock, the scenario, the parameters, the seed and the finding, and restores them.
func TestPlaygroundLink(t *testing.T) {
	home := host(t, nil)
	b := openAddress(t, home+"#scenario=node-restart&lock=redlock&seed=2&runs=40&p.clients=3&p.lease=4s", view{})
	b.searched(1)
	s, told := onMachine(t)
	params := []traces.Parameter{{Name: "clients", Value: "3"}, {Name: "lease", Value: "4s"}}
	s.Search(t.Context(), playground.Search{Scenario: "node-restart", Lock: "redlock", Parameters: params, Seed: 2, Schedules: 40})
	end := last[playground.End](t, *told)
	want(b, "the hash of the search", b.text("#hash"), end.Hash)
	want(b, "the command", b.text("#command"), end.Command)

	value[any](b, `(() => { const e = document.querySelector("#p-lease"); e.stepUp(2); e.dispatchEvent(new Event("input")); })()`)
	b.searched(2)
	address := value[string](b, `location.href`)
	lease := value[string](b, `document.querySelector("output[for=p-lease]").textContent`)
	b.contains("the address", address, "p.lease=8s")
	want(b, "the lease", lease, "8s")
	if n := b.count("#list button"); n < 2 {
		t.Fatalf("%d findings: this seed should have two, so that the link can name the last", n)
	}
	b.reach("#list button:last-child")
	b.wait("the last finding", `document.querySelector("#list button:last-child").ariaPressed === "true"`)
	address = value[string](b, `location.href`)
	again := openAddress(t, address, view{width: 390, height: 844, dark: true, touch: true})
	again.searched(1)
	for _, id := range []string{"#hash", "#command", "#verdict", "#sentence", "#origin"} {
		want(again, id, value[string](again, `document.querySelector(%s).textContent`, id), value[string](b, `document.querySelector(%s).textContent`, id))
	}
	for _, id := range []string{"#lock", "#scenario", "#seed", "#runs", "#p-lease", "#p-clients"} {
		want(again, id, value[string](again, `document.querySelector(%s).value`, id), value[string](b, `document.querySelector(%s).value`, id))
	}
	want(again, "what is wider than a small screen", value[bool](again, `document.documentElement.scrollWidth > innerWidth`), false)
	again.drawn()
	again.shoot("playground-390-dark")

	wrong := openAddress(t, home+"#scenario=deadlock&lock=setpx&runs=20&p.nonsense=1", view{})
	wrong.searched(1)
	wrong.contains("the trouble", wrong.text("#trouble"), "The scenario deadlock does not apply to setpx. There is no parameter nonsense.")
}

// TestPlaygroundFirst: while a search goes on there is the verdict of what was found so far, and its picture. How soon after the
// page was opened is logged, since it depends on the machine.
func TestPlaygroundFirst(t *testing.T) {
	b := openAddress(t, host(t, nil)+"#scenario=gc-pause&lock=setpx&seed=1&runs=100000", view{})
	b.wait("the first verdict", `!document.querySelector("#verdict").hidden`)
	t.Logf("%.1f s after it was opened there is a verdict", value[float64](b, `performance.now() / 1000`))
	want(b, "the verdict", b.text("#verdict"), "A limit of leases, so far")
	b.drawn()
	want(b, "whether it searches", value[bool](b, `!document.querySelector("#stop").disabled`), true)
}

// TestPlaygroundStop: a search that is stopped ends soon, says so, and leaves a worker that goes on.
func TestPlaygroundStop(t *testing.T) {
	b := openAddress(t, host(t, nil)+"#scenario=contention&lock=setpx&seed=1&runs=100000", view{})
	b.wait("some progress", `/^[1-9][0-9,]* of 100,000 schedules/.test(document.querySelector("#status").textContent)`)
	value[any](b, `window.stopping = performance.now()`)
	b.reach("#stop")
	b.searched(1)
	t.Logf("it took %.0f ms to stop", value[float64](b, `performance.now() - window.stopping`))
	want(b, "the verdict", b.text("#verdict"), "Stopped")
	want(b, "trouble", b.text("#trouble"), "")
	if n := value[int](b, `parseInt(document.querySelector("#status").textContent.replaceAll(",", ""))`); n < 1 || n >= 100000 {
		t.Errorf("%d schedules were run until it was stopped", n)
	}
	value[any](b, `(() => { const e = document.querySelector("#runs"); e.value = "30"; e.dispatchEvent(new Event("change")); })()`)
	b.searched(2)
	s, told := onMachine(t)
	s.Search(t.Context(), playground.Search{Scenario: "contention", Lock: "setpx", Seed: 1, Schedules: 30})
	want(b, "the hash of the next search", b.text("#hash"), last[playground.End](t, *told).Hash)
}

// TestPlaygroundSpins: a worker that does not answer is ended, the page says so, and the next one searches.
func TestPlaygroundSpins(t *testing.T) {
	spins := func(w http.ResponseWriter, r *http.Request, dir string) bool {
		if r.URL.Path != "/worker.js" {
			return false
		}
		text, err := os.ReadFile(filepath.Join(dir, "worker.js"))
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write(append(text, `
addEventListener("message", ({data}) => { if (data.do === "search" && JSON.parse(data.with).seed === "666") for (;;); });
`...))
		return true
	}
	b := openAddress(t, host(t, spins)+"#scenario=gc-pause&lock=setpx&seed=5&runs=20", view{})
	b.searched(1)
	hash := b.text("#hash")
	value[any](b, `(() => { document.documentElement.dataset.silence = "3"; const e = document.querySelector("#seed"); e.value = "666"; e.dispatchEvent(new Event("change")); })()`)
	b.wait("the end of the worker", `!document.querySelector("#trouble").hidden`)
	b.contains("the trouble", b.text("#trouble"), "a run did not return within 3 s: it waits or spins for ever")
	value[any](b, `(() => { document.documentElement.dataset.silence = "20"; const e = document.querySelector("#seed"); e.value = "5"; e.dispatchEvent(new Event("change")); })()`)
	b.searched(2)
	want(b, "the hash of the next worker's search", b.text("#hash"), hash)
	want(b, "trouble", b.text("#trouble"), "")
}

// TestPlaygroundHosts: it does not matter whether the host decompresses, or lacks the compressed program.
func TestPlaygroundHosts(t *testing.T) {
	for name, change := range map[string]func(http.ResponseWriter, *http.Request, string) bool{
		"decompressed on the way": func(w http.ResponseWriter, r *http.Request, _ string) bool {
			if strings.HasSuffix(r.URL.Path, ".gz") {
				w.Header().Set("Content-Encoding", "gzip")
			}
			return false
		},
		"uncompressed alone": func(w http.ResponseWriter, r *http.Request, dir string) bool {
			if !strings.HasSuffix(r.URL.Path, ".gz") {
				return false
			}
			http.ServeFile(w, r, filepath.Join(dir, "lockpick.wasm"))
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := openAddress(t, host(t, change)+"#scenario=gc-pause&lock=setpx&seed=5&runs=20", view{})
			b.searched(1)
			want(b, "trouble", b.text("#trouble"), "")
		})
	}
}
