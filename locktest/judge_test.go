package locktest_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// takesTurns is a property that only this test knows: nobody gets the lock twice in a row
// while another waits for it.
var takesTurns = checker.Property{
	ID: "takes-turns", Letter: "J", Legend: "somebody jumps the queue",
	About: "nobody gets the lock twice in a row while another waits for it",
	Description: model.Description{
		Asks:   "Nobody gets the lock in {store} twice in a row while another waits for it.",
		Window: "twice in a row",
		Breaks: model.AtEnd,
	},
	Verdict: func(j *checker.Judge) model.Verdict {
		claims := model.Claims(j.History())
		for i := 1; i < len(claims); i++ {
			first, second := &claims[i-1], &claims[i]
			if first.Acquire.Client != second.Acquire.Client {
				continue
			}
			for k := range j.History().Operations {
				o := &j.History().Operations[k]
				waits := o.Kind == model.Acquire && o.Client != first.Acquire.Client && o.Call.Seq < first.Stop.Seq && (!o.Return.Happened() || o.Return.Seq > second.Start.Seq)
				if waits {
					return model.Verdict{
						Status: model.Violated, Sentence: j.Who(second.Acquire) + " got the lock twice in a row while " + j.Who(o) + " waited for it.",
						Operations: []int{first.Acquire.ID, second.Acquire.ID, o.ID}, From: first.Start, To: second.Start,
					}
				}
			}
		}
		return model.Verdict{Status: model.Holds}
	},
}

func newSetPX(c *cell.Client) lock.Locker {
	return redislocks.NewSetPX(redis.Connect(c), c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
}

// TestJudge: a property of a test is judged in the workers, its counterexample is shrunk,
// and explained and drawn in the property's words.
func TestJudge(t *testing.T) {
	r := locktest.Explore(t, newSetPX, locktest.On(redis.Store), locktest.Only("contention"), locktest.Runs(50), locktest.Judge(takesTurns), locktest.Properties(checker.MutualExclusion))
	if len(r.Findings) != 1 || r.Findings[0].Property != takesTurns.ID || r.Findings[0].Limit {
		t.Fatalf("%+v", r)
	}
	trace := r.Findings[0].Trace
	if len(trace.Verdicts) != 2 || trace.Shrunk == nil {
		t.Errorf("verdicts %+v, shrunk %+v", trace.Verdicts, trace.Shrunk)
	}
	for what, show := range map[string]func(*bytes.Buffer) error{
		"explained": func(b *bytes.Buffer) error { return render.Explain(b, trace, render.Style{}) },
		"drawn":     func(b *bytes.Buffer) error { return render.Draw(b, trace) },
		"a page":    func(b *bytes.Buffer) error { return render.View(b, trace, "") },
	} {
		var shown bytes.Buffer
		if err := show(&shown); err != nil {
			t.Fatal(err)
		}
		words := []string{"takes-turns", "twice in a row while"}
		switch what {
		case "explained":
			words = append(words, "The rule: Nobody gets the lock in Redis twice in a row")
		case "drawn":
			words = append(words, "✗ takes-turns: twice in a row")
		}
		for _, w := range words {
			if !strings.Contains(strings.Join(strings.Fields(shown.String()), " "), w) {
				t.Errorf("%s: it does not say %q:\n%.3000s", what, w, &shown)
			}
		}
	}
}

// TestJudgePanics: the test fails with what panicked, once, and with what else was found.
func TestJudgePanics(t *testing.T) {
	slowtest.SkipIfShort(t)
	if v := cell.Versions(redis.Store)["go-redis"]; v != "v9.0.5" {
		t.Skipf("the golden file was made with another go-redis than %s", v)
	}
	p := takesTurns
	p.Verdict = func(*checker.Judge) model.Verdict { panic("no idea") }
	golden.Failing(t, filepath.Join("testdata", "judge_panics.golden"), 80, func(t *testing.T) {
		locktest.Check(t, newSetPX, locktest.On(redis.Store), locktest.Only("contention", "gc-pause"), locktest.Judge(p), locktest.Strict())
	})
}

// TestJudgeRefuses: the id of a property that there is is refused.
func TestJudgeRefuses(t *testing.T) {
	p := takesTurns
	p.ID = checker.Fencing
	golden.Failing(t, filepath.Join("testdata", "judge_refuses.golden"), 20, func(t *testing.T) {
		locktest.Check(t, newSetPX, locktest.On(redis.Store), locktest.Judge(p))
	})
}
