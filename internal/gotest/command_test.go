package gotest_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/gotest"
)

// TestCommand asks a shell for the words of a command.
func TestCommand(t *testing.T) {
	c := gotest.Command{Pattern: gotest.Pattern("TestLock/it's (one)"), Package: "example.com/locks", Flags: []string{gotest.ReplayFlag("a b.json"), "-simrun.seed=1"}}
	const want = `go test -run '^TestLock$/^it'\''s \(one\)$' example.com/locks -simrun.replay='a b.json' -simrun.seed=1`
	if c.String() != want {
		t.Errorf("it is %s, want %s", c, want)
	}
	out, err := exec.Command("sh", "-c", `go() { printf '%s\n' "$@"; }; `+c.String()).Output()
	words := []string{"test", "-run", `^TestLock$/^it's \(one\)$`, "example.com/locks", "-simrun.replay=a b.json", "-simrun.seed=1"}
	if got := strings.Split(strings.TrimSpace(string(out)), "\n"); err != nil || !slices.Equal(got, words) {
		t.Errorf("a shell reads %q, %v", got, err)
	}
	c = gotest.Command{Verbose: true, Pattern: "^TestLock$"}
	if got, want := c.String(), `go test -v -run '^TestLock$'`; got != want {
		t.Errorf("it is %s, want %s", got, want)
	}
}
