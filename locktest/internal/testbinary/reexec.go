package testbinary

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// This file runs a test binary again as a worker: the same test, up to the same
// call of Check or Explore, which then serves instead of searching.

// WorkerVariable is the environment variable that is set in worker processes. It
// names the call that the worker serves.
const WorkerVariable = gotest.WorkerVariable

func init() {
	if os.Getenv(WorkerVariable) != "" {
		explore.KeepAside()
	}
}

// calls are the calls of each running test.
var calls = struct {
	sync.Mutex
	of map[string]*called
}{of: map[string]*called{}}

// called counts the calls in a test, and the subtests of each name that they have made.
type called struct {
	n        int
	subtests map[string]int
}

// ThisCall identifies the current call of Check or Explore, by the test and the number of the call in it. Each use counts
// as one call.
func ThisCall(t *testing.T) traces.Test {
	name := t.Name()
	noted()
	calls.Lock()
	defer calls.Unlock()
	if calls.of[name] == nil {
		calls.of[name] = &called{subtests: map[string]int{}}
		t.Cleanup(func() { // the test may be run again: -test.count
			calls.Lock()
			defer calls.Unlock()
			delete(calls.of, name)
		})
	}
	calls.of[name].n++
	return traces.Test{Name: name, Package: PackagePath(), Call: calls.of[name].n}
}

// PackagePath returns the import path of the package under test.
func PackagePath() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return strings.TrimSuffix(info.Path, ".test")
}

// PackageArgument returns the argument for the package under test in go commands; empty if the package was made of files
// named on the command line.
func PackageArgument() string {
	if pkg := PackagePath(); pkg != "command-line-arguments" {
		return pkg
	}
	return ""
}

// Simrun returns the command that runs simrun in the module of the package under test.
func Simrun() string { return gotest.Simrun(home) }

// Reexecuted returns the test binary as a worker for a call.
func Reexecuted(call traces.Test) (explore.Worker, error) {
	if homeErr != nil {
		return explore.Worker{}, homeErr
	}
	args := gotest.Arguments(call)
	if testing.Short() {
		args = append(args, "-test.short") // the code before the call may depend on it
	}
	w, err := explore.Self(append(args, foreign(os.Args[1:])...)...)
	w.Pipes, w.Dir, w.Env = true, home, []string{WorkerVariable + "=" + gotest.Call(call), gotest.ServesVariable + "="}
	return w, err
}

// foreign returns the arguments that are neither go test's nor this package's: the test may need them. Profiles, logs and
// the like are left out, since workers must not write them.
func foreign(args []string) (list []string) {
	for i := 0; i < len(args); i++ {
		name, _, hasValue := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		switch {
		case args[i] == "--" || !strings.HasPrefix(args[i], "-"):
			return append(list, args[i:]...)
		case !strings.HasPrefix(name, "test.") && !strings.HasPrefix(name, "simrun."):
			list = append(list, args[i])
			if !hasValue && !isBoolean(name) && i+1 < len(args) {
				i++
				list = append(list, args[i])
			}
		case !hasValue && !isBoolean(name):
			i++ // its value
		}
	}
	return list
}

// isBoolean reports whether a flag takes no value.
func isBoolean(name string) bool {
	f := flag.Lookup(name)
	if f == nil {
		return true
	}
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// Debugged reports whether a debugger is attached to this process. On Linux the kernel shows that; elsewhere the build
// does: whether the program was compiled for debuggers.
func Debugged() bool {
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		return traced(string(status))
	}
	info, ok := debug.ReadBuildInfo()
	return ok && slices.ContainsFunc(info.Settings, unoptimized)
}

// traced reports whether the text of /proc/PID/status names a process that traces the process.
func traced(status string) bool {
	_, tracer, known := strings.Cut(status, "\nTracerPid:\t")
	return known && !strings.HasPrefix(tracer, "0\n")
}

// unoptimized reports whether a build setting is one for debuggers.
func unoptimized(s debug.BuildSetting) bool {
	return s.Key == "-gcflags" && slices.Contains(strings.Fields(strings.NewReplacer("=", " ", `"`, " ", "'", " ").Replace(s.Value)), "-N")
}

// IsServed reports whether program simrun has started this process: as a client process of a confirmation, or to carry out commands.
func IsServed() bool { return os.Getenv(gotest.ServesVariable) != "" }

// Serve serves the call, and does not return, if this process was started for it: as a worker, or by program simrun. Otherwise
// it reports whether the process was started for another call. The host has no worker yet. A process that makes no runs needs no t.
func Serve(t *testing.T, call traces.Test, host func() *recorded.Host, resolve func(json.RawMessage) (cell.Cell, error)) (another bool) {
	switch os.Getenv(WorkerVariable) {
	case "":
		return false
	case gotest.Call(call):
	default:
		return true
	}
	var err error
	switch os.Getenv(gotest.ServesVariable) {
	case gotest.ServesClient:
		err = realclient.Serve(realclient.Locks{Of: host().Cell, Decode: resolve})
	case gotest.ServesCommands:
		err = serveCommands(call, host())
	default:
		err = explore.ServePipes(func(raw json.RawMessage) (explore.Runner, error) {
			c, err := resolve(raw)
			return noticing(t, c.Run), err
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "simrun:", err)
		os.Exit(1)
	}
	os.Exit(0)
	return true
}

// serveCommands carries out simrun's commands about traces of the call. Runs are made by workers unless the host has one.
func serveCommands(call traces.Test, h *recorded.Host) error {
	if h.Worker.Here == nil {
		w, err := Reexecuted(call)
		if err != nil {
			return err
		}
		h.Worker = w
		h.Worker.Kept = &explore.Kept{}
		defer h.Worker.Kept.Close()
	}
	return recorded.Serve(h)
}
