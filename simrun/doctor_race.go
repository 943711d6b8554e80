package simrun

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// raceWorker returns a worker whose binary was built with the race detector, which schedules goroutines differently: the
// binary of --race-binary, or one that is built now and removed by clean.
func (c *doctorCmd) raceWorker(ctx context.Context, a *app) (w explore.Worker, clean func(), err error) {
	w, clean = a.worker, func() {}
	binary := c.RaceBinary
	if binary == "" {
		if binary, clean, err = buildRace(ctx, a); err != nil {
			return w, clean, err
		}
	}
	if err := matchingRace(a.worker.Command[0], binary); err != nil {
		clean()
		return w, clean, err
	}
	w.Command = append([]string{binary}, a.worker.Command[1:]...)
	return w, clean, nil
}

// errNoRace is why there is no build with the race detector to compare with.
type errNoRace struct{ reason string }

func (e errNoRace) Error() string {
	return "doctor --race: " + e.reason + "; nothing was compared. It builds simrun with the race detector, which needs Go, " +
		"a C compiler, cgo and Lockpick's source in the module of the working directory; elsewhere, build one with " +
		"go build -race " + self() + " and name it by --race-binary"
}

// buildRace builds this program with the race detector.
func buildRace(ctx context.Context, a *app) (binary string, clean func(), err error) {
	clean = func() {}
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "gcc"
	}
	for _, tool := range []string{"go", compiler} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", clean, errNoRace{"" + tool + " is not in the path"}
		}
	}
	self, err := buildinfo.ReadFile(a.worker.Command[0])
	if err != nil {
		return "", clean, errNoRace{"this program has no build information: " + err.Error()}
	}
	dir, err := os.MkdirTemp("", "simrun-race-")
	if err != nil {
		return "", clean, err
	}
	clean = func() { _ = os.RemoveAll(dir) } // it is in a directory for files that may be lost
	binary = filepath.Join(dir, "simrun-race")
	build := exec.CommandContext(ctx, "go", "build", "-race", "-ldflags=-X testing.testBinary=1", "-o", binary, self.Path)
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		clean()
		return "", func() {}, errNoRace{fmt.Sprintf("go build -race %s: %v\n%s", self.Path, err, out)}
	}
	return binary, clean, nil
}

// matchingRace checks that a binary was built with the race detector, from the same source
// as this one, as far as their build information says.
func matchingRace(plain, race string) error {
	bad := func(reason string) error {
		return usageError{fmt.Errorf("--race-binary=%s: %s; build it with go build -race from the same source", race, reason)}
	}
	r, err := buildinfo.ReadFile(race)
	if err != nil {
		return bad("not a Go program: " + err.Error())
	}
	p, err := buildinfo.ReadFile(plain)
	if err != nil {
		return err
	}
	one, other := buildSetting(p, "vcs.revision"), buildSetting(r, "vcs.revision") // go run does not record it
	switch {
	case buildSetting(r, "-race") != "true":
		return bad("it was built without the race detector")
	case r.Path != p.Path:
		return bad("it is " + r.Path + ", and this program is " + p.Path)
	case r.GoVersion != p.GoVersion:
		return bad("it was built by " + r.GoVersion + ", and this program by " + p.GoVersion)
	case one != "" && other != "" && one != other:
		return bad("it was built from revision " + other + ", and this program from " + one)
	case !slices.EqualFunc(r.Deps, p.Deps, func(a, b *debug.Module) bool { return a.Path == b.Path && a.Version == b.Version && a.Sum == b.Sum }):
		return bad("it was built with other versions of the modules that it needs")
	}
	return nil
}

// buildSetting returns a build setting of a program, empty if it is not set.
func buildSetting(b *debug.BuildInfo, key string) string {
	for _, s := range b.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// noRace reports whether the error means that the race detector is not available.
func noRace(err error) bool { return errors.As(err, new(errNoRace)) }
