package confirm_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/traces"
)

// remote starts a process of the subject of a confirmation.
func remote(t *testing.T, c confirm.Confirmation) *confirm.Remote {
	t.Helper()
	r, err := confirm.StartRemote(c.Client, c.Trace)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// TestRemote: a subject in another process answers as one in this process does.
func TestRemote(t *testing.T) {
	for _, name := range []string{"gc-pause_setpx_no-lost-update", "failover-loss_latch_linearizable"} {
		tr := read(t, name)
		c := confirmation(t, tr, "")
		r := remote(t, c)
		if got, want := r.Facts(), c.Subject.Facts(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		got, err := r.Extent(tr)
		want, _ := c.Subject.Extent(tr)
		if err != nil || got != want {
			t.Errorf("%s: %v %v, want %v", name, got, err, want)
		}
		run := realclient.Run{Property: tr.Property, Seed: 7, Events: tr.Events, History: tr.History}
		encoded := func(s realclient.Subject) string {
			tr, err := s.Judge(run)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(tr)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		if got, want := encoded(r), encoded(c.Subject); got != want {
			t.Errorf("%s: %.300s, want %.300s", name, got, want)
		}
	}
}

// TestRemoteRefuses: what the other process cannot do is an error that says why.
func TestRemoteRefuses(t *testing.T) {
	tr := read(t, "gc-pause_setpx_no-lost-update")
	c := confirmation(t, tr, "")
	if _, err := confirm.StartRemote(c.Client, &traces.Trace{Scenario: "gc-pause", Lock: "nobody's"}); err == nil || !strings.Contains(err.Error(), "nobody's") {
		t.Errorf("an unknown lock: %v", err)
	}
	other := c.Client
	other.Env = append(other.Env, "LOCKPICK_TEST_CLIENT=") // the last one counts: it runs tests
	other.Command = append(other.Command, "-test.run=^$")
	if _, err := confirm.StartRemote(other, tr); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("a program that does not serve: %v", err)
	}
	r := remote(t, c)
	if _, err := r.Extent(&traces.Trace{}); err == nil {
		t.Error("it knows the extent of a trace without a verdict")
	}
	r.Close()
	if _, err := r.Extent(tr); err == nil || !strings.Contains(err.Error(), "the process of the lock") {
		t.Errorf("after its end: %v", err)
	}
}

// TestRemoteTry: a counterexample of a lock that another program has happens on a real server.
func TestRemoteTry(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	c := confirmation(t, read(t, "failover-loss_setpx-fenced_fencing"), "")
	c.Subject = remote(t, c)
	o, err := c.Run(t.Context(), confirm.Effort{Tries: 5, Need: 1, Limit: confirm.Usual.Limit})
	if err != nil || o.Result != confirm.Confirmed || o.Real == nil || o.Real.Lock != "setpx-fenced" {
		t.Errorf("%v %+v", err, o)
	}
}
