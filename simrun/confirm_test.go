package simrun

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/confirm"
	redis "github.com/lockpick-dev/lockpick/stores/redis/real"
)

// TestConfirm: what cannot be forced, and a server that is not there, make no statement, and say why.
func TestConfirm(t *testing.T) {
	const corpus = "../traces/corpus/"
	confirming := func(stores []confirm.Store, args ...string) (code int, out, errs string) {
		return simrunOn(t, stores, append([]string{"confirm"}, args...)...)
	}
	code, out, _ := confirming(nil, corpus+"gc-pause_setpx_no-lost-update.json")
	if code != exitInconclusive || !strings.HasPrefix(out, "cannot be forced") || !strings.Contains(out, "real servers of redis are not supported yet") {
		t.Errorf("%d %s", code, out)
	}
	code, out, _ = confirming([]confirm.Store{redis.Store}, "--json", corpus+"pool-exhausted_setpx-void-as-printed_progress.json")
	var r confirmed
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitInconclusive || r.Result != isNotForced || r.Of != 0 || !strings.Contains(r.Reason, "several threads") {
		t.Errorf("%d %s %v", code, out, err)
	}
	code, out, _ = confirming([]confirm.Store{redis.Store}, "--limit", "1s", corpus+"gc-pause_setpx_no-lost-update.json")
	if code != exitInconclusive || !strings.Contains(out, "the violation comes after 3.38s, and --limit is 1s") {
		t.Errorf("%d %s", code, out)
	}
	if server, err := exec.LookPath("redis-server"); err == nil { // else the next case has it
		dir := t.TempDir()
		if err := os.Symlink(server, filepath.Join(dir, "redis-server")); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir)
		code, out, errs := confirming([]confirm.Store{redis.Store}, corpus+"server-clock-jump_setpx-fenced_mutual-exclusion.json")
		if code != exitInconclusive || !strings.HasPrefix(out, "cannot be forced") || !strings.Contains(out, "cc is not on the PATH") {
			t.Errorf("%d %s %s", code, out, errs)
		}
	}
	t.Setenv("PATH", t.TempDir())
	code, out, errs := confirming([]confirm.Store{redis.Store}, corpus+"gc-pause_setpx_no-lost-update.json")
	if code != exitInconclusive || out != "" || !strings.Contains(errs, "redis-server is not on the PATH; install it (Debian: apt install redis-server)") {
		t.Errorf("%d %s %s", code, out, errs)
	}
}

// TestConfirmed: a result counts what tries showed.
func TestConfirmed(t *testing.T) {
	r := confirmed{Diverged: map[string]int{}, OtherCauses: map[string]int{}, Of: 3, Property: "fencing", Cause: "store-forgot", Lock: "l", Scenario: "s", Result: isConfirmed}
	for _, try := range []*confirm.Try{{Confirmed: true, Server: "server 1"}, {Diverged: &confirm.Divergence{Seq: 7, Reason: "waited"}, Server: "server 1"}, {Other: "fencing: holds", Server: "server 1"}} {
		r.add(try)
	}
	var b strings.Builder
	r.print(&b)
	want := []string{"confirmed         fencing (store-forgot) of l under s on server 1: 1 of 3 tries, 0.0s each", "  1 times: diverged at event 7: waited", "  1 times: fencing: holds", ""}
	if got := strings.Split(b.String(), "\n"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
