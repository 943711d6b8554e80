package confirm_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/real/confirmtest"
	"github.com/lockpick-dev/lockpick/real/redis"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
	"github.com/lockpick-dev/lockpick/traces"
)

func TestMain(m *testing.M) { confirmtest.Main(m, builtin.Locks()) }

// read reads a trace of the corpus, or of those that no other test has.
func read(t *testing.T, name string) *traces.Trace {
	path := filepath.Join("testdata", name+".json")
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join("../../traces/corpus", name+".json")
	}
	tr, err := traces.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func confirmation(t *testing.T, tr *traces.Trace, lock string) confirm.Confirmation {
	t.Helper()
	return confirmtest.Of(t, redis.New, builtin.Locks(), tr, lock)
}

// real checks that a try is a trace that can be written and read.
func real(t *testing.T, c confirm.Confirmation, try *confirm.Try) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "real.json")
	if err := traces.WriteFile(path, c.Real(try, 1)); err != nil {
		t.Fatal(err)
	}
	tr, err := traces.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if tr.Real == nil || tr.Real.Simulated != c.Trace.Hash || tr.Property != c.Trace.Property || len(tr.Tape) > 0 {
		t.Errorf("%+v", tr.Real)
	}
	messages := 0
	for i := range tr.Events {
		if e := &tr.Events[i]; e.Kind == sim.EventDeliver && e.Sent <= e.At && len(e.Payload) > 0 {
			messages++
		}
	}
	if messages < 4 {
		t.Errorf("it has %d messages", messages)
	}
}

// TestTry: counterexamples happen on a real server.
func TestTry(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	for _, name := range []string{"lost-reply_setpx-twostep_owner-only-release", "failover-loss_setpx_mutual-exclusion", "node-restart_setpx_no-lost-update", "gc-pause_setpx_no-lost-update", "gc-pause_setpx-fenced_mutual-exclusion",
		"failover-loss_semaphore_mutual-exclusion", "failover-loss_readwrite_mutual-exclusion", "failover-loss_latch_linearizable", "node-restart_barrier_linearizable",
	} {
		t.Run(name, func(t *testing.T) {
			c := confirmation(t, read(t, name), "")
			if try := confirmtest.Happens(t, c); try != nil {
				real(t, c, try)
			}
		})
	}
}

// TestRepaired: a lock without the flaw in place of the flawed one is never confirmed.
func TestRepaired(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	for lock, name := range map[string]string{
		"setpx": "lost-reply_setpx-twostep_owner-only-release", "setpx-cad": "lost-reply_setpx-twostep_owner-only-release",
		"permit-semaphore": "failover-loss_semaphore_mutual-exclusion",
	} {
		c := confirmation(t, read(t, name), lock)
		for range 2 {
			try, err := c.Try(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if try.Confirmed || try.Diverged == nil {
				t.Errorf("%s: confirmed %v, diverged %v, %s", lock, try.Confirmed, try.Diverged, try.Other)
			}
		}
	}
}

// TestForced: what cannot be forced says why.
func TestForced(t *testing.T) {
	holds := read(t, "gc-pause_setpx_no-lost-update")
	holds.Property = ""
	stranger := read(t, "gc-pause_setpx_no-lost-update")
	stranger.History.Operations[0].Client = "c9"
	node := read(t, "failover-loss_setpx_mutual-exclusion")
	for i := range node.History.Observations {
		if o := &node.History.Observations[i]; o.Kind == model.Crashed {
			o.Node = "../redis1"
		}
	}
	early := read(t, "gc-pause_setpx_no-lost-update")
	early.History.Operations[0].Kind = model.Release
	for want, tr := range map[string]*traces.Trace{
		"kept for no violation": holds, `"c9" is no client of the trace`: stranger,
		`"../redis1" is no server of the trace`: node, "without having acquired the lock": early,
	} {
		_, err := confirmation(t, tr, tr.Lock).Plan()
		var forced *confirm.ForceError
		if !errors.As(err, &forced) || !strings.Contains(forced.Reason, want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestStatement: what is printed as JSON names the client library with its version, and nothing else.
func TestStatement(t *testing.T) {
	tr := read(t, "gc-pause_setpx_no-lost-update")
	c := confirmation(t, tr, tr.Lock)
	if s := c.Statement("x.json", &confirm.Outcome{}); s.Client != "go-redis "+tr.Made["go-redis"] || s.Cause != "holder-stopped" || !s.Limit || s.Lock != "setpx" {
		t.Errorf("%+v", s)
	}
}
