package locktest

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/export"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/traces"
)

// exportRuns is how often an exported test runs before it is kept.
const exportRuns = 5

// exportFlag writes a Go test of the trace that -simrun.export names: see package export.
func (x *session) exportFlag(ctx context.Context, t *testing.T) {
	t.Helper()
	path := testbinary.Export()
	old := x.named(t, "-simrun.export", path, "export it by", gotest.Export)
	if old == nil {
		return
	}
	dir := testbinary.Out()
	if dir == "" {
		t.Fatalf("-simrun.export=%s: name the directory for the test by -simrun.out", path)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	sources, versions, err := export.Local(ctx, here)
	if err != nil {
		t.Fatalf("-simrun.export=%s: %v", path, err)
	}
	job := &export.Job{
		Trace: old, Make: x.lock.Constructor(), Sources: sources, Tests: x.call.Package, Versions: versions,
		Runs: exportRuns, Repaired: testbinary.Repaired(), Command: exportCommand(old, path, dir),
	}
	r, err := job.Write(ctx, testbinary.Absolute(dir))
	if err != nil {
		t.Fatalf("-simrun.export=%s: %v", path, err)
	}
	t.Log(cmp.Or(r.Why, r.Sentence(job, dir)))
}

// exportCommand is the command that writes the test again, from anywhere in the module of the package.
func exportCommand(t *traces.Trace, path, dir string) string {
	c := gotest.Command{Pattern: gotest.Pattern(t.Test.Name), Package: t.Test.Package, Flags: []string{
		gotest.ExportFlag(filepath.Base(path)), "-simrun.out=" + wording.Shell(filepath.Base(dir)),
	}}
	if repaired := testbinary.Repaired(); repaired != "" {
		c.Flags = append(c.Flags, "-simrun.repaired="+wording.Shell(repaired))
	}
	return c.String()
}
