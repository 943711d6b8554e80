package bench

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/bench/lockbench/arms"
	"github.com/lockpick-dev/lockpick/bench/lockbench/bugs"
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
)

// results are of two bugs: E finds both, A one of them, and has a false alarm.
func results() *Results {
	r := &Results{Plan: Plan{Name: "full", Bugs: []string{"redis-del", "redis-two-step-release"}, Arms: []string{"A", "E"}, Seeds: 4, Early: 2, Limit: 300}}
	for seed := range uint64(4) {
		for _, bug := range r.Plan.Bugs {
			r.Outcomes = append(r.Outcomes, trial.Outcome{Bug: bug, Version: trial.Bad, Arm: "E", Seed: seed + 1, Found: true, Seconds: float64(seed + 1), Processor: 2})
		}
		r.Outcomes = append(r.Outcomes, trial.Outcome{Bug: "redis-del", Version: trial.Bad, Arm: "A", Seed: seed + 1, Found: seed < 3, Seconds: 100})
		if seed < 2 {
			r.Outcomes = append(r.Outcomes, trial.Outcome{Bug: "redis-two-step-release", Version: trial.Bad, Arm: "A", Seed: seed + 1, Seconds: 300})
		}
	}
	r.Outcomes = append(r.Outcomes, trial.Outcome{Bug: "redis-del", Version: trial.Good, Arm: "A", Seed: 1, Commit: "0123abcd", Found: true, Sentence: "c1 and c2 both held the lock."})
	return r
}

// TestScore: tries that were left out count as not found.
func TestScore(t *testing.T) {
	r := results()
	if s := r.of("redis-del", "E"); s.median() != 2 || s.quantile(0.9) != 4 || s.found != 4 || s.processor != 2 {
		t.Errorf("%+v", s)
	}
	if s := r.of("redis-two-step-release", "A"); s.found != 0 || s.made != 2 || len(s.seconds) != 4 || !math.IsInf(s.median(), 1) {
		t.Errorf("%+v", s)
	}
	if s := r.of("redis-del", "A"); s.String() != "3: 100 / - !" {
		t.Error(s.String())
	}
	if got := r.share("A", 300); got != 3.0/8 {
		t.Error(got)
	}
	if got := r.within("A", 300); len(got) != 1 {
		t.Error(got)
	}
}

// TestClear: an arm that found nothing twice does not try a bug any more, and a file has what it has.
func TestClear(t *testing.T) {
	r := results()
	p := r.Plan
	for _, c := range []struct {
		t    task
		want bool
	}{
		{task{bug: "redis-two-step-release", arm: "A", version: trial.Bad, seed: 3}, true},
		{task{bug: "redis-two-step-release", arm: "A", version: trial.Good, seed: 1}, false},
		{task{bug: "redis-del", arm: "A", version: trial.Bad, seed: 4}, true},
		{task{bug: "redis-del", arm: "B", version: trial.Bad, seed: 1}, false},
	} {
		if got := r.has(c.t); got != c.want {
			t.Errorf("%+v: %t", c.t, got)
		}
	}
	if p.clear(task{bug: "redis-del", arm: "A", version: trial.Bad, seed: 4}, r.Outcomes) {
		t.Error("an arm that finds a bug goes on")
	}
}

// TestResume: results are kept in a file at once, and another plan does not go on with it.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	p := Full(bugs.All(), arms.All())
	r, err := Open(path, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.add(trial.Outcome{Bug: "redis-del", Version: trial.Bad, Arm: "E", Seed: 1, Found: true}, 1); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path, p)
	if err != nil || len(again.Outcomes) != 1 || !again.has(p.tasks("redis-del", arms.Default())[0]) || again.has(p.tasks("redis-del", arms.Default())[1]) {
		t.Errorf("%+v, %v", again, err)
	}
	if _, err := Open(path, Quick(bugs.All(), arms.All())); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("a quick run goes on with a full one: %v", err)
	}
}

// TestPart: a run of some bugs and arms makes the tries of these, and its file keeps the plan of all.
func TestPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	p := Full(bugs.All(), arms.All())
	if r, err := Open(path, p); err != nil || r.add(trial.Outcome{Bug: "redis-del", Version: trial.Bad, Arm: "E", Seed: 1, Found: true}, 1) != nil {
		t.Fatal(err)
	}
	part, err := p.Only("redis-del,two-step", "E")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(path, p)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(part.Bugs, []string{"redis-del", "redis-two-step-release"}) || !slices.Equal(part.Arms, []string{"E"}) || len(r.Plan.Bugs) != len(bugs.All()) {
		t.Errorf("the part has %v and %v, and the file %d bugs", part.Bugs, part.Arms, len(r.Plan.Bugs))
	}
	for want, ask := range map[string][2]string{`"redis-dle"`: {"redis-del,redis-dle", ""}, `no arm "Z"`: {"", "AZ"}} {
		if _, err := p.Only(ask[0], ask[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v", ask, err)
		}
	}
}

// TestDamaged: results that no run has written are refused, with the name of their file.
func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "damaged.json")
	for _, text := range []string{``, `{"plan":`, `null`, `{"plan": {"name": "full", "bugs": ["redis-del"], "seeds": 0, "limitSeconds": 300}}`, `{"plan": {"seeds": 2000000000, "limitSeconds": 300}}`, `{"plan": {"seeds": 5, "limitSeconds": -1}}`} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "damaged.json") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// TestQuick: its bugs exist, and there are some of each store.
func TestQuick(t *testing.T) {
	if p := Quick(bugs.All(), arms.All()); len(p.Bugs) != len(quickBugs) {
		t.Errorf("of %v there are %v", quickBugs, p.Bugs)
	}
}

// TestPage: it says where a claim does not hold, and its picture is one.
func TestPage(t *testing.T) {
	p := Page{Results: results(), Bugs: bugs.All(), Arms: arms.All(), Root: "../../../.."}
	path := filepath.Join(t.TempDir(), "lockbench.md")
	if err := p.Write(path); err != nil {
		t.Fatal(err)
	}
	text, err := Page{Results: results(), Bugs: []*trial.Bug{bugs.All()[0]}, Arms: arms.All(), Root: "../../../.."}.text("x.svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## Where the others are better", "| A: stress + fault proxy |", "1 of 1 |", "false alarms", "- A, `redis-del`: c1 and c2 both held the lock.", "made later than the others: 1 of A at commit 0123abcd.", "5 of E on `" + bugs.All()[0].ID + "`"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "| ? |") {
		t.Error("lines of test are not known")
	}
	picture := xml.NewDecoder(strings.NewReader(plot(results(), arms.All())))
	for {
		if _, err := picture.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
