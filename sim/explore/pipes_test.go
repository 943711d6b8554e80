package explore

import (
	"errors"
	"strings"
	"testing"
)

// TestServePipes: a worker that serves on pipes may print whatever it likes, and comes
// to the same.
func TestServePipes(t *testing.T) {
	t.Parallel()
	w := self(t)
	search := Search{Worker: w, Cell: cell{"print", 3}.json(), Seed: 1, Schedules: 20, Jobs: 2}
	want, err := search.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	search.Worker.Pipes = true
	search.Worker.Env = []string{asWorker + "=pipes", "GORACE=atexit_sleep_ms=0"}
	got, err := search.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !got.Same(&want.Tally) || got.Result() != NoneFound {
		t.Errorf("%s: %+v; want %+v", got.Result(), got, want)
	}
}

// TestUnreached: a program that does not come to serve is no trouble of a
// schedule, and what it said is told.
func TestUnreached(t *testing.T) {
	t.Parallel()
	w := self(t)
	w.Pipes = true
	w.Env = append(w.Env, asWorker+"=astray")
	sum, err := Search{Worker: w, Cell: cell{}.json(), Seed: 1, Schedules: 20}.Run(t.Context())
	var unreached *Unreached
	if !errors.As(err, &unreached) || unreached.Reason != "it ended without an error before it served" || !strings.Contains(unreached.Words, "something else was to be done") {
		t.Errorf("got %v", err)
	}
	if len(sum.Troubles) > 0 {
		t.Errorf("troubles: %+v", sum.Troubles)
	}
}
