package store

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/traces"
)

// set sets parameters by their names.
func set(t *testing.T, pairs ...string) (stage.Params, error) {
	t.Helper()
	p := stage.Params{Clients: 1, Rounds: 1}
	var list []traces.Parameter
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		list = append(list, traces.Parameter{Name: name, Value: value})
	}
	err := stage.SettingsOf(New(nil), faults.All).SetAll(&p, list)
	return p, err
}

// TestPooler: the pooler is named by its mode, and is the second server.
func TestPooler(t *testing.T) {
	for mode, lanes := range map[string]int{"none": 1, "session": 2, "transaction": 2, "statement": 2} {
		p, err := set(t, "pooler="+mode)
		if err != nil {
			t.Fatal(err)
		}
		if got := New(nil).Lanes(p); len(got) != lanes {
			t.Errorf("pooler=%s: lanes %v", mode, got)
		}
	}
	if _, err := set(t, "pooler=both"); err == nil || !strings.Contains(err.Error(), "transaction") {
		t.Errorf("pooler=both: %v", err)
	}
	if _, err := set(t, "pooler-connections=2"); err == nil || !strings.Contains(err.Error(), "set pooler") {
		t.Errorf("pooler-connections without a pooler: %v", err)
	}
}

// TestSynchronousCommit: a commit waits for one replica if there are any, and has to.
func TestSynchronousCommit(t *testing.T) {
	for value, want := range map[string]int{"local": 0, "off": 0, "on": 1, "remote_apply": 1} {
		p, err := set(t, "replicas=1", "synchronous-commit="+value)
		if err != nil {
			t.Fatal(err)
		}
		if o := options(p); o.SynchronousCommit != value || o.Synchronous != want || o.Replicas != 1 {
			t.Errorf("%s: %+v", value, o)
		}
	}
	if _, err := set(t, "synchronous-commit=on"); err == nil || !strings.Contains(err.Error(), "needs a replica") {
		t.Errorf("on without a replica: %v", err)
	}
}
