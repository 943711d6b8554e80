package simrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// confirmCmd makes counterexamples happen on real servers.
type confirmCmd struct {
	Traces  []string      `arg:"" name:"trace" help:"The trace files; simrun run writes them to simrun-out."`
	Tries   int           `default:"20" help:"How many real runs to make, 1 to 1000 (default ${default})." placeholder:"N"`
	Need    int           `default:"1" help:"In how many of them the violation must happen, 1 to the tries (default ${default})." placeholder:"N"`
	Limit   time.Duration `default:"60s" help:"Refuse a trace whose violation comes later than this; runs take as long as in the trace (default ${default})." placeholder:"D"`
	Lock    string        `help:"Run this lock in place of the trace's: a repaired one must not be confirmed." placeholder:"LOCK"`
	Write   bool          `help:"Add the result to each trace's file: pages, reports and explain show it. It replaces an older one for the same server and client library."`
	Out     string        `short:"o" help:"Write the real run, the first that shows the violation or else the last, as a trace to this file (.json), or into this directory: view, explain and diff show it." placeholder:"FILE"`
	Verbose bool          `short:"v" help:"Explain that run as simrun explain does."`
	JSON    bool          `name:"json" help:"Print one JSON object for each trace."`
}

// Validate checks what kong cannot.
func (c *confirmCmd) Validate() error {
	switch {
	case c.Tries < 1 || c.Tries > confirm.MostTries:
		return fmt.Errorf("--tries=%d: want 1 to %d", c.Tries, confirm.MostTries)
	case c.Need < 1 || c.Need > c.Tries:
		return fmt.Errorf("--need=%d: want 1 to %d, the number of tries", c.Need, c.Tries)
	case c.Limit <= 0:
		return fmt.Errorf("--limit=%s: want a duration above 0, such as 60s", c.Limit)
	}
	return c.checkOut()
}

// Run confirms each trace.
func (c *confirmCmd) Run(ctx context.Context, a *app) error {
	code := exitViolation
	for _, path := range c.Traces {
		result, err := c.one(ctx, a, path)
		if err != nil {
			return err
		}
		if result != confirm.Confirmed {
			code = exitInconclusive
		}
	}
	return exitCode(code)
}

// one confirms one trace, and prints the result.
func (c *confirmCmd) one(ctx context.Context, a *app, path string) (confirm.Result, error) {
	t, path, err := read(ctx, path)
	if err != nil {
		return "", err
	}
	of, err := c.withLock(a, t, path)
	if err != nil {
		return "", err
	}
	job, done, err := a.confirmation(ctx, of, path)
	if err != nil {
		return "", err
	}
	defer done()
	job.Trace = t
	real, err := c.realPath(path)
	if err != nil {
		return "", err
	}
	job.Store, _ = confirm.On(job.Cell.Lock.Store)
	o, err := job.Run(ctx, confirm.Effort{Tries: c.Tries, Need: c.Need, Limit: c.Limit})
	var missing *realserver.MissingError
	if errors.As(err, &missing) {
		fmt.Fprintln(a.err, "simrun:", missing)
		return "", exitCode(exitInconclusive)
	}
	if err != nil {
		return "", err
	}
	if !c.JSON {
		o.Print(a.out, t, of.Lock)
	}
	if err := errors.Join(c.explain(a, o), c.keep(a, job, o, path, real)); err != nil || !c.JSON {
		return o.Result, err
	}
	return o.Result, json.NewEncoder(wording.Data(a.out)).Encode(job.Statement(path, o))
}

// withLock is the trace with the lock of the flag --lock, if that is given.
func (c *confirmCmd) withLock(a *app, t *traces.Trace, path string) (*traces.Trace, error) {
	if c.Lock == "" {
		return t, nil
	}
	lock, err := a.registry().Lock(c.Lock)
	if err != nil {
		return nil, usageError{err}
	}
	if store := lock.Store.ID(); store != t.Store {
		return nil, usageError{fmt.Errorf("--lock=%s: that is a lock over %s, and %s is of one over %s: name a lock over %[4]s (simrun list --store %[4]s)", c.Lock, store, path, t.Store)}
	}
	other := *t
	other.Lock = c.Lock
	return &other, nil
}

// confirmation is that of a trace at a path, with the lock and its client processes. The caller calls done.
func (a *app) confirmation(ctx context.Context, t *traces.Trace, path string) (c confirm.Confirmation, done func(), err error) {
	if !a.needsTest(t) {
		c.Client = a.client()
		if c.Cell, err = a.registry().Of(t); err != nil {
			err = usageError{fmt.Errorf("%s cannot be confirmed here: %w", path, err)}
		}
		return c, func() {}, err
	}
	s, err := startTest(ctx, t, path)
	if err != nil {
		return c, nil, err
	}
	var d *recorded.Description
	if c.Cell, d, err = s.cell(a, t); err == nil && d.Program {
		err = confirm.ErrProgram
	}
	if err != nil {
		s.close()
		return c, nil, usageError{fmt.Errorf("%s cannot be confirmed here: %w", path, err)}
	}
	c.Client.Dir = s.binary.Dir
	c.Client.Command, c.Client.Env = s.binary.Client()
	return c, s.close, nil
}

// client is this program as a client process.
func (a *app) client() confirm.Program {
	return confirm.Program{Command: append(slices.Clone(a.worker.Command[:1]), "client"), Env: a.worker.Env}
}

// clientCmd is a client process of a confirmation.
type clientCmd struct{}

// Run serves on pipes beside the standard ones.
func (clientCmd) Run(a *app) error {
	return confirm.Serve(func(raw json.RawMessage) (cell.Cell, error) { return a.registry().Decode(raw) })
}
