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

// The flags of test binaries that search locks. Each can also be set in the
// environment, since go test ./... hands a flag to all packages, and those that do
// not know it fail.
var (
	seed   = newFlag("seed", "SEED", "the seed of the searches")
	runs   = newFlag("runs", "RUNS", "how many schedules to run of each scenario")
	limit  = newFlag("time", "TIME", "how much processor time a call of Check may take, such as 30s, how much time by the clock, such as wall=1m, or both with a comma; 0 for no limit")
	replay = newFlag("replay", "REPLAY", "replay this trace, in this process too, and run nothing else")
	out    = newFlag("out", "OUT", "a directory for the traces and pictures of all findings")
	report = newFlag("report", "REPORT", "a file for one page with all that was searched and found")
	shard  = newFlag("shard", "SHARD", "search only the I-th of N parts, such as 2/3, or auto: the one that the engine names which runs the job; keep it in the directory of -simrun.out. With ,exit-zero behind it a finding does not fail the test, only that of -simrun.merge")
	merge  = newFlag("merge", "MERGE", "search nothing, and judge what the shards have kept in this directory")
)

// variables are those of the flags.
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

// set says how a flag was given: by itself, or by its variable.
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

// Seed is the flag -simrun.seed, if it is given.
func Seed() (n uint64, given bool, err error) {
	if *seed == "" {
		return 0, false, nil
	}
	if n, err = strconv.ParseUint(*seed, 10, 64); err != nil {
		return 0, true, fmt.Errorf("%s: want a number from 0 to %d", set("seed", *seed), uint64(1<<64-1))
	}
	return n, true, nil
}

// Runs is the flag -simrun.runs, if it is given.
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

// Time is the flag -simrun.time.
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

// Replay is the path of the trace that -simrun.replay names, empty without.
func Replay() string { return *replay }

// Out is the directory that -simrun.out names, empty without.
func Out() string { return *out }

// Report is the absolute path of the page that -simrun.report names, empty without.
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

// Page returns an error if -simrun.report names a path that cannot be a page's: it lacks the file extension of one, or is that of
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
