package realcommand

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
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

	servers confirm.Stores
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
	case c.Write && c.Lock != "":
		return errors.New("--write and --lock exclude each other: the result of another lock is not one of the trace")
	case len(c.Traces) > 1 && strings.HasSuffix(c.Out, ".json"):
		return fmt.Errorf("-o %s: there are several traces: name a directory for their real runs", c.Out)
	}
	return nil
}

// Run confirms each trace.
func (c *confirmCmd) Run(ctx context.Context, h command.Host) error {
	code := recorded.ExitViolation
	for _, path := range c.Traces {
		result, err := c.one(ctx, h, path)
		if err != nil {
			return err
		}
		if result != confirm.Confirmed {
			code = recorded.ExitInconclusive
		}
	}
	return recorded.Exit(code)
}

// one confirms one trace, and prints the result.
func (c *confirmCmd) one(ctx context.Context, h command.Host, name string) (confirm.Result, error) {
	t, path, err := h.Read(ctx, name)
	if err != nil {
		return "", err
	}
	real, err := c.realPath(path)
	if err != nil {
		return "", err
	}
	job, end, err := c.job(ctx, h, t, path)
	if err != nil {
		return "", err
	}
	defer end()
	o, err := job.Run(ctx, confirm.Effort{Tries: c.Tries, Need: c.Need, Limit: c.Limit})
	var missing *realserver.MissingError
	switch {
	case errors.As(err, &missing):
		fmt.Fprintln(h.Err(), "simrun:", missing)
		return "", recorded.Exit(recorded.ExitInconclusive)
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", err
	}
	if !c.JSON {
		o.Print(h.Out(), t, job.Subject.Facts().Lock)
	}
	if err := errors.Join(c.story(h, o), c.keep(h, job, o, path, real)); err != nil || !c.JSON {
		return o.Result, err
	}
	return o.Result, json.NewEncoder(wording.Data(h.Out())).Encode(job.Statement(path, o))
}

// job returns the confirmation of a trace. The caller calls end.
func (c *confirmCmd) job(ctx context.Context, h command.Host, t *traces.Trace, path string) (job confirm.Confirmation, end func(), err error) {
	of := *t
	if c.Lock != "" {
		if err := c.mayRun(h.Locks(), t, path); err != nil {
			return job, nil, err
		}
		of.Lock = c.Lock
	}
	client, err := h.Client(ctx, &of, path, "confirmed")
	if err != nil {
		return job, nil, err
	}
	subject, err := confirm.StartRemote(client.Program, &of)
	if err != nil {
		client.Close()
		return job, nil, err
	}
	end = func() { subject.Close(); client.Close() }
	return confirm.Confirmation{Subject: subject, Trace: t, Store: c.servers.Of(subject.Facts()), Client: client.Program}, end, nil
}

// mayRun reports whether the lock of --lock can run in place of a trace's.
func (c *confirmCmd) mayRun(locks []cell.Lock, t *traces.Trace, path string) error {
	var ids []string
	for _, l := range locks {
		switch store := l.Store.ID(); {
		case l.ID != c.Lock:
			ids = append(ids, l.ID)
		case store != t.Store:
			return command.Usagef("--lock=%s: that is a lock over %s, and %s is of one over %s: name a lock over %[4]s (simrun list --store %[4]s)", c.Lock, store, path, t.Store)
		default:
			return nil
		}
	}
	return command.Usage{Err: &cell.UnknownError{What: "lock", ID: c.Lock, Known: ids}}
}

// realPath returns the path of a trace's real run, empty for none.
func (c *confirmCmd) realPath(path string) (string, error) {
	to := c.Out
	if to == "" {
		return "", nil
	}
	if !strings.HasSuffix(to, ".json") {
		if err := os.MkdirAll(to, 0o777); err != nil {
			return "", command.Usagef("the directory for real runs cannot be made: %w", err)
		}
		to = filepath.Join(to, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))+".real.json")
	}
	if recorded.SameFile(to, path) {
		return "", command.Usagef("%s is the trace itself: name another file for the real run with -o", to)
	}
	return to, nil
}

// keep writes the result of the tries into the trace's file, and the real run into another.
func (c *confirmCmd) keep(h command.Host, job confirm.Confirmation, o *confirm.Outcome, path, real string) error {
	if c.Write {
		if err := job.Write(path, o); err != nil {
			return command.Usage{Err: err}
		}
	}
	if real == "" || o.Real == nil {
		return nil
	}
	if err := traces.WriteFile(real, o.Real); err != nil {
		return command.Usagef("the real run cannot be written: %w", err)
	}
	if !c.JSON {
		fmt.Fprintf(h.Out(), "  the real run is in %[1]s: %[2]s diff %[3]s %[4]s compares it with the simulated one\n", real, h.Program(), wording.ShellPath(path), wording.ShellPath(real))
	}
	return nil
}

// story prints the story of the real run, with the trace's width.
func (c *confirmCmd) story(h command.Host, o *confirm.Outcome) error {
	if !c.Verbose || c.JSON || o.Real == nil {
		return nil
	}
	how := h.Style()
	how.Story = true
	return render.Explain(h.Out(), o.Real, how)
}
