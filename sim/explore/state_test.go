package explore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/packed"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
)

// TestStateRefused: what is no state, or cannot be one of this version, is refused with what is wrong.
func TestStateRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	sealed := func(fields string) string { return string(packed.Seal([]byte(`{"schema":4,` + fields + "}\n"))) }
	tally := func(fields string) string { return sealed(`"blocks":{"0":{"schedules":3,` + fields + `}}`) }
	for says, content := range map[string]string{
		"is not the state of a search: it does not end with its checksum": "hello",
		"its checksum, as if it were cut off":                             `{"schema":4}` + "\n",
		"has schema 9, and this version knows 4":                          `{"schema":9}` + "\n",
		"has schema 8, and":                                               string(packed.Seal([]byte(`{"schema":8}` + "\n"))),
		"did not distinguish faults from limi":                            `{"schema":1,"blocks":{"0":{"violations":{"p":1}}}}`,
		"schema 2, and this version knows 4), whose states have no":       `{"schema":2,"blocks":{}}`,
		"schema 3, and this":                                              `{"schema":3,"blocks":{}}`,
		"has changed since it was written":                                strings.Replace(sealed(`"shard":"1/2"`), "1/2", "2/2", 1),
		"block number -1":                                                 sealed(`"blocks":{"-1":{}}`),
		"more than 2097152 entries":                                       `{"schema":4,"parts":[` + strings.Repeat("0,", 1<<21) + `0]}`,
		"nested more than 32 deep":                                        strings.Repeat("[", 40),
		"multiple of 8":                                                   sealed(`"blocks":{"0":{"classes":"AAAA"}}`),
		"-3 schedules":                                                    sealed(`"blocks":{"0":{"schedules":-3}}`),
		"4 of them undecided":                                             tally(`"undecided":4`),
		"did in 4 of 3 schedules":                                         tally(`"happened":[4]`),
		"1 violations, and the first schedules of 0":                      tally(`"violations":{"p":1}`),
		"p in 1 schedules, first in schedule -1":                          tally(`"violations":{"p":1},"first":{"p":{"schedule":-1}}`),
		`trouble of the kind "../../x"`:                                   tally(`"troubles":[{"kind":"../../x"}]`),
		"part -1 of bound 2 is negative":                                  sealed(`"parts":[{"bound":2,"part":-1}]`),
		`line 1, column 13: there is no field "Shard"`:                    sealed(`"Shard":"1/2"`),
		`line 1, column 27: "shard" is given twice`:                       sealed(`"shard":"1/2","shard":"2/2"`),
		`"01" is no whole number`:                                         sealed(`"blocks":{"1":{},"01":{}}`),
		`"a" is given twice`:                                              sealed(`"identity":{"a":1,"a":2}`),
		`\ud800 is half of a surrogate pair`:                              sealed(`"shard":"\ud800"`),
	} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := ReadState(path)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), path+" ") {
			t.Errorf("%.100s: %v, want %q", content, err, says)
		}
		if older := strings.Contains(says, "schema") || strings.Contains(says, "limi"); errors.Is(err, ErrNotState) == older {
			t.Errorf("%v: is no state: %t", err, !older)
		}
	}
}

// sampleState is a state with something in each of its fields.
func sampleState(t testing.TB) *State {
	t.Helper()
	s := &State{Identity: json.RawMessage(`{"seed":1}`), Shard: "1/2", Blocks: map[int]Tally{}, Said: json.RawMessage(`{"a":["b"]}`)}
	search := Search{
		Worker: self(t), Cell: toy{Places: 6, Faults: []int{3}}.json(), Seed: 7, Schedules: BlockSize, Happenings: 1,
		OnBlock: func(b int, tally Tally) { s.Blocks[b] = tally },
	}
	if _, err := search.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	one := s.Blocks[0]
	if len(one.First[pFault].Tape) == 0 {
		t.Fatalf("no finding in %+v", one)
	}
	one.Troubles, one.Leaked = []Trouble{{Kind: Stalled, Schedule: 4, Reason: "r\xff"}}, []int{3}
	one.Undecided, one.UndecidedOf, one.Estimated = 2, map[string]int{"q": 2}, &Estimate{Classes: 5, Error: 0.01}
	one.FirstUndecided, one.Panicked = &model.Verdict{Property: "q"}, map[string]string{"q": "s"}
	s.Blocks[0] = one
	s.Blocks[2], s.Spans = newTally(1), map[int]int{2: 3}
	s.Parts = []CheckPart{newPart(1, 2, 1)}
	return s
}

// TestStateBits: of a state in which any bit has changed, nothing is believed.
func TestStateBits(t *testing.T) {
	slowtest.SkipIfShort(t)
	t.Parallel()
	whole := sampleState(t)
	long := *whole
	long.Said = json.RawMessage(fmt.Sprintf(`{"a":%q}`, strings.Repeat("long ", packed.Above/4)))
	for name, s := range map[string]*State{"as text": whole, "compressed": &long} {
		path := filepath.Join(t.TempDir(), "state.json")
		if err := s.Write(path); err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		refused, source := 0, rand.New(rand.NewPCG(1, 2))
		for range 200 {
			other := slices.Clone(file)
			bit := source.IntN(8 * len(file))
			other[bit/8] ^= 1 << (bit % 8)
			got := rewritten(t, path, other)
			switch {
			case got == nil:
				refused++
			case !bytes.Equal(got, file):
				t.Errorf("%s: with bit %d changed it is read as another state", name, bit)
			}
		}
		if name == "as text" && refused != 200 || refused < 150 {
			t.Errorf("%s: %d of 200 are refused", name, refused)
		}
	}
}

// rewritten is the file as it is written after it was read, nil if it is refused.
func rewritten(t testing.TB, path string, file []byte) []byte {
	t.Helper()
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := ReadState(path)
	if err != nil {
		return nil
	}
	if err := s.Write(path); err != nil {
		t.Fatal(err)
	}
	again, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// FuzzState: a state is refused or read, without a panic, and what is read stays the same when it is written and read again.
func FuzzState(f *testing.F) {
	path := filepath.Join(f.TempDir(), "seed.json")
	if err := sampleState(f).Write(path); err != nil {
		f.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	text, err := packed.Unseal(file)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, true)
	f.Add(file, false)
	f.Add([]byte(`{"schema":4,"blocks":{"0":null,"00":{"Schedules":3}},"parts":[{}],"spans":{"0":9223372036854775807}}`+"\n"), true)
	f.Fuzz(func(t *testing.T, file []byte, seal bool) {
		if seal && len(file) > 3 && bytes.HasSuffix(file, []byte("}\n")) && !bytes.HasSuffix(file, []byte("{}\n")) {
			file = packed.Seal(file)
		}
		path := filepath.Join(t.TempDir(), "state.json")
		once := rewritten(t, path, file)
		if once == nil {
			return
		}
		s, err := ReadState(path)
		if err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
		s.Tally()
		if twice := rewritten(t, path, once); !bytes.Equal(once, twice) {
			t.Errorf("first  %s\nthen %s", once, twice)
		}
	})
}

// TestForged: a finding that someone has put into a state is reported as damage of the state, and never as a violation or as runs that differ.
func TestForged(t *testing.T) {
	t.Parallel()
	s := Search{Worker: self(t), Cell: toy{Places: 6, Faults: []int{3}}.json(), Seed: 7, Schedules: 2 * BlockSize, Happenings: 1}
	known := map[int]Tally{}
	s.OnBlock = func(b int, t Tally) { known[b] = t }
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.OnBlock = nil
	real := known[0].First[pFault]
	fencing := model.Violation{Property: "fencing"}
	for says, f := range map[string]Found{
		"fencing as a fault in schedule 7 is damaged or forged: a run of its tape has its hash, and does not violate the property": {Schedule: 7, Hash: real.Hash, Tape: real.Tape},
		"recorded in block 0, which has schedules 0 to 255":                                                                        {Schedule: 256, Hash: real.Hash, Tape: real.Tape},
	} {
		s.OnFinding = func(f Finding) {
			if f.Property != pFault.Property {
				t.Errorf("found %+v", f)
			}
		}
		for _, only := range []bool{false, true} {
			s.Known, s.KnownOnly = maps.Clone(known), only
			s.Known[0] = with(known[0], fencing, f)
			sum, err := s.Run(t.Context())
			var unfounded *Unfounded
			if !errors.As(err, &unfounded) || !strings.Contains(err.Error(), says) || len(sum.Troubles) > 0 {
				t.Fatalf("%v, troubles %+v", err, sum.Troubles)
			}
			if state := (&State{Blocks: s.Known}); !state.Claims(unfounded) || (&State{Blocks: known}).Claims(unfounded) {
				t.Errorf("the finding is not looked for where it is: %+v", unfounded)
			}
		}
	}
}

// with is a tally with a finding that nothing has shown.
func with(t Tally, v model.Violation, f Found) Tally {
	t.First, t.Violations = maps.Clone(t.First), maps.Clone(t.Violations)
	t.First[v], t.Violations[v] = f, 1
	return t
}

// TestForgedInCheck is the same of an exhaustive search.
func TestForgedInCheck(t *testing.T) {
	t.Parallel()
	k := Check{Worker: self(t), Cell: toy{Places: 6, Faults: []int{1}}.json(), Bound: 1, Happenings: 1}
	var parts []CheckPart
	k.OnPart = func(p CheckPart) { parts = append(parts, p) }
	if _, err := k.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(parts, func(p CheckPart) bool { return p.Tally.Violations[pFault] > 0 })
	forged := slices.Clone(parts)
	forged[at].Tally = with(parts[at].Tally, model.Violation{Property: "fencing"}, parts[at].Tally.First[pFault])
	k.Known, k.KnownOnly, k.OnPart = forged, true, nil
	sum, err := k.Run(t.Context())
	var unfounded *Unfounded
	if !errors.As(err, &unfounded) || len(sum.Troubles) > 0 || unfounded.Bound != parts[at].Bound || unfounded.Part != parts[at].Part {
		t.Fatalf("%v, troubles %+v", err, sum.Troubles)
	}
	if !(&State{Parts: forged}).Claims(unfounded) || (&State{Parts: parts}).Claims(unfounded) {
		t.Errorf("the finding is not looked for where it is: %+v", unfounded)
	}
}
