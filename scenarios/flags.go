package scenarios

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
)

// attackFlags are the flags of test binaries that attack locks. Each can also
// be set in the environment, since go test ./... hands a flag to all packages,
// and those that do not know it fail.
type attackFlags struct{ values map[string]*string }

// envPrefix begins the names of the variables: SIMRUN_SEED is -simrun.seed.
const envPrefix = "SIMRUN_"

var flags = newFlags()

// newFlags registers the flags, in test binaries only: other programs that
// import this package have flags of their own.
func newFlags() *attackFlags {
	f := &attackFlags{values: map[string]*string{}}
	for _, d := range []struct{ name, env, about string }{
		{"seed", "SEED", "the seed of the searches"},
		{"runs", "RUNS", "how many schedules there are of each scenario"},
		{"replay", "REPLAY", "run this trace and nothing else"},
		{"out", "OUT", "a directory for the traces and pictures of everything that is found"},
	} {
		value := new(string)
		f.values[d.name] = value
		if testing.Testing() {
			flag.StringVar(value, "simrun."+d.name, os.Getenv(envPrefix+d.env), "lockpick: "+d.about+" ($"+envPrefix+d.env+")")
		}
	}
	return f
}

func (f *attackFlags) seed() string   { return *f.values["seed"] }
func (f *attackFlags) runs() string   { return *f.values["runs"] }
func (f *attackFlags) replay() string { return *f.values["replay"] }
func (f *attackFlags) out() string    { return *f.values["out"] }

// apply sets what flags override.
func (f *attackFlags) apply(s *settings) error {
	if seed := f.seed(); seed != "" {
		n, err := strconv.ParseUint(seed, 10, 64)
		if err != nil {
			return fmt.Errorf("-simrun.seed=%s: want a number from 0 to %d", seed, uint64(1<<64-1))
		}
		s.seed = n
	}
	if runs := f.runs(); runs != "" {
		n, err := strconv.Atoi(runs)
		if err != nil || n < 1 {
			return fmt.Errorf("-simrun.runs=%s: want a number, at least 1", runs)
		}
		s.runs = n
	}
	return nil
}
