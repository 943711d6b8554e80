package simrun

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

func init() {
	addedProperty = checker.Property{
		ID: "no-waiting", Letter: "J", Legend: "somebody waits",
		About:       "nobody waits for the lock",
		Description: model.Description{Asks: "Nobody waits for the lock.", Window: "waits"},
		Verdict: func(j *checker.Judge) model.Verdict {
			for i := range j.History().Operations {
				op := &j.History().Operations[i]
				if op.Kind == model.Acquire && op.Return.At-op.Call.At > j.History().TTL/10 {
					return model.Verdict{
						Status: model.Violated, Sentence: j.Who(op) + " waited for the lock.",
						Operations: []int{op.ID}, From: op.Call, To: op.Return,
					}
				}
			}
			return model.Verdict{Status: model.Holds}
		},
	}
}

// TestProperties: a property of the program is listed, judged in the workers, explained and
// drawn, and it stands in the matrix with its letter.
func TestProperties(t *testing.T) {
	worker, err := explore.Self("worker")
	if err != nil {
		t.Fatal(err)
	}
	worker.Env = []string{mark + "=1", addedMark + "=1"}
	run := func(want int, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		a := &app{name: "simrun", out: &out, err: &errs, locks: locks(), families: families(), worker: worker}
		Properties(addedProperty)(a)
		if err := a.usable(); err != nil {
			t.Fatal(err)
		}
		if code := a.main(t.Context(), args); code != want {
			t.Fatalf("%q: exit code %d, want %d\n%s%s", args, code, want, &out, &errs)
		}
		return out.String()
	}
	dir := t.TempDir()
	trace := filepath.Join(dir, "contention_setpx_no-waiting.json")
	page := filepath.Join(dir, "matrix.html")
	shown := map[string]string{
		"list -v":  run(exitNone, "list", "-v"),
		"list":     run(exitNone, "list"),
		"run":      run(exitViolation, "run", "contention", "--lock", "setpx", "--runs", "20", "--out", dir),
		"explain":  run(exitNone, "explain", trace),
		"replay":   run(exitViolation, "replay", trace),
		"matrix":   run(exitViolation, "matrix", "--lock", "setpx", "--scenario", "contention", "--runs", "20", "-o", page),
		"the JSON": run(exitViolation, "matrix", "--lock", "setpx", "--scenario", "contention", "--runs", "20", "--json"),
	}
	run(exitNone, "view", trace, "-o", filepath.Join(dir, "no-waiting.svg"))
	for name, file := range map[string]string{"the picture": filepath.Join(dir, "no-waiting.svg"), "the page": page} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		shown[name] = string(text)
	}
	for name, want := range map[string]string{
		"list -v": "no-waiting         " + addedProperty.About, "list": "no-waiting",
		"run": "no-waiting", "explain": "The rule: Nobody waits for the lock.", "replay": "no-waiting",
		"matrix": "J  somebody waits (no-waiting)", "the JSON": `"property":"no-waiting"`,
		"the picture": "✗ no-waiting: waits", "the page": "somebody waits",
	} {
		if !strings.Contains(shown[name], want) {
			t.Errorf("%s does not say %q:\n%.3000s", name, want, shown[name])
		}
	}
	if !strings.Contains(shown["matrix"], "✗J") {
		t.Errorf("the matrix does not have its letter:\n%s", shown["matrix"])
	}
}

// TestPropertiesRefused: a letter that another property has is refused before anything is done.
func TestPropertiesRefused(t *testing.T) {
	a := &app{locks: locks()}
	p := addedProperty
	p.Letter = "H"
	Properties(p)(a)
	if err := a.usable(); err == nil || !strings.Contains(err.Error(), "the letter H of the property no-waiting is that of mutual-exclusion") {
		t.Errorf("it says %v", err)
	}
}
