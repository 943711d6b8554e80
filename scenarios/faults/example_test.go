package faults_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/traces"
)

const hiccup sim.Kind = "fault:hiccup"

// Hiccups stop a client for a moment, before any event of its own.
var Hiccups = &stage.Fault{
	Name: "hiccups", Most: 16,
	About: "how often a client process may stop for a moment",
	One:   "a client that stops for a moment", Many: "clients that stop for a moment",
	Inject: func(s *stage.Stage, budget int) {
		s.Strike(budget, stage.Strikes{
			Kind: hiccup, Options: 1, Odds: 50,
			Can: func(e sim.Upcoming) bool { return s.Running(e) != nil },
			Do:  func(e sim.Upcoming, _ int) bool { return s.Client(e.Actor).Pause(10 * time.Millisecond) },
		})
	},
	Kinds: []sim.Kind{hiccup},
	Describe: func(t *stage.Choice) string {
		return fmt.Sprintf("%s stops for a moment at %s", t.Actor, traces.Moment(t.Event.At))
	},
}

// second is a tape that deviates at the second decision of a kind.
type second struct {
	kind  sim.Kind
	asked int
}

func (s *second) Choose(d sim.Decision) int {
	if d.Kind != s.kind {
		return 0
	}
	s.asked++
	if s.asked == 2 {
		return 1
	}
	return 0
}

// TestAFaultIsOneFile: a fault that no other code knows has a parameter, strikes as
// often as that allows, and is described.
func TestAFaultIsOneFile(t *testing.T) {
	settings := stage.SettingsOf(redis.Store, append([]*stage.Fault{Hiccups}, faults.All...))
	var p stage.Params
	if err := settings.Set(&p, "hiccups", "17"); err == nil {
		t.Error("17 is not refused")
	}
	err := settings.Set(&p, "hiccups", "1")
	if list := settings.List(p); err != nil || list[len(list)-1] != (traces.Parameter{Name: "hiccups", Value: "1"}) {
		t.Fatalf("%v, %v", list, err)
	}
	r := sim.Run(sim.Config{Tape: &second{kind: hiccup}, Record: true}, func(w *sim.World) {
		s := &stage.Stage{World: w, Params: p, Store: redis.Store}
		s.Inject(settings.Faults())
		c := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		s.Join(c, s.ClockError())
		c.Go(func() {
			for range 5 {
				c.Step("work", time.Millisecond)
			}
		})
	})
	for _, c := range r.Choices {
		if c.Option == 0 || c.Kind != hiccup {
			continue
		}
		text, seq := faults.Describe(settings.Faults(), &stage.Choice{Choice: c, Event: &r.Events[c.Shows-1], Events: r.Events, History: &model.History{}})
		if text != "c1 stops for a moment at 0.001s" || r.Events[seq-1].Decision != c.ID() {
			t.Errorf("event %d: %q", seq, text)
		}
		return
	}
	t.Error("it did not strike")
}

// TestContributingShowsIt: the fault that CONTRIBUTING.md shows is the one above.
func TestContributingShowsIt(t *testing.T) {
	guide, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(guide), "```go\n")
	code, _, _ = strings.Cut(code, "```")
	if len(code) < 500 || !strings.Contains(string(own), code) {
		t.Errorf("CONTRIBUTING.md shows another fault:\n%s", code)
	}
}
