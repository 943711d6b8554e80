package simrun

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/confirm"
)

// TestConfirm: what cannot be forced, and a server that is not there, make no statement, and say why.
func TestConfirm(t *testing.T) {
	const corpus = "../traces/corpus/"
	confirming := func(args ...string) (code int, out, errs string) {
		return simrun(t, append([]string{"confirm"}, args...)...)
	}
	code, out, _ := confirming("--json", "--limit", "1s", corpus+"gc-pause_setpx_no-lost-update.json")
	var r confirm.Statement
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitInconclusive || r.Result != confirm.NotForced || r.Of != 0 || !strings.Contains(r.Reason, "the violation comes after 3.38s, and the limit is 1s") {
		t.Errorf("%d %s %v", code, out, err)
	}
	code, out, errs := confirming("--lock", "file-excl", corpus+"gc-pause_setpx_no-lost-update.json")
	if code != exitUsage || out != "" || !strings.Contains(errs, "a lock over file") {
		t.Errorf("%d %s %s", code, out, errs)
	}
	if server, err := exec.LookPath("redis-server"); err == nil { // else the next case has it
		dir := t.TempDir()
		if err := os.Symlink(server, filepath.Join(dir, "redis-server")); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir)
		code, out, errs = confirming(corpus + "server-clock-jump_setpx-fenced_mutual-exclusion.json")
		if code != exitInconclusive || !strings.HasPrefix(out, "cannot be forced") || !strings.Contains(out, "cc is not on the PATH") {
			t.Errorf("%d %s %s", code, out, errs)
		}
	}
	t.Setenv("PATH", t.TempDir())
	code, out, errs = confirming(corpus + "gc-pause_setpx_no-lost-update.json")
	if code != exitInconclusive || out != "" || !strings.Contains(errs, "redis-server is not on the PATH; install it (Debian: apt install redis-server)") {
		t.Errorf("%d %s %s", code, out, errs)
	}
}
