package picture

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
)

// TestDrawLapsed: in the gap between the end of a lease and its renewal nobody is drawn as a holder.
func TestDrawLapsed(t *testing.T) {
	golden.File(t, "../testdata/lapsed.svg", draw(t, sampletraces.Lapsed()))
}
