package arms

import "github.com/lockpick-dev/lockpick/bench/lockbench/trial"

// Default is Lockpick as it is.
func Default() trial.Arm {
	return &lockpick{id: "E", name: "Lockpick", schedules: defaultRuns, about: "All scenarios, 2,000 schedules each, as `go test` does."}
}
