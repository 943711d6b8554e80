package attach_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/attach"
	"github.com/lockpick-dev/lockpick/real/redis"
)

// client is the program of testdata/client.
var client string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "attach")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	client = filepath.Join(dir, "client")
	if out, err := exec.Command("go", "build", "-o", client, "./testdata/client").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %s\n", err, out)
		return 1
	}
	return m.Run()
}

// target runs the test's client with what it does wrong.
func target(t *testing.T, wrong string) *attach.Target {
	t.Helper()
	realredis.Need(t)
	return &attach.Target{
		Command: []string{client, wrong}, Store: redis.Store, StoreID: "redis",
		Terms: model.Terms{Store: "Redis", Node: "Redis node", Serving: "primary", Follower: "replica", Record: "key"},
		Lease: 500 * time.Millisecond, Clients: 2, Servers: 1,
	}
}

// TestCalm: a lock that does nothing wrong shows nothing without faults, in any workload.
func TestCalm(t *testing.T) {
	for _, w := range attach.Workloads() {
		tg := target(t, "")
		r, err := tg.Run(t.Context(), w, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Profile) == 0 || r.Lock != "test  1.0" {
			t.Errorf("%s: the run of %q has passed %d points", w.ID, r.Lock, len(r.Profile))
		}
		for _, v := range tg.Judge(r) {
			if v.Status != model.Holds && v.Status != model.NotApplicable {
				t.Errorf("%s: %s is %s: %s", w.ID, v.Property, v.Status, v.Sentence)
			}
			if v.Status == model.NotApplicable && v.Sentence == "" {
				t.Errorf("%s: no reason why %s is not applicable", w.ID, v.Property)
			}
		}
	}
}

// violated returns the violations of a run, as "property (cause)".
func violated(t *testing.T, tg *attach.Target, w attach.Workload, faults ...string) (list []string, r *attach.Ran) {
	t.Helper()
	plan, err := attach.ParsePlan(faults)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = tg.Run(t.Context(), w, plan); err != nil {
		t.Fatal(err)
	}
	if r.Struck != len(faults) {
		t.Errorf("%d of %q have struck", r.Struck, faults)
	}
	for _, v := range tg.Judge(r) {
		if v.Status == model.Violated {
			list = append(list, fmt.Sprintf("%s (%s)", v.Property, v.Cause))
		}
	}
	return list, r
}

// TestFaults: each kind of fault strikes, and shows what it should.
func TestFaults(t *testing.T) {
	for _, test := range []struct{ wrong, faults, want string }{
		{"", "c1 acquire 1, SET lock 1: lose request", ""},
		{"", "c1 acquire 1, SET lock 1: lose answer", ""},
		{"", "c1 release 1, script lock 1: lose answer", ""},
		{"", "c1 acquire 1, SET lock 1: delay request until 3 passed", ""},
		{"", "c1 acquire 1, SET lock 1: delay answer until gone", ""},
		{"", "c1 hold 1: stop client until gone", ""},
		{"", "c1 hold 1: stop client until free", ""},
		{"", "c1 acquire 1, SET lock 1: kill client", ""},
		{"forgets", "c1 acquire 1, SET lock 1: lose answer", "progress (not-served)"},
		{"forgets", "c1 release 1, script lock 1: lose request", "progress (not-served)"},
		{"late-validity", "c1 acquire 1, SET lock 1: delay answer until gone", "(claimed-longer)|(acquired-too-late)"},
		{"steals", "c1 hold 1: stop client until gone", "owner-only-release"},
	} {
		name := fmt.Sprintf("%s %s", test.wrong, test.faults)
		list, _ := violated(t, target(t, test.wrong), attach.Turns, test.faults)
		got := strings.Join(list, ", ")
		if test.want == "" && strings.Contains(strings.ReplaceAll(got, "(holder-stopped)", ""), "(") || !slices.ContainsFunc(strings.Split(test.want, "|"), func(want string) bool { return strings.Contains(got, want) }) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// TestFailOver: a follower that takes over lacks the last change, and two clients have the lock: a limit of leases.
func TestFailOver(t *testing.T) {
	tg := target(t, "")
	tg.Followers = 1
	shown := false
	for _, at := range []string{"c1 acquire 1, SET lock 1: fail over", "c1 hold 1: fail over"} {
		list, r := violated(t, tg, attach.Turns, at)
		for _, v := range list {
			if !strings.Contains(v, "(store-forgot)") {
				t.Errorf("%s: %s", at, v)
			}
		}
		if n := r.History.Operations; n[len(n)-1].Result != model.OK {
			t.Errorf("%s: the last operation is %+v", at, n[len(n)-1])
		}
		shown = shown || len(list) > 0
	}
	if !shown {
		t.Error("no failover shows that the lock is lost")
	}
}

// TestBroken: a client that breaks the protocol is an error that says how, with the end of its standard error.
func TestBroken(t *testing.T) {
	for wrong, want := range map[string]string{
		"version": "speaks version 2 of the protocol",
		"refuses": "cannot work: there is no library",
		"unready": "has ended (exit status 1)",
		"dies":    "has ended (exit status 7); the end of its standard error:\n  I have had enough",
		"garbage": `prints a line that is no report: "I have it!" is no report`,
		"id":      "answers an order with the id 11, which it does not have",
		"result":  "the result of an answer is ok, failed, unknown or unsupported",
		"twice":   "answers order 1 twice",
		"field":   "colour",
	} {
		_, err := target(t, wrong).Run(t.Context(), attach.Turns, nil)
		var broken *attach.ClientError
		if !errors.As(err, &broken) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", wrong, err, want)
		}
	}
	tg := target(t, "")
	tg.Command = []string{"/no/such/program"}
	var cannot *attach.CommandError
	if _, err := tg.Run(t.Context(), attach.Turns, nil); !errors.As(err, &cannot) {
		t.Errorf("a command that does not exist: %v", err)
	}
}

// TestCheck: the check finds nothing wrong with a client that does nothing wrong, and says what the others do wrong.
func TestCheck(t *testing.T) {
	for wrong, want := range map[string]string{
		"":         "",
		"no-lease": "",
		"version":  "speaks version 2",
		"dies":     "I have had enough",
		"garbage":  "is no report",
		"twice":    "twice",
		"greedy":   "it answers ok",
		"stays":    "it still runs",
		"hangs":    "does not answer the order to acquire",
	} {
		list, err := target(t, wrong).Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, c := range list {
			if c.Wrong != "" {
				all = append(all, c.Rule+": "+c.Wrong)
			}
		}
		got := strings.Join(all, "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", wrong, got, want)
		}
	}
}

// TestSearch: a lock that forgets its token in a release that fails is found, shrunk to one fault, and found again by its
// trace; without that, nothing is found.
func TestSearch(t *testing.T) {
	slowtest.SkipIfShort(t)
	var scenarios []attach.Scenario
	for _, id := range []string{"lost-request", "lost-reply"} {
		s, _ := attach.ScenarioOf(id)
		scenarios = append(scenarios, s)
	}
	for wrong, want := range map[string]bool{"forgets": true, "": false} {
		s := attach.Search{Target: target(t, wrong), Scenarios: scenarios, Runs: 20, Seed: 1, Jobs: 4}
		sum, err := s.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if found := len(sum.Found) > 0; found != want {
			t.Errorf("%q: found %v, unsteady %v, broken %v", wrong, sum.Found, sum.Unsteady, sum.Broken)
			continue
		}
		phases := map[attach.Phase]bool{}
		for _, f := range sum.Found {
			phases[f.Plan[0].At.Phase] = true
			if len(f.Plan) != 1 || f.Limit || f.Times < attach.Need {
				t.Errorf("%s: %v, %d of %d", f.Shown, f.Plan.Strings(), f.Times, f.Of)
			}
			target, again, err := attach.TargetOf(f.Trace)
			if err != nil {
				t.Fatal(err)
			}
			target.Command, target.Store, target.Terms = s.Command, s.Store, s.Terms
			if err := (&attach.Search{Target: target, Jobs: 4}).Again(context.Background(), again); err != nil || again.Times < attach.Need {
				t.Errorf("%s happens again in %d of %d tries: %v", f.Shown, again.Times, again.Of, err)
			}
		}
		if want && !(phases[attach.Acquiring] && phases[attach.Releasing]) {
			t.Errorf("%q: what is found is in %v, want both of acquire and release", wrong, phases)
		}
	}
}
