package realserver_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

// TestAbandoned: a directory whose program is gone is removed when another is made; those in use stay.
func TestAbandoned(t *testing.T) {
	used, err := realserver.Directory()
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(used)
	left, fresh := used+"-left", used+"-fresh" // fresh: its program has not made its file yet
	for _, dir := range []string{left, fresh} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
	}
	if err := os.WriteFile(filepath.Join(left, ".alive"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	another, err := realserver.Directory()
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(another)
	for dir, want := range map[string]bool{used: true, fresh: true, left: false} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
