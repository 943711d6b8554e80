package overlay

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// goroot is the Go installation of the tests.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestWrite: the overlay has the files of the edits and the new one, each edit's text and not its old one; to write it twice gives
// the same name.
func TestWrite(t *testing.T) {
	root, dir := goroot(t), t.TempDir()
	name, err := Write(root, runtime.Version(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Write(root, runtime.Version(), dir); err != nil || again != name {
		t.Errorf("again: %s, %v; want %s", again, err, name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	for _, e := range append(edits, edit{"runtime/lockpick.go", "no such text", "func lockpickBehind("}, edit{"net/lockpick.go", "no such text", "func lockpickDial("}) {
		text, err := os.ReadFile(list.Replace[filepath.Join(root, "src", e.file)])
		if err != nil {
			t.Errorf("%s: %v", e.file, err)
		}
		if !strings.Contains(string(text), e.new) || strings.Contains(string(text), e.old) && !strings.Contains(e.new, e.old) {
			t.Errorf("%s has not %q in the place of %q", e.file, e.new, e.old)
		}
	}
}

// TestUnknown: a text that is not there, or there twice, is an error that names the version of Go.
func TestUnknown(t *testing.T) {
	for _, times := range []int{0, 2} {
		root := t.TempDir()
		for _, e := range edits {
			at := filepath.Join(root, "src", e.file)
			text, _ := os.ReadFile(at) // of the edit before
			if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
				t.Fatal(err)
			}
			n := 1
			if e.file == "runtime/select.go" {
				n = times
			}
			if err := os.WriteFile(at, append(text, strings.Repeat(e.old+"\n", n)...), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Write(root, "go1.99", t.TempDir())
		if err == nil || !strings.Contains(err.Error(), "select.go") || !strings.Contains(err.Error(), "go1.99") {
			t.Errorf("a text that is there %d times: %v", times, err)
		}
	}
	if _, err := Write(t.TempDir(), "go1.99", t.TempDir()); err == nil || !strings.Contains(err.Error(), "the sources of go1.99") {
		t.Errorf("without sources: %v", err)
	}
}
