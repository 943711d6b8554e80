package forecast

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// sample is a fleet of so many workers in which nothing goes wrong.
func sample(workers int, seed uint64) (Rules, World) {
	return Rules{Lease: 30 * time.Second, Beat: 7500 * time.Millisecond, Alive: 5 * time.Second, Look: 500 * time.Millisecond, Again: 5 * time.Second, Tries: 5, Readers: 32},
		World{
			Seed: seed, Workers: workers, Schedule: time.Millisecond, Slowest: 60, Fastest: 140, Spread: 10, Queue: 2 * time.Millisecond, Bucket: 50 * time.Millisecond,
			Names: 1000, Read: 2 * time.Millisecond, Merge: 2 * time.Millisecond, Processors: 2,
		}
}

// TestCalm: if nothing goes wrong, nothing is done twice, and the search takes as long as its workers need for it.
func TestCalm(t *testing.T) {
	for seed := range uint64(20) {
		for _, workers := range []int{1, 8, 32} {
			rules, world := sample(workers, seed)
			o := Run(20_000_000, rules, world)
			if o.Again+o.Found+o.Doubles+o.Aside != 0 || o.Lost+o.Twice != 0 {
				t.Errorf("seed %d, %d workers: %+v", seed, workers, o)
			}
			if o.Efficiency < 0.93 || o.Efficiency > 1.03 {
				t.Errorf("seed %d, %d workers: they do %.3f of what they can", seed, workers, o.Efficiency)
			}
		}
	}
}

// TestFaults: what is done twice, lost or handed out again is bounded by what goes wrong, and every piece has a result.
func TestFaults(t *testing.T) {
	var all Outcome
	for seed := range uint64(60) {
		rules, world := sample(int(1+seed*7%40), seed)
		world.Life, world.Away, world.Calm, world.Pause = 20*time.Minute, time.Minute, 15*time.Minute, time.Duration(1+seed%3)*20*time.Second
		rules.Tries = 1000
		o := Run(2_000_000+int(seed)*1000, rules, world)
		most := 128 * explore.BlockSize * world.Schedule
		switch {
		case o.Results != o.Pieces || o.Aside != 0:
			t.Errorf("seed %d: %d of %d pieces have a result", seed, o.Results, o.Pieces)
		case o.Again > o.Deaths+o.Pauses:
			t.Errorf("seed %d: handed out again %d times after %d deaths and %d pauses", seed, o.Again, o.Deaths, o.Pauses)
		case o.Doubles > o.Pauses || o.Twice > time.Duration(o.Pauses)*most:
			t.Errorf("seed %d: %d pieces were searched twice, %v, after %d pauses", seed, o.Doubles, o.Twice, o.Pauses)
		case o.Lost > time.Duration(o.Deaths)*most:
			t.Errorf("seed %d: %v are lost after %d deaths", seed, o.Lost, o.Deaths)
		}
		all.Again += o.Again
		all.Doubles += o.Doubles
		all.Lost += o.Lost
	}
	if all.Again == 0 || all.Doubles == 0 || all.Lost == 0 {
		t.Errorf("that was not put to the test: %+v", all)
	}
}

// TestServerGone: acknowledgements that a server does not hear have pieces handed out again, whose results are found.
func TestServerGone(t *testing.T) {
	for seed := range uint64(20) {
		rules, world := sample(50, seed)
		world.Down = time.Duration(5+2*seed) * time.Second
		o := Run(5_000_000, rules, world)
		if o.Results != o.Pieces || o.Again == 0 || o.Found == 0 || o.Again > 2*world.Workers {
			t.Errorf("seed %d: %+v", seed, o)
		}
		if world.Down < rules.Lease/2 && o.Doubles > 0 {
			t.Errorf("seed %d: %d pieces were searched twice after %v", seed, o.Doubles, world.Down)
		}
	}
}

// TestPoison: who dies all the time comes to an end, with pieces that were set aside.
func TestPoison(t *testing.T) {
	rules, world := sample(8, 1)
	world.Life, world.Away = 5*time.Second, time.Second
	o := Run(8_000_000, rules, world)
	if o.Aside == 0 || o.Results+o.Aside != o.Pieces {
		t.Errorf("%+v", o)
	}
}

// TestSame: the same seed gives the same, and another seed gives another.
func TestSame(t *testing.T) {
	run := func(seed uint64) Outcome {
		rules, world := sample(20, seed)
		world.Life, world.Away, world.Calm, world.Pause, world.Down = time.Hour, time.Minute, time.Hour, time.Minute, time.Minute
		return Run(3_000_000, rules, world)
	}
	if run(1) != run(1) || run(1) == run(2) {
		t.Errorf("%+v, %+v, %+v", run(1), run(1), run(2))
	}
}

// TestShortPauses: who is back within its lease keeps its piece.
func TestShortPauses(t *testing.T) {
	rules, world := sample(20, 1)
	world.Calm, world.Pause = time.Minute, 500*time.Millisecond
	if o := Run(20_000_000, rules, world); o.Pauses < 100 || o.Again+o.Doubles != 0 {
		t.Errorf("%+v", o)
	}
}
