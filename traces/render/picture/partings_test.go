package picture

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// TestPictureOfAPartition: a bar lies on the lanes of the primary's side for as
// long as it is cut off.
func TestPictureOfAPartition(t *testing.T) {
	p := New(story.Of(sampletraces.Parted("redis1, c1 | redis2, c2")))
	var lanes []string
	for _, s := range p.Layers[LayerMarks] {
		if s.Class != "parted" {
			continue
		}
		if s.T0 != ms || s.T1 != time.Second {
			t.Errorf("a bar from %v to %v", s.T0, s.T1)
		}
		for _, l := range p.Lanes {
			if l.Top <= s.Y0 && s.Y0 < l.Bottom() {
				lanes = append(lanes, l.Actor.Name)
			}
		}
	}
	slices.Sort(lanes)
	if got := strings.Join(lanes, " "); got != "c1 redis1" {
		t.Errorf("bars on %q", got)
	}
}
