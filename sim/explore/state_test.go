package explore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestStateStrict: a state is read as strictly as a trace, and one of another schema is only said to be one.
func TestStateStrict(t *testing.T) {
	for text, want := range map[string]string{
		`{"schema": 2, "identity": {"a": 1}, "blocks": {"0": {}, "10": {}}}`: "",
		`{"schema": 2, "Shard": "1/2"}`:                                      `line 1, column 15: there is no field "Shard"`,
		`{"schema": 2, "shard": "1/2", "shard": "2/2"}`:                      `line 1, column 31: "shard" is given twice`,
		`{"schema": 2, "blocks": {"1": {}, "01": {}}}`:                       `line 1, column 35: "01" is no whole number`,
		`{"schema": 2, "identity": {"a": 1, "a": 2}}`:                        `line 1, column 36: "a" is given twice`,
		`{"schema": 2, "shard": "\ud800"}`:                                   `line 1, column 25: \ud800 is half of a surrogate pair`,
		`{"schema": 2} {}`:                                                   "line 1, column 14: something follows",
		`{"schema": 9, "unheardOf": 1}`:                                      "has schema 9",
	} { // unordered: each by itself
		path := filepath.Join(t.TempDir(), "state")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := explore.ReadState(path)
		switch {
		case want == "" && err == nil:
		case want == "" || err == nil || !strings.Contains(err.Error(), want):
			t.Errorf("%s: %v, want %q", text, err, want)
		case !errors.Is(err, explore.ErrNotState) && !strings.Contains(want, "schema"):
			t.Errorf("%s: %v is no ErrNotState", text, err)
		}
	}
}
