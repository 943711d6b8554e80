package realcommand

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/real/export"
	"github.com/lockpick-dev/lockpick/traces"
)

// exportCmd writes a test for the maintainers of a lock.
type exportCmd struct {
	Trace    string `arg:"" help:"The trace file; simrun run writes it to simrun-out."`
	GoTest   bool   `name:"go-test" required:"" help:"Write a Go test that shows it on real servers without Lockpick, with a go.mod and a README."`
	Out      string `short:"o" help:"The directory to write (default: the trace's name without its ending)." placeholder:"DIR"`
	Runs     int    `default:"10" help:"How often to run the test before it is kept, 1 to 1000 (default ${default})." placeholder:"N"`
	Repaired string `help:"A version of a module with which the test must pass, or several with commas." placeholder:"MODULE@VERSION"`

	sources map[string]fs.FS
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

// Run writes the test, if it fails.
func (c *exportCmd) Run(ctx context.Context, h command.Host) error {
	t, path, err := h.Read(ctx, c.Trace)
	if err != nil {
		return err
	}
	dir := cmp.Or(c.Out, strings.TrimSuffix(path, filepath.Ext(path)))
	job, err := c.job(ctx, h, t, path, dir)
	if err != nil {
		return err
	}
	r, err := job.Write(ctx, dir)
	var form *export.FormError
	var missing *export.MissingError
	var shown *export.NotShownError
	switch {
	case errors.As(err, &form), errors.As(err, &missing), errors.As(err, &shown):
		fmt.Fprintln(h.Err(), "simrun:", err)
		return recorded.Exit(recorded.ExitInconclusive)
	case err != nil:
		return err
	case r.Stub:
		fmt.Fprintf(h.Out(), "wrote %s, which lacks newLock: %s\n", filepath.Join(dir, "x_test.go"), r.Why)
		return recorded.Exit(recorded.ExitInconclusive)
	}
	fmt.Fprintln(h.Out(), r.Sentence(job, dir))
	return nil
}

// job returns the export of a trace.
func (c *exportCmd) job(ctx context.Context, h command.Host, t *traces.Trace, path, dir string) (*export.Job, error) {
	client, err := h.Client(ctx, t, path, "exported")
	if err != nil {
		return nil, err
	}
	defer client.Close()
	subject, err := confirm.StartRemote(client.Program, t)
	if err != nil {
		return nil, err
	}
	defer subject.Close()
	job := &export.Job{Trace: t, Make: subject.Facts().Made, Schema: subject.Facts().Schema, Runs: c.Runs, Repaired: c.Repaired}
	if client.Package == "" {
		job.Sources, job.Versions = export.Embedded(c.sources), export.Built()
		return job, nil
	}
	job.Tests, job.Command = client.Package, c.again(path, dir)
	job.Sources, job.Versions, err = export.Local(ctx, client.Dir)
	return job, err
}

// again returns the command that writes the same test.
func (c *exportCmd) again(path, dir string) string {
	words := []string{"simrun", "export --go-test", "-o", wording.ShellPath(filepath.Base(dir))}
	if c.Repaired != "" {
		words = append(words, "--repaired", wording.Shell(c.Repaired))
	}
	return strings.Join(append(words, wording.ShellPath(filepath.Base(path))), " ")
}
