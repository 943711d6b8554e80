// Package arms has the arms of lockbench, one file each: the ways to look for bugs that it compares.
package arms

import "github.com/lockpick-dev/lockpick/bench/lockbench/trial"

// All returns the arms, in the order of their letters.
func All() []trial.Arm {
	return []trial.Arm{Proxy(), Chaos(), Requests(), Short(), Default()}
}
