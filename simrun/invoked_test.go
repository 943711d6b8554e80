package simrun

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInvoked: the commands that the program prints begin as the one that called it.
func TestInvoked(t *testing.T) {
	for mod, want := range map[string]string{
		"module m\n": "go run " + self(),
		"module m\n\ntool " + self() + " // a tool\n":                "go tool " + filepath.Base(self()),
		"module m\n\ntool (\n\texample.com/x\n\t" + self() + "\n)\n": "go tool " + filepath.Base(self()),
		"module m\n\n// tool " + self() + "\n":                       "go run " + self(),
		"module m\n\nrequire (\n\t" + self() + "\n)\n":               "go run " + self(),
	} {
		dir := t.TempDir()
		below := filepath.Join(dir, "below")
		if err := os.Mkdir(below, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, arg0 := range []string{
			"/home/x/.cache/go-build/f9/f98c-d/simrun", "/scratch/go-build123/b001/exe/simrun",
			"/var/cache/ci/f9/f9" + strings.Repeat("0a", 31) + "-d/simrun", // with GOCACHE
		} {
			if got := invoked(arg0, below); got != want {
				t.Errorf("with %q %s is %s, want %s", mod, arg0, got, want)
			}
		}
	}
	for arg0, want := range map[string]string{"bin/simrun": "bin/simrun", "": "simrun", "a b/simrun": "'a b/simrun'", "/opt/f9/0a-d/simrun": "/opt/f9/0a-d/simrun"} {
		if got := invoked(arg0, "."); got != want {
			t.Errorf("%q is %s, want %s", arg0, got, want)
		}
	}
}
