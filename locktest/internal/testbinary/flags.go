package testbinary

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/recorded"
)

// envPrefix begins the names of the variables: SIMRUN_SEED is -simrun.seed.
const envPrefix = "SIMRUN_"

// The flags of test binaries that search locks. Each can also be set in the environment, since go test ./... passes a flag
// to all packages, and those that do not know it fail.
var (
	seed   = newFlag("seed", "SEED", "the seed of the searches")
	runs   = newFlag("runs", "RUNS", "the number of schedules to run for each scenario")
	limit  = newFlag("time", "TIME", "a limit for a call of Check: processor time, such as 30s; time by the clock, such as wall=1m; or both: 30s,wall=1m; 0 for no limit")
	replay = newFlag("replay", "REPLAY", "replay this trace, in this process too, and run nothing else")
	out    = newFlag("out", "OUT", "a directory for the traces and pictures of all findings")
	report = newFlag("report", "REPORT", "write one page with everything that was searched and found to this file")
	shard  = newFlag("shard", "SHARD", "search only part I of N, such as 2/3, or auto: the part that the CI engine assigns to the job; keep the results in the directory of -simrun.out. With ,exit-zero appended a finding fails only the test with -simrun.merge")
	merge  = newFlag("merge", "MERGE", "search nothing, and judge the results of the shards in this directory")
)

// variables are the environment variables of the flags.
var variables []string

// newFlag registers a flag, in test binaries only: other programs that import this
// package have flags of their own.
func newFlag(name, env, about string) *string {
	value := new(string)
	variables = append(variables, envPrefix+env)
	if testing.Testing() {
		flag.StringVar(value, "simrun."+name, os.Getenv(envPrefix+env), "lockpick: "+about+" ($"+envPrefix+env+")")
	}
	return value
}

// set returns how a flag was given: as a flag, or as its variable.
func set(name, value string) string {
	variable := envPrefix + strings.ToUpper(name)
	by := "-simrun." + name
	if os.Getenv(variable) == value {
		by = variable
	}
	flag.Visit(func(f *flag.Flag) {
		if f.Name == "simrun."+name {
			by = "-simrun." + name
		}
	})
	return by + "=" + value
}

// Seed returns the value of -simrun.seed, if it is given.
func Seed() (n uint64, given bool, err error) {
	if *seed == "" {
		return 0, false, nil
	}
	if n, err = strconv.ParseUint(*seed, 10, 64); err != nil {
		return 0, true, fmt.Errorf("%s: want a number from 0 to %d", set("seed", *seed), uint64(1<<64-1))
	}
	return n, true, nil
}

// Runs returns the value of -simrun.runs, if it is given.
func Runs() (n int, given bool, err error) {
	if *runs == "" {
		return 0, false, nil
	}
	if n, err = strconv.Atoi(*runs); err != nil || n < 1 {
		return 0, true, fmt.Errorf("%s: want a number, at least 1", set("runs", *runs))
	}
	return n, true, nil
}

// Limits are those of the flag -simrun.time: of processor time, and of time by the clock on the wall.
type Limits struct{ CPU, Wall Limit }

// Limit is a limit of time, if it is given: 0 for none.
type Limit struct {
	time.Duration
	Given bool
}

// Time returns the value of -simrun.time.
func Time() (l Limits, err error) {
	if *limit == "" {
		return l, nil
	}
	for part := range strings.SplitSeq(*limit, ",") {
		of, text := &l.CPU, part
		if after, wall := strings.CutPrefix(part, "wall="); wall {
			of, text = &l.Wall, after
		}
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 || of.Given {
			return l, fmt.Errorf("%s: want a duration such as 30s, at least 0, or wall=1m, or both: 30s,wall=1m", set("time", *limit))
		}
		*of = Limit{d, true}
	}
	return l, nil
}

// Replay returns the path of the trace that -simrun.replay names, empty without.
func Replay() string { return *replay }

// Out returns the directory that -simrun.out names, empty without.
func Out() string { return *out }

// Report returns the absolute path of the page that -simrun.report names, empty without.
func Report() string {
	if *report == "" {
		return ""
	}
	return Absolute(*report)
}

// Artifacts reports whether go test's flag -artifacts is given.
func Artifacts() bool {
	f := flag.Lookup("test.artifacts")
	return f != nil && f.Value.String() == "true"
}

// Page returns an error if -simrun.report names a path that no page can have: it lacks the file extension, or is that of
// the replayed trace.
func Page() error {
	if *report == "" {
		return nil
	}
	switch strings.ToLower(filepath.Ext(*report)) {
	case ".html", ".htm":
	default:
		return fmt.Errorf("%s: the page is HTML: want a name that ends with .html", set("report", *report))
	}
	if recorded.SameFile(Absolute(*report), Absolute(*replay)) {
		return fmt.Errorf("%s is the trace itself: name another file for the page", set("report", *report))
	}
	return nil
}
