package simrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"

	"github.com/lockpick-dev/lockpick"
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/export"
	"github.com/lockpick-dev/lockpick/internal/wording"
)

// exportCmd writes a test for the maintainers of a lock.
type exportCmd struct {
	Trace    string `arg:"" help:"The trace file; simrun run writes it to simrun-out."`
	GoTest   bool   `name:"go-test" required:"" help:"Write a Go test that shows it on real servers without Lockpick, with a go.mod and a README."`
	Out      string `short:"o" help:"The directory to write (default: the trace's name without its ending)." placeholder:"DIR"`
	Runs     int    `default:"10" help:"How often to run the test before it is kept, 1 to 1000 (default ${default})." placeholder:"N"`
	Repaired string `help:"A version of a module with which the test must pass, or several with commas." placeholder:"MODULE@VERSION"`
}

// Validate checks what kong cannot.
func (c *exportCmd) Validate() error {
	if c.Runs < 1 || c.Runs > 1000 {
		return fmt.Errorf("--runs=%d: want 1 to 1000", c.Runs)
	}
	if module, version, _ := strings.Cut(c.Repaired, "@"); c.Repaired != "" && (module == "" || version == "") {
		return fmt.Errorf("--repaired=%s: want MODULE@VERSION, such as github.com/bsm/redislock@v0.9.4", c.Repaired)
	}
	return nil
}

// trees has the sources of Lockpick's modules.
func (a *app) trees() map[string]fs.FS {
	trees := map[string]fs.FS{"github.com/lockpick-dev/lockpick": lockpick.Sources}
	maps.Copy(trees, a.sources)
	return trees
}

// Run writes the test, if it fails.
func (c *exportCmd) Run(ctx context.Context, a *app) error {
	t, path, err := read(ctx, c.Trace)
	if err != nil {
		return err
	}
	dir := cmp.Or(c.Out, strings.TrimSuffix(path, filepath.Ext(path)))
	job := &export.Job{Trace: t, Runs: c.Runs, Repaired: c.Repaired}
	if a.needsTest(t) {
		err = c.ofTest(ctx, job, path, dir)
	} else {
		var ce cell.Cell
		ce, err = a.registry().Of(t)
		if err == nil {
			job.Make, job.Sources, job.Versions = ce.Lock.Constructor(), export.Embedded(a.trees()), export.Built()
		}
	}
	if err != nil {
		return usageError{fmt.Errorf("%s cannot be exported here: %w", path, err)}
	}
	r, err := job.Write(ctx, dir)
	var form *export.FormError
	var missing *export.MissingError
	var shown *export.NotShownError
	switch {
	case errors.As(err, &form), errors.As(err, &missing), errors.As(err, &shown):
		fmt.Fprintln(a.err, "simrun:", err)
		return exitCode(exitInconclusive)
	case err != nil:
		return err
	case r.Stub:
		fmt.Fprintf(a.out, "wrote %s, which lacks newLock: %s\n", filepath.Join(dir, "x_test.go"), r.Why)
		return exitCode(exitInconclusive)
	}
	fmt.Fprintln(a.out, r.Sentence(job, dir))
	return nil
}

// ofTest fills in what the test binary and its module have.
func (c *exportCmd) ofTest(ctx context.Context, job *export.Job, path, dir string) error {
	s, err := startTest(ctx, job.Trace, path)
	if err != nil {
		return err
	}
	defer s.close()
	d, err := s.Describe(job.Trace)
	if err != nil {
		return err
	}
	job.Make, job.Tests = d.Constructor, job.Trace.Test.Package
	job.Sources, job.Versions, err = export.Local(ctx, s.binary.Dir)
	job.Command = "simrun export --go-test -o " + wording.ShellPath(filepath.Base(dir)) + " " + wording.ShellPath(filepath.Base(path))
	if c.Repaired != "" {
		job.Command += " --repaired " + wording.Shell(c.Repaired)
	}
	return err
}
