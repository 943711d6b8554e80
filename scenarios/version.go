package scenarios

import (
	"maps"
	"runtime"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/traces"
)

// Version is the version of Lockpick.
const Version = "0.2.0"

// Versions are what this binary was made of, with the client libraries of the stores.
func Versions(stores ...stage.Store) traces.Versions {
	v := traces.Versions{"lockpick": Version, "go": runtime.Version()}
	for _, s := range stores {
		maps.Copy(v, s.Versions())
	}
	return v
}
