package goruntime

import (
	"strings"
	"testing"
)

// TestVersions: a run begins without the overlay and with the overlay that this package knows, and not with another.
func TestVersions(t *testing.T) {
	defer func(v uint64) { overlaid.version = v }(overlaid.version)
	for v := range uint64(overlayVersion + 2) {
		overlaid.version = v
		end, err := Begin()
		if known := v == 0 || v == overlayVersion; (err == nil) != known {
			t.Errorf("version %d: %v; want an error: %t", v, err, !known)
		}
		if err != nil {
			if !strings.Contains(err.Error(), "overlay") {
				t.Errorf("version %d: %v; want the overlay named", v, err)
			}
			continue
		}
		if running := overlaid.running != 0; running != Exact() {
			t.Errorf("version %d: running: %t", v, running)
		}
		end()
		if overlaid.running != 0 {
			t.Errorf("version %d: running after the end", v)
		}
	}
}
