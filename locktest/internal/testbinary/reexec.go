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
	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// This file runs a test binary again as a worker: the same test, up to the same
// call of Check or Explore, which then serves instead of searching.

// WorkerVariable is the environment variable that is set in worker processes. It
// names the call that the worker serves.
const WorkerVariable = envPrefix + "WORKER"

// ClientVariable is the environment variable that is set beside [WorkerVariable] in client processes of a confirmation.
const ClientVariable = envPrefix + "CLIENT"

func init() {
	if os.Getenv(WorkerVariable) != "" {
		explore.KeepAside()
	}
}

// calls are those of each test that is running.
var calls = struct {
	sync.Mutex
	of map[string]*called
}{of: map[string]*called{}}

// called are the calls in a test: their number, and how many subtests of each name they have made.
type called struct {
	n        int
	subtests map[string]int
}

// ThisCall names the current call of Check or Explore, by the test and the number of
// the call in it. Each use counts as one call.
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

// callName is how a worker is told which call it serves.
func callName(c traces.Test) string { return fmt.Sprintf("%s#%d", c.Name, c.Call) }

// PackagePath is the import path of the package under test.
func PackagePath() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return strings.TrimSuffix(info.Path, ".test")
}

// ModulePath is that of the binary's module.
func ModulePath() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Path
	}
	return ""
}

// Reexecuted is the test binary as a worker for a call.
func Reexecuted(call traces.Test) (explore.Worker, error) {
	if homeErr != nil {
		return explore.Worker{}, homeErr
	}
	args := []string{"-test.run=" + gotest.Pattern(call.Name), "-test.timeout=0"}
	if testing.Short() {
		args = append(args, "-test.short") // the way to the call may depend on it
	}
	w, err := explore.Self(append(args, foreign(os.Args[1:])...)...)
	w.Pipes, w.Dir, w.Env = true, home, []string{WorkerVariable + "=" + callName(call)}
	return w, err
}

// foreign are the arguments that are neither go test's nor this package's: the
// test may need them. Profiles, logs and the like are not the workers' to write.
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

// Debugged reports whether a debugger has this process. Linux says so; elsewhere one may have a program that was compiled for it.
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

// unoptimized reports whether a setting of a build is that of debuggers.
func unoptimized(s debug.BuildSetting) bool {
	return s.Key == "-gcflags" && slices.Contains(strings.Fields(strings.NewReplacer("=", " ", `"`, " ", "'", " ").Replace(s.Value)), "-N")
}

// Client is the test binary as a client process of a confirmation: a worker that is a client in place of making runs.
func Client(w explore.Worker) confirm.Program {
	return confirm.Program{Command: w.Command, Dir: w.Dir, Env: append(slices.Clone(w.Env), ClientVariable+"=1")}
}

// IsClient reports whether this process is a client process of a confirmation.
func IsClient() bool { return os.Getenv(ClientVariable) != "" }

// Serve serves the call, and does not return, if this process is its worker, or a client process for it. Otherwise
// it reports whether the process is the worker of another call. A client process needs no t.
func Serve(t *testing.T, call traces.Test, resolve func(json.RawMessage) (cell.Cell, error)) (another bool) {
	switch os.Getenv(WorkerVariable) {
	case "":
		return false
	case callName(call):
	default:
		return true
	}
	serve := func() error {
		return explore.ServePipes(func(raw json.RawMessage) (explore.Runner, error) {
			c, err := resolve(raw)
			return noticing(t, c.Run), err
		})
	}
	if IsClient() {
		serve = func() error { return confirm.Serve(resolve) }
	}
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "simrun:", err)
		os.Exit(1)
	}
	os.Exit(0)
	return true
}
