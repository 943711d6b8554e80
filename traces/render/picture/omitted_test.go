package picture

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// TestOmittedLimits: if there are more overlaps than are marked, the picture says so.
func TestOmittedLimits(t *testing.T) {
	for n, want := range map[int]bool{5: false, 60: true} {
		trace, _ := sampletraces.Overlaps(n)
		if said := strings.Contains(strings.Join(New(story.Of(trace)).Omitted(), " "), "marks the first 200 overlaps"); said != want {
			t.Errorf("%d operations: it says so: %v, want %v", n, said, want)
		}
	}
}

// TestOmittedRecords: a node with more keys than there are rows for says which are left out.
func TestOmittedRecords(t *testing.T) {
	s := sampletraces.NewStage("gc-pause", "setpx", 1)
	for i := range 8 {
		s.See(time.Duration(i+1)*ms, model.Observation{Node: "redis1", Kind: model.RecordCreated, Authority: "redis1", Key: fmt.Sprint("key", i), Value: "x", ExpiresAt: time.Second})
	}
	p := New(story.Of(s.Build()))
	l := p.Lane("redis1")
	rows := 0
	for _, r := range l.rows {
		rows += len(r.keys)
	}
	all := strings.Join(p.Omitted(), " ")
	if rows == 8 || !strings.Contains(all, "The lane of redis1 has no room for key") || !strings.Contains(all, fmt.Sprintf("and %d more", 8-rows-3)) {
		t.Errorf("%d of 8 keys have rows, and the page says %q", rows, all)
	}
}
