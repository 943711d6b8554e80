package etcdlab_test

import (
	"os"
	"testing"

	"github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/experiments"
	"github.com/lockpick-dev/lockpick/lab/internal/experimentstest"
)

func TestMain(m *testing.M) {
	experimentstest.Serve(builtin.Locks())
	os.Exit(m.Run())
}

// withLocks are the experiments that take a program's locks.
var withLocks = []string{"herd", "which-lock"}

// TestExperimentsRepeat: their runs come out the same in two processes.
func TestExperimentsRepeat(t *testing.T) { experimentstest.Repeat(t, builtin.Locks(), withLocks...) }

// TestExperimentsRaceBuild: and in a binary with the race detector.
func TestExperimentsRaceBuild(t *testing.T) {
	experimentstest.RaceBuild(t, builtin.Locks(), withLocks...)
}

// TestHandoverWakesOne: clients receive no more per hand-over when more wait.
func TestHandoverWakesOne(t *testing.T) {
	herd, err := experiments.Find("herd")
	if err != nil {
		t.Fatal(err)
	}
	values := herd.Defaults()
	values["waiters"] = 20
	variants, err := herd.Variants(values, builtin.Locks())
	if err != nil {
		t.Fatal(err)
	}
	var first float64
	for i, v := range variants {
		one := play(t, v)
		received := float64(one.Received) / float64(one.Count(lab.Acquired))
		if i == 0 {
			first = received
		}
		if received > 1.5*first {
			t.Errorf("%s: clients receive %.1f segments per hand-over, with the fewest waiters %.1f", v.Name, received, first)
		}
	}
}

func play(t *testing.T, v experiments.Variant) *lab.Sample {
	t.Helper()
	s, _, err := lab.Run(v.Plan, lab.Tape(1), false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
