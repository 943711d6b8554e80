package confirm_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestTopology: servers that choose by themselves which of them serves are refused before anything is started, with what would do if the
// violation does not come of that.
func TestTopology(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // a server that is to be started would be missing
	const without = "a search with topology=replicas may find it as well, and that can be forced"
	for _, c := range []struct {
		name, topology, scenario string
		happens                  model.ObservationKind
		may                      bool // do without
	}{
		{"a client is paused, sentinels", "sentinel", "gc-pause", model.Paused, true},
		{"a client is paused, a cluster", "cluster", "gc-pause", model.Paused, true},
		{"a primary starts again, sentinels", "sentinel", "node-restart", model.Returned, false},
		{"a master hangs, a cluster", "cluster", "hung-node", model.Paused, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := found{
				scenario: c.scenario, lock: "setpx", property: "mutual-exclusion", limit: true, happens: observed(c.happens),
				settings: []traces.Parameter{{Name: "topology", Value: c.topology}, {Name: "replicas", Value: "1"}},
			}
			tr := f.trace(t)
			job := confirmation(t, tr, tr.Lock)
			for of, ask := range map[string]func() error{ // unordered: each by itself
				"Forcible": func() error { return job.Forcible(time.Hour) },
				"Try":      func() error { _, err := job.Try(t.Context()); return err },
			} {
				var forced *confirm.ForceError
				if err := ask(); !errors.As(err, &forced) || !strings.HasPrefix(forced.Reason, "with topology="+c.topology+" ") || strings.HasSuffix(forced.Reason, without) != c.may {
					t.Errorf("%s: %v", of, err)
				}
			}
			o, err := job.Run(t.Context(), confirm.Usual)
			if err != nil || o.Result != confirm.NotForced || o.Of != 0 {
				t.Errorf("%+v %v", o, err)
			}
		})
	}
}
