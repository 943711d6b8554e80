package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/model"
)

// seen builds observations, numbered from 1, a second apart.
type seen struct{ all []model.Observation }

func (s *seen) add(node string, kind model.ObservationKind, change func(*model.Observation)) *seen {
	o := model.Observation{Node: node, Kind: kind, Primary: true, Key: "lock"}
	o.Seq = int64(len(s.all) + 1)
	o.At = time.Duration(o.Seq) * time.Second
	if change != nil {
		change(&o)
	}
	s.all = append(s.all, o)
	return s
}

// write is a value that an operation gave the key on a primary, with an expiry
// at a second of the run.
func (s *seen) write(node, value string, op int, expires time.Duration) *seen {
	return s.add(node, model.KeyChanged, func(o *model.Observation) {
		o.Value, o.By, o.ExpiresAt = value, model.Origin{Client: fmt.Sprintf("c%d", op), Op: op}, expires*time.Second
	})
}

// told prints holdings, one a line.
func told(holdings []model.Holding) string {
	var w strings.Builder
	for _, h := range holdings {
		fmt.Fprintf(&w, "%s: %s %d", h.Node, h.Holder, h.Count)
		if h.Write {
			w.WriteString(" writes")
		}
		fmt.Fprintf(&w, ", #%d, from %d", h.By.Op, h.From.Seq)
		if h.Resumed {
			w.WriteString(" again")
		}
		if h.Over.Happened() {
			fmt.Fprintf(&w, " to %d (%s)", h.Over.Seq, h.Ended)
		}
		fmt.Fprintf(&w, ", until %v\n", h.Until)
	}
	return w.String()
}

func TestHoldings(t *testing.T) {
	start := time.UnixMilli(1_000_000)
	for _, test := range []struct {
		name        string
		view        model.Ownership
		seen        *seen
		independent bool
		want        string
	}{
		{"a value that expires, and another one", model.ValueOwnership{Key: "lock"},
			new(seen).write("r1", "a", 1, 9).write("r1", "a", 1, 20).add("r1", model.KeyExpired, nil).write("r1", "b", 2, 40), false,
			"r1: a 1, #1, from 1 to 3 (expired), until 20s\nr1: b 1, #2, from 4, until 40s\n"},
		{"a value in place of another", model.ValueOwnership{},
			new(seen).write("r1", "a", 1, 0).write("r1", "b", 2, 0), false,
			"r1: a 1, #1, from 1 to 2 (changed), until 0s\nr1: b 1, #2, from 2, until 0s\n"},
		{"another key", model.ValueOwnership{Key: "other"}, new(seen).write("r1", "a", 1, 0), false, ""},
		{"re-entered and left", model.HashOwnership{Key: "lock"},
			new(seen).write("r1", "hash[a 1]", 1, 9).write("r1", "hash[a 2]", 2, 10).write("r1", "hash[a 1]", 3, 11).add("r1", model.KeyDeleted, nil), false,
			"r1: a 2, #1, from 1 to 4 (deleted), until 11s\n"},
		{"permits, and their sum", model.HashOwnership{Key: "lock", Besides: []string{"used"}},
			new(seen).write("r1", "hash[a 1 used 1]", 1, 0).write("r1", "hash[a 1 b 2 used 3]", 2, 0).write("r1", "hash[b 2 used 2]", 3, 0), false,
			"r1: a 1, #1, from 1 to 3 (changed), until 0s\nr1: b 2, #2, from 2, until 0s\n"},
		{"a writer who reads, and goes on to read", model.HashOwnership{Key: "lock", Besides: []string{"writer"}, Writers: "w:", Readers: "r:"},
			new(seen).write("r1", "hash[w:a 1 writer w:a]", 1, 0).write("r1", "hash[r:a 1 w:a 1 writer w:a]", 2, 0).write("r1", "hash[r:a 1]", 3, 0), false,
			"r1: a 1 writes, #1, from 1 to 3 (changed), until 0s\nr1: a 1, #2, from 2, until 0s\n"},
		{"permits with an end each", model.SortedSetOwnership{Key: "lock", Start: start},
			new(seen).write("r1", "zset[p 1005000]", 1, 5).write("r1", "zset[p 1005000 q 1007500]", 2, 8).write("r1", "zset[q 1007500]", 3, 8), false,
			"r1: p 1, #1, from 1 to 3 (changed), until 5s\nr1: q 1, #2, from 2, until 7.5s\n"},
		{"a failover that has the key", model.ValueOwnership{},
			new(seen).write("r1", "a", 1, 9).add("r2", model.KeyCreated, func(o *model.Observation) {
				o.Primary, o.Value, o.By, o.ExpiresAt = false, "a", model.Origin{Client: "c1", Op: 1}, 10*time.Second
			}).add("r1", model.Crashed, nil).add("r2", model.Promoted, nil).add("r1", model.Returned, func(o *model.Observation) { o.Primary = false }), false,
			"r1: a 1, #1, from 1 to 3 (crashed), until 9s\nr2: a 1, #1, from 4 again, until 10s\n"},
		{"a restart with the data", model.ValueOwnership{},
			new(seen).write("r1", "a", 1, 9).add("r1", model.Crashed, nil).add("r1", model.Returned, nil), false,
			"r1: a 1, #1, from 1 to 2 (crashed), until 9s\nr1: a 1, #1, from 3 again, until 9s\n"},
		{"an independent node keeps what it had", model.ValueOwnership{},
			new(seen).write("r1", "a", 1, 9).add("r1", model.Crashed, nil).add("r1", model.KeyDropped, nil), true,
			"r1: a 1, #1, from 1 to 3 (dropped), until 9s\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := model.Holdings(test.view, test.seen.all, test.independent)
			if err != nil {
				t.Fatal(err)
			}
			if told(got) != test.want {
				t.Errorf("got\n%swant\n%s", told(got), test.want)
			}
		})
	}
}

// TestHoldingsUnreadable: what cannot be read is said, with the event.
func TestHoldingsUnreadable(t *testing.T) {
	for _, test := range []struct {
		view  model.Ownership
		value string
		want  string
	}{
		{model.HashOwnership{Key: "lock"}, "a", `event 1 on r1: key "lock" is "a": want a hash`},
		{model.HashOwnership{Key: "lock"}, "hash[a b 1]", `event 1 on r1: key "lock" is "hash[a b 1]": want pairs, of names without spaces`},
		{model.HashOwnership{Key: "lock"}, "hash[mode read]", `event 1 on r1: field "mode" of hash "lock" is "read": want a count`},
		{model.SortedSetOwnership{Key: "lock"}, "hash[a 1]", `event 1 on r1: key "lock" is "hash[a 1]": want a zset`},
		{model.SortedSetOwnership{Key: "lock"}, "zset[a soon]", `event 1 on r1: the score of "a" in sorted set "lock" is "soon": want milliseconds`},
	} {
		_, err := model.Holdings(test.view, new(seen).write("r1", test.value, 1, 0).all, false)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.value, err, test.want)
		}
	}
}

// TestHoldingStands: up to the event that ends it, and up to its own end.
func TestHoldingStands(t *testing.T) {
	at := func(seq int64) model.Stamp { return model.Stamp{Seq: seq, At: time.Duration(seq) * time.Second} }
	h := model.Holding{From: at(3), Over: at(9), Until: 7 * time.Second}
	var got []int64
	for seq := range int64(12) {
		if h.Stands(at(seq)) {
			got = append(got, seq)
		}
	}
	if h.Until = 0; !h.Stands(at(8)) || h.Stands(at(9)) {
		t.Error("without an end of its own it stands up to the event that ends it")
	}
	if want := []int64{3, 4, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("stands at %v, want %v", got, want)
	}
}

func TestQuorum(t *testing.T) {
	s := new(seen).write("r1", "a", 1, 30).write("r2", "a", 1, 31).write("r3", "a", 1, 32).
		add("r1", model.KeyDeleted, nil).write("r1", "b", 2, 50).add("r3", model.KeyDeleted, nil).write("r3", "b", 2, 51)
	holdings, err := model.Holdings(model.ValueOwnership{}, s.all, true)
	if err != nil {
		t.Fatal(err)
	}
	want := ": a 1, #1, from 2 to 6 (deleted), until 31s\n: b 1, #2, from 7, until 50s\n"
	if got := told(model.Quorum(holdings, 2)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestQuorumStands: after each event a quorum stands for exactly those who
// have the lock on so many nodes.
func TestQuorumStands(t *testing.T) {
	nodes := []string{"r1", "r2", "r3"}
	rapid.Check(t, func(t *rapid.T) {
		s := new(seen)
		for range rapid.IntRange(1, 20).Draw(t, "events") {
			node := rapid.SampledFrom(nodes).Draw(t, "node")
			if rapid.IntRange(0, 2).Draw(t, "deleted") == 2 {
				s.add(node, model.KeyDeleted, nil)
			} else {
				s.write(node, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "value"), 1, 0)
			}
		}
		need := rapid.IntRange(1, 3).Draw(t, "need")
		holdings, err := model.Holdings(model.ValueOwnership{}, s.all, true)
		if err != nil {
			t.Fatal(err)
		}
		quorums := model.Quorum(holdings, need)
		has := map[string]string{} // the value of each node
		for _, o := range s.all {
			has[o.Node] = o.Value // "" if deleted
			for _, value := range []string{"a", "b"} {
				on, stand := 0, 0
				for _, node := range nodes {
					if has[node] == value {
						on++
					}
				}
				for i := range quorums {
					if quorums[i].Holder == value && quorums[i].Stands(o.Stamp) {
						stand++
					}
				}
				if want := on >= need; stand > 1 || (stand == 1) != want {
					t.Fatalf("after event %d %s is on %d nodes of %d needed, %d quorums stand:\n%s", o.Seq, value, on, need, stand, told(quorums))
				}
			}
		}
	})
}
