package simrun

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExportHostile: a trace in which a client's name is code is refused when it is read: nothing runs, and nothing is written.
func TestExportHostile(t *testing.T) {
	raw, err := os.ReadFile("../traces/corpus/lost-reply_setpx-twostep_owner-only-release.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ran, path, out := filepath.Join(dir, "ran"), filepath.Join(dir, "hostile.json"), filepath.Join(dir, "out")
	text := strings.ReplaceAll(string(raw), `"c2"`, `"exec.Command(`+"`touch`,`"+ran+"`"+`).CombinedOutput() //"`)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, said, errs := simrun(t, "export", "--go-test", "-o", out, path)
	if code != exitUsage || said != "" || !strings.Contains(errs, "actors[1].name: ") || !strings.Contains(errs, "is no name") {
		t.Errorf("exit code %d\n%s%s", code, said, errs)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("there is more than the trace: %v, %v", left, err)
	}
}
