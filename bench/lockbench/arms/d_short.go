package arms

import "github.com/lockpick-dev/lockpick/bench/lockbench/trial"

// Short is Lockpick with -short.
func Short() trial.Arm {
	return &lockpick{
		id: "D", name: "Lockpick, -short", schedules: shortRuns, time: shortTime,
		about: "All scenarios, at most 200 schedules each and 25 s of processor time in all, as `go test -short` does.",
	}
}
