package traces

import "testing"

// TestShrunkPath: what was shrunk is numbered, and never replaces what it was
// shrunk from.
func TestShrunkPath(t *testing.T) {
	for trace, want := range map[string]string{
		"dir/x.json":           "dir/x.shrunk.json",
		"x":                    "x.shrunk.json",
		"x.y.trace":            "x.y.shrunk.json",
		"dir/x.shrunk.json":    "dir/x.shrunk2.json",
		"x.shrunk2.json":       "x.shrunk3.json",
		"x.shrunk9.json":       "x.shrunk10.json",
		"x.shrunk.y.json":      "x.shrunk.y.shrunk.json",
		"a.shrunk/x.json":      "a.shrunk/x.shrunk.json",
		"x.shrunk7777777.json": "x.shrunk7777777.shrunk.json",
	} {
		if got := ShrunkPath(trace); got != want {
			t.Errorf("%s is shrunk to %s, want %s", trace, got, want)
		}
	}
}
