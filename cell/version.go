package cell

import (
	"maps"
	"runtime"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/traces"
)

// Version is the version of Lockpick.
const Version = "0.2.0"

// Versions returns the versions that this binary was built from, with those of the stores'
// client libraries.
func Versions(stores ...stage.Store) traces.Versions {
	v := traces.Versions{"lockpick": Version, "go": runtime.Version()}
	for _, s := range stores {
		maps.Copy(v, s.Versions())
	}
	return v
}
