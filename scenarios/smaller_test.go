package scenarios_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// size is what Smaller makes less of.
func size(p cell.Params) int {
	n := p.Clients + p.Rounds + p.Followers + p.Again + p.LongHolds + p.Threads + p.Sizes
	for _, a := range p.Faults {
		n += a.Times
	}
	return n
}

// known are the scenarios and the locks of the tests.
var known = scenarios.Registry(cells.Locks())

// smaller checks what Smaller answers, and returns it.
func smaller(t rapid.TB, raw json.RawMessage) []json.RawMessage {
	was, err := known.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	list := was.Smaller(raw)
	for _, next := range list {
		c, err := known.Decode(next)
		if err != nil {
			t.Fatalf("%s is no cell: %v", next, err)
		}
		if c.Scenario != was.Scenario || c.Lock.ID != was.Lock.ID || c.Params.TTL != was.Params.TTL || c.Params.Lease != was.Params.Lease {
			t.Fatalf("%s is something else than %s", next, raw)
		}
		if size(c.Params) >= size(was.Params) {
			t.Fatalf("%s is not smaller than %s", next, raw)
		}
	}
	return list
}

// Whichever way one goes, one arrives where nothing is left out any more.
func TestSmallerEndsInNothing(t *testing.T) {
	for _, s := range scenarios.All() {
		for _, l := range builtin.Locks() {
			if !cells.Sampled(s.ID+"/"+l.ID, 12) {
				continue
			}
			for _, last := range []bool{false, true} {
				raw := cells.Of(t, s.ID, l.ID).Encode()
				for list := smaller(t, raw); len(list) > 0; list = smaller(t, raw) {
					if raw = list[0]; last {
						raw = list[len(list)-1]
					}
				}
				c, err := known.Decode(raw)
				if err != nil {
					t.Fatal(err)
				}
				if p := c.Params; p.Clients != 1 || p.Rounds != 1 || size(p)-p.Own.Of(redis.MinReplicas) != 2 {
					t.Errorf("%s/%s ends in %s", s.ID, l.ID, raw)
				}
			}
		}
	}
}

func TestSmallerTerminates(t *testing.T) {
	slowtest.SkipIfShort(t)
	rapid.Check(t, func(t *rapid.T) {
		c, err := known.Cell("contention", "setpx", nil)
		if err != nil {
			t.Fatal(err)
		}
		draw := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
		p := &c.Params
		p.Clients, p.Rounds, p.Followers = draw("clients", 1, 16), draw("rounds", 1, 50), draw("replicas", 1, 8)
		p.LongHolds = draw("long holds", 0, 16)
		for _, f := range faults.All {
			p.Faults = p.Faults.With(f, draw(f.Name, 0, min(f.Most, 16)))
		}
		steps := size(*p)
		raw := c.Encode()
		for list := smaller(t, raw); len(list) > 0; list = smaller(t, raw) {
			if steps--; steps < 0 {
				t.Fatal("it does not end")
			}
			raw = rapid.SampledFrom(list).Draw(t, "next")
		}
	})
}

func TestSmallerOfWhatIsNoCell(t *testing.T) {
	for _, raw := range []string{"", "null", "{", `[1]`, `{"parameters": [{"name": "depth", "value": "3"}]}`, `{"parameters": [{"name": "clients", "value": "many"}]}`} {
		if list := cells.Of(t, "contention", "setpx").Smaller(json.RawMessage(raw)); len(list) != 0 {
			t.Errorf("%q: %s", raw, list)
		}
	}
}
