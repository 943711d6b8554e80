package simrun

import (
	"encoding/json"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
)

// version says what the program was built from, and what it has.
func TestVersion(t *testing.T) {
	code, out, errs := simrun(t, "version", "--json")
	if code != exitNone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var b build
	if err := json.Unmarshal([]byte(out), &b); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if b.Lockpick != cell.Version || b.Go != runtime.Version() || b.Platform != runtime.GOOS+"/"+runtime.GOARCH || b.Clients["go-redis"] == "" {
		t.Errorf("version --json prints %s", out)
	}
	if want := storeIDs(cell.Stores(locks())); !reflect.DeepEqual(b.Stores, want) {
		t.Errorf("the stores are %v, want %v", b.Stores, want)
	}
	_, text, _ := simrun(t, "version")
	_, flag, _ := simrun(t, "--version")
	first, rest, _ := strings.Cut(text, "\n")
	if versions := strings.TrimSpace(flag); versions == "" || !strings.HasPrefix(first, versions+", trace schema") {
		t.Errorf("version begins with %q, and --version prints %q", first, versions)
	}
	for _, want := range append([]string{"platform", b.Platform, "stores", "clients"}, b.Stores...) {
		if !strings.Contains(rest, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// What the go command recorded is told, and what it did not is not made up.
func TestVersionOfBuild(t *testing.T) {
	a := &app{locks: locks()}
	b := newBuild(a, &debug.BuildInfo{
		Path: "example.com/cmd/simrun", Main: debug.Module{Version: "v0.2.0"},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "c0ffee"}, {Key: "vcs.time", Value: "2026-11-28T00:00:00Z"}, {Key: "vcs.modified", Value: "true"}},
	})
	var lines []string
	for _, l := range b.lines() {
		lines = append(lines, l[0]+" "+l[1])
	}
	text := strings.Join(lines, "\n")
	for _, want := range []string{"program example.com/cmd/simrun", "module v0.2.0", "commit c0ffee, with changes", "date 2026-11-28T00:00:00Z"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	b = newBuild(a, nil)
	if lines := b.lines(); lines[2] != [2]string{"commit", "not recorded"} {
		t.Errorf("without a record the commit is %v", lines[2])
	}
}
