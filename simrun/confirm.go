package simrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/traces"
)

// confirmCmd makes counterexamples happen on real servers.
type confirmCmd struct {
	Traces []string      `arg:"" name:"trace" help:"The trace files; simrun run writes them to simrun-out."`
	Tries  int           `default:"20" help:"How many real runs to make, 1 to 1000 (default ${default})." placeholder:"N"`
	Need   int           `default:"1" help:"In how many of them the violation must happen, 1 to the tries (default ${default})." placeholder:"N"`
	Limit  time.Duration `default:"60s" help:"Refuse a trace whose violation comes later than this; runs take as long as in the trace (default ${default})." placeholder:"D"`
	Lock   string        `help:"Run this lock in place of the trace's: a repaired one must not be confirmed." placeholder:"LOCK"`
	JSON   bool          `name:"json" help:"Print one JSON object for each trace."`
}

// Validate checks what kong cannot.
func (c *confirmCmd) Validate() error {
	switch {
	case c.Tries < 1 || c.Tries > 1000:
		return fmt.Errorf("--tries=%d: want 1 to 1000", c.Tries)
	case c.Need < 1 || c.Need > c.Tries:
		return fmt.Errorf("--need=%d: want 1 to %d, the number of tries", c.Need, c.Tries)
	case c.Limit <= 0:
		return fmt.Errorf("--limit=%s: want a duration above 0, such as 60s", c.Limit)
	}
	return nil
}

// confirmed is the result for one trace.
type confirmed struct {
	Type     string `json:"type"`
	Trace    string `json:"trace"`
	Scenario string `json:"scenario"`
	Lock     string `json:"lock"`
	Property string `json:"property"`
	Limit    bool   `json:"limit"`
	Cause    string `json:"cause"`
	// Result is "confirmed", "not confirmed" or "cannot be forced".
	Result    string  `json:"result"`
	Reason    string  `json:"reason,omitempty"` // why it cannot be forced
	Server    string  `json:"server,omitempty"`
	Of        int     `json:"of"`
	Confirmed int     `json:"confirmed"`
	Mean      float64 `json:"meanSeconds,omitempty"` // of a try
	// Diverged are the reasons for which tries left the trace's order, and OtherCauses what others showed, each
	// with its number.
	Diverged    map[string]int `json:"diverged,omitempty"`
	OtherCauses map[string]int `json:"otherCauses,omitempty"`
	took        time.Duration
	tried       int
}

const (
	isConfirmed    = "confirmed"
	isNotConfirmed = "not confirmed"
	isNotForced    = "cannot be forced"
)

// Run confirms each trace.
func (c *confirmCmd) Run(ctx context.Context, a *app) error {
	code := exitViolation
	for _, path := range c.Traces {
		r, err := c.one(ctx, a, path)
		if err != nil {
			return err
		}
		if c.JSON {
			if err := json.NewEncoder(a.out).Encode(r); err != nil {
				return err
			}
		} else {
			r.print(a.out)
		}
		if r.Result != isConfirmed {
			code = exitInconclusive
		}
	}
	return exitCode(code)
}

func (c *confirmCmd) one(ctx context.Context, a *app, path string) (*confirmed, error) {
	t, err := readTrace(path)
	if err != nil {
		return nil, err
	}
	of := t
	if c.Lock != "" {
		other := *t
		other.Lock = c.Lock
		of = &other
	}
	ce, err := a.registry().Of(of)
	if err != nil {
		return nil, usageError{elsewhere(of, path, "confirmed", gotest.Replay, err)}
	}
	r := &confirmed{Type: "confirmation", Trace: path, Scenario: t.Scenario, Lock: of.Lock, Property: t.Property, Limit: t.Limit, Of: c.Tries}
	if v := t.Verdict(); v != nil {
		r.Cause = v.Cause
	}
	job := confirm.Confirmation{Cell: ce, Trace: t, Client: append(slices.Clone(a.worker.Command[:1]), "client")}
	i := slices.IndexFunc(a.real, func(s confirm.Store) bool { return s.ID() == t.Store })
	if i < 0 {
		r.Result, r.Of, r.Reason = isNotForced, 0, fmt.Sprintf("real servers of %s are not supported yet", t.Store)
		return r, nil
	}
	job.Store = a.real[i]
	return r, c.tries(ctx, a, job, r)
}

// tries makes the tries.
func (c *confirmCmd) tries(ctx context.Context, a *app, job confirm.Confirmation, r *confirmed) error {
	err := job.Plan()
	if v := job.Trace.Verdict(); err == nil && v.To.At > c.Limit {
		err = &confirm.ForceError{Reason: fmt.Sprintf("the violation comes after %s, and --limit is %s", traces.Briefly(v.To.At), traces.Briefly(c.Limit))}
	}
	var forced *confirm.ForceError
	if errors.As(err, &forced) {
		r.Result, r.Of, r.Reason = isNotForced, 0, forced.Reason
		return nil
	}
	if err != nil {
		return err
	}
	r.Diverged, r.OtherCauses = map[string]int{}, map[string]int{}
	for range c.Tries {
		t, err := job.Try(ctx)
		if errors.As(err, &forced) {
			r.Result, r.Of, r.Reason = isNotForced, 0, forced.Reason
			return nil
		}
		var missing *realserver.MissingError
		if errors.As(err, &missing) {
			fmt.Fprintln(a.err, "simrun:", missing)
			return exitCode(exitInconclusive)
		}
		if err != nil {
			return fmt.Errorf("after %s, of which %d confirmed it: %w", tries(r.tried), r.Confirmed, err)
		}
		r.add(t)
	}
	r.Mean = (r.took / time.Duration(c.Tries)).Seconds()
	r.Result = isNotConfirmed
	if r.Confirmed >= c.Need {
		r.Result = isConfirmed
	}
	return nil
}

func (r *confirmed) add(t *confirm.Try) {
	r.Server = t.Server
	r.took += t.Took
	r.tried++
	switch {
	case t.Confirmed:
		r.Confirmed++
	case t.Diverged != nil:
		r.Diverged[t.Diverged.Error()]++
	default:
		r.OtherCauses[t.Other]++
	}
}

// print says it in words.
func (r *confirmed) print(w io.Writer) {
	class := ""
	if r.Limit {
		class = ", a limit of leases"
	}
	fmt.Fprintf(w, "%-17s %s (%s%s) of %s under %s", r.Result, r.Property, r.Cause, class, r.Lock, r.Scenario)
	if r.Result == isNotForced {
		fmt.Fprintf(w, ": %s\n", r.Reason)
		return
	}
	fmt.Fprintf(w, " on %s: %d of %s, %.1fs each\n", r.Server, r.Confirmed, tries(r.Of), r.Mean)
	for _, list := range []map[string]int{r.Diverged, r.OtherCauses} {
		for _, reason := range slices.Sorted(maps.Keys(list)) {
			fmt.Fprintf(w, "  %d times: %s\n", list[reason], strings.TrimSpace(reason))
		}
	}
}

// clientCmd is a client process of a confirmation.
type clientCmd struct{}

// Run serves on standard input and output. What the code under test prints goes to standard error.
func (clientCmd) Run(a *app) error {
	out := os.Stdout
	os.Stdout = os.Stderr
	return confirm.ServeClient(func(raw json.RawMessage) (cell.Cell, error) { return a.registry().Decode(raw) }, os.Stdin, out)
}

func tries(n int) string {
	if n == 1 {
		return "1 try"
	}
	return fmt.Sprintf("%d tries", n)
}
