package testbinary

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/confirm"
)

// envPrefix begins the names of the variables: SIMRUN_SEED is -simrun.seed.
const envPrefix = "SIMRUN_"

// The flags of test binaries that search locks. Each can also be set in the
// environment, since go test ./... hands a flag to all packages, and those that do
// not know it fail.
var (
	seed   = newFlag("seed", "SEED", "the seed of the searches")
	runs   = newFlag("runs", "RUNS", "how many schedules to run of each scenario")
	limit  = newFlag("time", "TIME", "how much processor time a call of Check may take, such as 30s; 0 for no limit")
	clock  = newFlag("wall", "WALL", "how long a call of Check may take by the clock on the wall, such as 1m; 0 for no limit")
	replay = newFlag("replay", "REPLAY", "replay this trace and run nothing else")
	diff   = newFlag("diff", "DIFF", "with -simrun.replay: compare the counterexample with its nearest passing run, in words and in this HTML file")
	shrink = newFlag("shrink", "SHRINK", "shrink this trace and run nothing else")
	conf   = newFlag("confirm", "CONFIRM", "make this trace happen on real servers and run nothing else")
	tries  = newFlag("confirm.tries", "CONFIRM_TRIES", "with -simrun.confirm: how many real runs to make")
	need   = newFlag("confirm.need", "CONFIRM_NEED", "with -simrun.confirm: in how many of them the violation must happen")
	most   = newFlag("confirm.limit", "CONFIRM_LIMIT", "with -simrun.confirm: refuse a trace whose violation comes later than this, such as 60s")
	told   = newFlag("confirm.json", "CONFIRM_JSON", "with -simrun.confirm: write what came of it to this file, as simrun confirm --json prints it")
	kept   = newSwitch("confirm.write", "CONFIRM_WRITE", "with -simrun.confirm: add the result to the trace's file, as simrun confirm --write does")
	export = newFlag("export", "EXPORT", "write a Go test of this trace, which shows it on real servers without Lockpick, into the directory of -simrun.out, and run nothing else")
	repair = newFlag("repaired", "REPAIRED", "with -simrun.export: MODULE@VERSION, with which that test must pass")
	out    = newFlag("out", "OUT", "a directory for the traces and pictures of all findings")
	report = newFlag("report", "REPORT", "a file for one page with all that was searched and found")
	shard  = newFlag("shard", "SHARD", "search only the I-th of N parts, such as 2/3, or auto: the one that the engine names which runs the job; keep it in the directory of -simrun.out")
	merge  = newFlag("merge", "MERGE", "search nothing, and judge what the shards have kept in this directory")
	zero   = newSwitch("exit-zero", "EXIT_ZERO", "with -simrun.shard: what the shard finds does not fail its test, only that of -simrun.merge")
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

// newSwitch registers a flag that is on or off. It may be given without a value.
func newSwitch(name, env, about string) *string {
	value := new(string)
	variables = append(variables, envPrefix+env)
	if testing.Testing() {
		*value = os.Getenv(envPrefix + env)
		flag.BoolFunc("simrun."+name, "lockpick: "+about+" ($"+envPrefix+env+")", func(s string) error {
			*value = s
			return nil
		})
	}
	return value
}

// set says how a flag was given: by itself, or by its variable.
func set(name, value string) string {
	variable := envPrefix + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(name))
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

// Time is the flag -simrun.time, if it is given: 0 for no limit.
func Time() (d time.Duration, given bool, err error) { return duration("time", *limit) }

// Wall is the flag -simrun.wall, 0 for no limit.
func Wall() (d time.Duration, err error) {
	d, _, err = duration("wall", *clock)
	return d, err
}

// duration reads a flag.
func duration(name, value string) (d time.Duration, given bool, err error) {
	if value == "" {
		return 0, false, nil
	}
	if d, err = time.ParseDuration(value); err != nil || d < 0 {
		return 0, true, fmt.Errorf("%s: want a duration such as 30s, at least 0", set(name, value))
	}
	return d, true, nil
}

// Replay is the path of the trace that -simrun.replay names, empty without.
func Replay() string { return *replay }

// Diff is the path of the page that -simrun.diff names, empty without.
func Diff() string { return *diff }

// Shrink is the path of the trace that -simrun.shrink names, empty without.
func Shrink() string { return *shrink }

// Confirm is the path of the trace that -simrun.confirm names, empty without.
func Confirm() string { return *conf }

// KeepConfirmed writes what came of a confirmation of the trace at a path: to the file that -simrun.confirm.json names, if it is given,
// and with -simrun.confirm.write into the trace's own.
func KeepConfirmed(c confirm.Confirmation, path string, o *confirm.Outcome) error {
	write, err := writes()
	if err == nil && write {
		err = c.Write(Absolute(path), o)
	}
	if err != nil || *told == "" {
		return err
	}
	text, err := json.Marshal(c.Statement(path, o))
	if err != nil {
		return err
	}
	return os.WriteFile(Absolute(*told), append(text, '\n'), 0o666)
}

// writes is the flag -simrun.confirm.write.
func writes() (bool, error) {
	if *kept == "" {
		return false, nil
	}
	write, err := strconv.ParseBool(*kept)
	if err != nil {
		return false, fmt.Errorf("%s: want true or false", set("confirm.write", *kept))
	}
	return write, nil
}

// Effort is what the flags say of the tries of -simrun.confirm. The error is about any of its flags.
func Effort() (confirm.Effort, error) {
	e := confirm.Usual
	if _, err := writes(); err != nil { // before minutes are spent
		return e, err
	}
	var err error
	if *tries != "" {
		if e.Tries, err = strconv.Atoi(*tries); err != nil || e.Tries < 1 || e.Tries > confirm.MostTries {
			return e, fmt.Errorf("%s: want a number from 1 to %d", set("confirm.tries", *tries), confirm.MostTries)
		}
	}
	if *need != "" {
		if e.Need, err = strconv.Atoi(*need); err != nil || e.Need < 1 || e.Need > e.Tries {
			return e, fmt.Errorf("%s: want a number from 1 to %d, the number of tries", set("confirm.need", *need), e.Tries)
		}
	}
	if *most != "" {
		if e.Limit, err = time.ParseDuration(*most); err != nil || e.Limit <= 0 {
			return e, fmt.Errorf("%s: want a duration above 0, such as 60s", set("confirm.limit", *most))
		}
	}
	return e, nil
}

// Export is the path of the trace that -simrun.export names, empty without, and Repaired is the flag -simrun.repaired.
func Export() string { return *export }

// Repaired is the module and version that -simrun.repaired names, empty without.
func Repaired() string { return *repair }

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

// Pages returns an error if -simrun.diff or -simrun.report name a path that cannot be a
// page's: it lacks the file extension of one, or is that of the replayed trace.
func Pages() error {
	for _, f := range []struct{ name, page string }{{"diff", *diff}, {"report", *report}} {
		if f.page == "" {
			continue
		}
		switch strings.ToLower(filepath.Ext(f.page)) {
		case ".html", ".htm":
		default:
			return fmt.Errorf("%s: the page is HTML: want a name that ends with .html", set(f.name, f.page))
		}
		if sameFile(Absolute(f.page), Absolute(*replay)) {
			return fmt.Errorf("%s is the trace itself: name another file for the page", set(f.name, f.page))
		}
	}
	return nil
}

// sameFile reports whether both names are of one file that exists.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two)
}
