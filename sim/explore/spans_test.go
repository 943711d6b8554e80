package explore

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestSpans: a state whose blocks stand for several is written and read, and joined with others that fit.
func TestSpans(t *testing.T) {
	tally := func(schedules, estimated int) Tally {
		one := newTally(1)
		one.Schedules = schedules
		if estimated > 0 {
			one.Estimated = &Estimate{Classes: estimated, Error: 0.01}
		}
		return one
	}
	search := []byte(`"a search"`)
	s := &State{Identity: search, Blocks: map[int]Tally{0: tally(512, 40), 2: tally(256, 0)}, Spans: map[int]int{0: 2}}
	path := filepath.Join(t.TempDir(), "x.search.json")
	if err := s.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := ReadState(path)
	if err != nil || !reflect.DeepEqual(got.Spans, s.Spans) || got.Schema != stateSchema {
		t.Fatalf("%+v, %v", got, err)
	}
	sum := got.Tally()
	if n, share := sum.Distinct(); n != 40 || share != 0.01 || sum.Schedules != 768 {
		t.Errorf("%d classes, error %v, %d schedules", n, share, sum.Schedules)
	}
	if err := got.Join(&State{Identity: search, Blocks: map[int]Tally{3: tally(256, 0)}}); err != nil || len(got.Blocks) != 3 {
		t.Errorf("%v", err)
	}
	if err := got.Join(&State{Identity: search, Blocks: map[int]Tally{1: tally(256, 0)}}); err == nil || !strings.Contains(err.Error(), "two of its parts have block 1") {
		t.Errorf("a block that another stands for: %v", err)
	}
	bad := &State{Identity: search, Blocks: map[int]Tally{0: tally(1, 0)}, Spans: map[int]int{5: 2}}
	if err := bad.Write(path); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadState(path); err == nil || !strings.Contains(err.Error(), "block 5 cannot stand for 2") {
		t.Errorf("a span without its block: %v", err)
	}
}
