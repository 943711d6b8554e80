package explore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/packed"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// TestBlocks: a search comes out the same however many workers it has, in
// shards that are joined, and if it goes on from what is known.
func TestBlocks(t *testing.T) {
	t.Parallel()
	for _, strategy := range StrategyNames() {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			s := Search{
				Worker: self(t), Cell: toy{Places: 20, Faults: []int{3, 11}}.json(), Strategy: strategy, Seed: 7,
				Schedules: 3*BlockSize + 10, Happenings: 1,
			}
			whole, findings := searched(t, s)
			if whole.Schedules != s.Schedules || len(findings) > 1 {
				t.Fatalf("%d schedules, findings %v", whole.Schedules, findings)
			}
			same := func(how string, other *Summary, found []string) {
				t.Helper()
				if !reflect.DeepEqual(whole, other) || !slices.Equal(findings, found) {
					t.Errorf("%s: %+v, %v; want %+v, %v", how, other, found, whole, findings)
				}
			}
			s.Jobs = 3
			other, found := searched(t, s)
			same("three jobs", other, found)
			if strategy == BoundedStrategy {
				return // it is one block
			}

			blocks := map[int]Tally{}
			for i := range 2 {
				shard := s
				shard.Shard = Shard{i + 1, 2}
				shard.OnBlock = func(b int, tally Tally) { blocks[b] = tally }
				searched(t, shard)
			}
			joined := s
			joined.Known = blocks
			joined.OnProgress = func(*Summary) { t.Error("something was run again") }
			other, found = searched(t, joined)
			same("two shards", other, found)

			ranges, spans := map[int]Tally{}, map[int]int{}
			for _, r := range []Range{{0, 1}, {1, 4}} {
				part := s
				part.Range, part.Unconfirmed = r, true
				var whole Tally
				part.OnBlock = func(_ int, tally Tally) { whole.Join(&tally) }
				searched(t, part)
				ranges[r.First], spans[r.First] = whole, r.End-r.First
			}
			joined.Known, joined.Spans = ranges, spans
			other, found = searched(t, joined)
			same("two ranges, joined", other, found)

			resumed := s
			resumed.Known = map[int]Tally{0: blocks[0], 2: blocks[2]}
			other, found = searched(t, resumed)
			same("two blocks of four known", other, found)
		})
	}
}

// searched is what a search came to, and what it found in which schedules.
func searched(t *testing.T, s Search) (*Summary, []string) {
	t.Helper()
	var found []string
	s.OnFinding = func(f Finding) { found = append(found, fmt.Sprint(f.Violation(), f.Schedule, f.Outcome.Hash)) }
	sum, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return sum, found
}

// TestNewStrategy: there is none of any other name, and each says what it does.
func TestNewStrategy(t *testing.T) {
	if _, err := newStrategy("clever", 1, 0); err == nil || !strings.Contains(err.Error(), `there is no strategy "clever"; there are bounded, `) {
		t.Errorf("%v", err)
	}
	for _, name := range StrategyNames() {
		if DescribeStrategy(name) == "" {
			t.Errorf("%s says nothing of itself", name)
		}
	}
}

// TestState: what is written is read again, and only what is of one search can
// be joined.
func TestState(t *testing.T) {
	dir := t.TempDir()
	one := State{Identity: json.RawMessage(`{"seed":1}`), Shard: "1/2", Blocks: map[int]Tally{0: newTally(1)}}
	one.Blocks[0].Classes[7] = struct{}{}
	path := filepath.Join(dir, "one.json")
	if err := one.Write(path); err != nil {
		t.Fatal(err)
	}
	read, err := ReadState(path)
	if err != nil || !reflect.DeepEqual(&one, read) {
		t.Errorf("%+v, %v", read, err)
	}
	two := State{Identity: json.RawMessage(`{"seed":1}`), Blocks: map[int]Tally{1: newTally(1)}}
	if err := read.Join(&two); err != nil || !slices.Equal(slices.Sorted(maps.Keys(read.Blocks)), []int{0, 1}) {
		t.Errorf("%+v, %v", read, err)
	}
	other := two.Blocks[1]
	other.Schedules = 5
	for says, bad := range map[string]State{
		"different searches":    {Identity: json.RawMessage(`{"seed":2}`)},
		"differ in block 1":     {Identity: one.Identity, Blocks: map[int]Tally{1: other}},
		"differ in part 3 of b": {Identity: one.Identity, Parts: []CheckPart{{Bound: 2, Part: 3}, {Bound: 2, Part: 3, Tally: other}}},
	} {
		if err := read.Join(&bad); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// TestStateBomb: a short file that decompresses to far more than a state has is not read.
func TestStateBomb(t *testing.T) {
	slowtest.SkipIfShort(t)
	path := filepath.Join(t.TempDir(), "state.json")
	var file bytes.Buffer
	if err := packed.Write(&file, bytes.Repeat([]byte(" "), maxState+1)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadState(path); err == nil || !strings.Contains(err.Error(), "decompresses to more than 128 MiB") {
		t.Errorf("%d bytes: %v", file.Len(), err)
	}
}

// TestSameBlock: a longer search has the whole blocks of a shorter one, and not its last, unless
// that is whole as well.
func TestSameBlock(t *testing.T) {
	for _, test := range []struct {
		strategy           string
		number, one, other int
		want               bool
	}{
		{RandomStrategy, 0, 300, 700, true},
		{RandomStrategy, 1, 300, 700, false},
		{RandomStrategy, 1, 512, 700, true},
		{RandomStrategy, 2, 700, 700, true},
		{RandomStrategy, 2, 700, 512, false},
		{RandomStrategy, 5, 700, 700, false},
		{BoundedStrategy, 0, 300, 700, false},
		{BoundedStrategy, 0, 300, 300, true},
	} {
		if got := SameBlock(test.strategy, test.number, test.one, test.other); got != test.want {
			t.Errorf("%s: block %d of %d and of %d schedules: %v", test.strategy, test.number, test.one, test.other, got)
		}
	}
}
