package traces_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
)

// TestReclassified: a replay that violates the same property in another class says
// so.
func TestReclassified(t *testing.T) {
	old, now := sampletraces.GCPause(), sampletraces.GCPause()
	if text := now.Reclassified(old); text != "" {
		t.Errorf("the same: %q", text)
	}
	now.Verdict().Limit = false
	if text := now.Reclassified(old); text != "no-lost-update was recorded as a limit, and this run violates it as a fault" {
		t.Errorf("%q", text)
	}
	now.Verdict().Status = model.Holds
	if text := now.Reclassified(old); text != "" {
		t.Errorf("what holds is of no class: %q", text)
	}
}
