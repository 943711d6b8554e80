package pieces

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// sample is a result of a plan's first piece, with so many classes in each block.
func sample(t testing.TB, p Plan, classes int) *Result {
	t.Helper()
	b := NewBuilder(p, p.Range(0))
	for n := range p.Range(0).End {
		one := explore.Tally{
			Schedules: explore.BlockSize, Happened: []int{1}, Violations: map[model.Violation]int{{Property: "p"}: 1},
			First: map[model.Violation]explore.Found{{Property: "p"}: {Schedule: n * explore.BlockSize, Hash: 7}}, Classes: explore.Classes{},
			Troubles: []explore.Trouble{{Kind: explore.Crashed, Schedule: n * explore.BlockSize, Stack: "s"}},
		}
		for i := range classes {
			one.Classes[uint64(i)*0x9e3779b97f4a7c15] = struct{}{}
		}
		b.Add(n, one)
	}
	r, err := b.Result(false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// plans are one of each kind.
var plans = []Plan{{Blocks: 8, Size: 4}, {Blocks: Exact + 1, Size: 2, Joined: true}}

// TestResultRefused: a result that no worker can have searched is refused, though its hash is right.
func TestResultRefused(t *testing.T) {
	made := Made{Worker: "m-1", Tries: 1, Spent: time.Second}
	for _, test := range []struct {
		says   string
		change func(*Result, *Made)
	}{
		{"", func(*Result, *Made) {}},
		{`"m\x1b[2J" is no name of a worker`, func(_ *Result, m *Made) { m.Worker = "m\x1b[2J" }},
		{`"" is no name`, func(_ *Result, m *Made) { m.Worker = "" }},
		{"it took -1ns", func(_ *Result, m *Made) { m.Spent = -1 }},
		{"handed out -1 times", func(_ *Result, m *Made) { m.Tries = -1 }},
		{"blocks -4 to 3", func(r *Result, _ *Made) { r.First = -4 }},
		{"ends before block 5", func(r *Result, _ *Made) { r.Stop = 5 }},
		{"it has 3 of blocks 0 to 3", func(r *Result, _ *Made) { delete(r.Blocks, 2) }},
		{"block 9 is not one of its", func(r *Result, _ *Made) { r.Blocks[9] = r.Blocks[2]; delete(r.Blocks, 2) }},
		{"1 violations, and the first schedules of 0", func(r *Result, _ *Made) { clear(r.Blocks[1].First) }},
		{"a sketch of classes, and no joined", func(r *Result, _ *Made) { r.Sketch = []byte("x") }},
	} {
		r, m := sample(t, plans[0], 2), made
		test.change(r, &m)
		e, err := Encode("search", r, m)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err = Decode("search", e.Hash, e.Data); test.says == "" && err != nil || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%v, want %q", err, test.says)
		}
	}
	r := sample(t, plans[1], countedPiece+1)
	if len(r.Sketch) == 0 {
		t.Fatal("there is no sketch")
	}
	for says, sketch := range map[string][]byte{"": r.Sketch, "4 bytes": r.Sketch[:4], "another than": bytes.Repeat([]byte{255}, len(r.Sketch))} {
		r.Sketch = sketch
		if err := r.check(); says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// TestPlanOfAnother: a plan is refused that is not the one of a search of so many blocks.
func TestPlanOfAnother(t *testing.T) {
	for _, test := range []struct {
		plan Plan
		ok   bool
	}{
		{NewPlan(20, 0), true}, {NewPlan(20, 7), true}, {NewPlan(19, 0), false}, {Plan{Blocks: 20}, false}, {Plan{Blocks: 20, Size: -1}, false},
		{Plan{Blocks: 20, Size: 4, Joined: true}, false}, {Plan{Blocks: 1 << 60, Size: 1, Joined: true}, false},
	} {
		if err := test.plan.Check(20); (err == nil) != test.ok {
			t.Errorf("%+v: %v", test.plan, err)
		}
	}
}

// FuzzPiece: a result is refused or read, without a panic; what is read is the same when it is written and read again, and can be merged.
func FuzzPiece(f *testing.F) {
	for i, p := range plans {
		for _, classes := range []int{2, countedPiece + 1} {
			r := sample(f, p, classes)
			text, err := json.Marshal(r)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text, "m-1", i == 1)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, worker string, joined bool) {
		sum := sha256.Sum256(append([]byte("search\n"), text...))
		hash := hex.EncodeToString(sum[:])
		r, made, err := Decode("search", hash, object(t, hash, worker, text))
		if err != nil {
			return
		}
		e, err := Encode("search", r, made)
		if err != nil {
			t.Fatal(err)
		}
		again, made, err := Decode("search", e.Hash, e.Data)
		if err != nil {
			t.Fatal(err)
		}
		if other, err := Encode("search", again, made); err != nil || other.Hash != e.Hash {
			t.Errorf("it is written otherwise the second time: %v", err)
		}
		plan := plans[0]
		if joined {
			plan = plans[1]
		}
		m := NewMerge(plan)
		if _, err := m.Add(again); err == nil {
			tally := m.State().Tally()
			tally.Distinct()
		}
	})
}

// object is what is kept of a text with that hash.
func object(t *testing.T, hash, worker string, text []byte) []byte {
	t.Helper()
	first, err := json.Marshal(head{schema, "search", hash, Made{Worker: worker, Stacks: map[int]string{0: "s"}}})
	if err != nil {
		t.Fatal(err)
	}
	return pack(first, text)
}
