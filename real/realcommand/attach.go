package realcommand

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/attach"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/traces"
)

// attachCmd searches foreign clients.
type attachCmd struct {
	Command   []string      `arg:"" help:"The program of a client process, and its arguments, behind --."`
	Store     string        `default:"redis" help:"The store, of those whose real servers this program knows (default ${default})." placeholder:"S"`
	Scenario  []string      `help:"The scenarios to search: contention, lost-request, lost-reply, late-request, late-reply, gc-pause, holder-crash, failover-loss (needs --followers 1) or mixed, several with commas (default: all)." placeholder:"S"`
	Runs      int           `default:"100" help:"How many runs to make, 1 to 100000; those that shrink and confirm a finding are not counted (default ${default})." placeholder:"N"`
	Seed      uint64        `default:"1" help:"Which plans are drawn (default ${default})." placeholder:"N"`
	Clients   int           `default:"2" help:"How many clients, 2 to 9 (default ${default})." placeholder:"N"`
	Servers   int           `default:"1" help:"How many independent servers, 1 to 9 (default ${default})." placeholder:"N"`
	Followers int           `default:"0" help:"How many followers each server has, 0 or 1 (default ${default})." placeholder:"N"`
	Lease     time.Duration `default:"500ms" help:"The length of leases, 100ms to 1m (default ${default})." placeholder:"D"`
	Jobs      int           `short:"j" help:"How many runs at a time, each with servers of its own (default: three for each processor)." placeholder:"N"`
	Property  []string      `help:"The properties to search, several with commas (default: all that clients report enough for)." placeholder:"P"`
	JSON      bool          `name:"json" help:"Print one JSON object per line: findings, then a summary; with --check the rules, then a summary."`
	Check     bool          `help:"Check the client against the protocol, in place of a search."`
	Out       string        `short:"o" default:"simrun-out" help:"The directory for the traces of findings (default ${default})." placeholder:"DIR"`

	servers confirm.Stores
}

// Validate checks what kong cannot.
func (c *attachCmd) Validate() error {
	for _, id := range c.Scenario {
		if _, known := attach.ScenarioOf(id); !known {
			return fmt.Errorf("--scenario=%s: there is no such scenario; there are %s", id, strings.Join(scenarioIDs(), ", "))
		}
	}
	for _, id := range c.Property {
		if !slices.Contains(attach.Properties(), id) {
			return fmt.Errorf("--property=%s: it is none that is judged here; those are %s", id, strings.Join(attach.Properties(), ", "))
		}
	}
	switch {
	case c.Runs < 1 || c.Runs > 100_000:
		return fmt.Errorf("--runs=%d: want 1 to 100000", c.Runs)
	case c.Clients < 2 || c.Clients > attach.MostClients:
		return fmt.Errorf("--clients=%d: want 2 to %d", c.Clients, attach.MostClients)
	case c.Servers < 1 || c.Servers > attach.MostServers:
		return fmt.Errorf("--servers=%d: want 1 to %d", c.Servers, attach.MostServers)
	case c.Followers < 0 || c.Followers > 1:
		return fmt.Errorf("--followers=%d: want 0 or 1", c.Followers)
	case slices.Contains(c.Scenario, "failover-loss") && c.Followers == 0:
		return errors.New("--scenario=failover-loss: a failover needs a follower: add --followers 1")
	case c.Lease < attach.MinLease || c.Lease > attach.MaxLease:
		return fmt.Errorf("--lease=%s: want %s to %s", c.Lease, attach.MinLease, attach.MaxLease)
	case c.Jobs < 0:
		return fmt.Errorf("--jobs=%d: want 1 or more", c.Jobs)
	}
	return nil
}

// scenarioIDs lists the scenarios.
func scenarioIDs() (list []string) {
	for _, s := range attach.Scenarios() {
		list = append(list, s.ID)
	}
	return list
}

// Run searches.
func (c *attachCmd) Run(ctx context.Context, h command.Host) error {
	t, err := c.target(h)
	if err != nil {
		return err
	}
	if c.Check {
		return c.check(ctx, h, t)
	}
	s := &attach.Search{Target: t, Scenarios: c.scenarios(), Runs: c.Runs, Seed: c.Seed, Properties: c.Property, Jobs: jobs(c.Jobs)}
	runs, clear := h.Progress()
	progress := runs("runs")
	began := time.Now()
	var failed error
	s.Report = func(p attach.Progress) {
		if p.Total > 0 {
			progress(p.Done, p.Total)
			return
		}
		clear()
		failed = errors.Join(failed, c.print(h, p))
	}
	sum, err := s.Run(ctx)
	clear()
	interrupted := errors.Is(err, context.Canceled)
	if err != nil && !interrupted {
		return c.ended(h, err)
	}
	if failed != nil {
		return failed
	}
	if err := c.conclude(h, sum, time.Since(began), interrupted); err != nil {
		return err
	}
	if interrupted {
		return err
	}
	return recorded.Exit(code(sum))
}

// code is the exit code of a search.
func code(sum *attach.Summary) int {
	switch {
	case len(sum.Found) > 0:
		return recorded.ExitViolation
	case len(sum.Broken) > 0:
		return recorded.ExitTrouble
	case len(sum.Unsteady) > 0:
		return recorded.ExitInconclusive
	}
	return 0
}

// ended returns the error of a search that has ended early, with its exit code.
func (c *attachCmd) ended(h command.Host, err error) error {
	var missing *realserver.MissingError
	var broken *attach.ClientError
	var cannot *attach.CommandError
	var unforced *confirm.ForceError
	switch {
	case errors.As(err, &missing):
		fmt.Fprintln(h.Err(), "simrun:", missing)
		return recorded.Exit(recorded.ExitInconclusive)
	case errors.As(err, &cannot):
		return command.Usage{Err: err}
	case errors.As(err, &unforced):
		return command.Usagef("--servers=%d --followers=%d: the store's servers cannot be started so: %s", c.Servers, c.Followers, unforced.Reason)
	case errors.As(err, &broken) && broken.Fatal:
		return command.Usage{Err: err}
	case errors.As(err, &broken):
		fmt.Fprintf(h.Err(), "simrun: %s\n(see docs/attach.md, and simrun attach --check)\n", lines(err.Error()))
		return recorded.Exit(recorded.ExitTrouble)
	}
	return err
}

// target returns what is searched.
func (c *attachCmd) target(h command.Host) (*attach.Target, error) {
	return newTarget(h.Locks(), c.servers, attach.Target{Command: c.Command, StoreID: c.Store, Lease: c.Lease, Clients: c.Clients, Servers: c.Servers, Followers: c.Followers})
}

// newTarget completes a target with its store.
func newTarget(locks []cell.Lock, servers confirm.Stores, t attach.Target) (*attach.Target, error) {
	terms, known := termsOf(locks, t.StoreID)
	newStore := servers[t.StoreID]
	if newStore == nil || !known {
		var ids []string
		for id := range servers { // unordered: sorted below
			ids = append(ids, id)
		}
		slices.Sort(ids)
		return nil, command.Usagef("--store=%s: this program has no real servers of that store; it has %s", t.StoreID, strings.Join(ids, ", "))
	}
	if _, err := exec.LookPath(t.Command[0]); err != nil {
		return nil, command.Usage{Err: &attach.CommandError{Command: t.Command[0], Err: err}}
	}
	t.Store, t.Terms = newStore(confirm.Setup{}), terms
	if e, is := t.Store.(confirm.Ensemble); is && t.Followers > 0 {
		return nil, command.Usagef("--followers=%d: the members of %s elect their leader, and its failover is not searched yet", t.Followers, e.Authority())
	}
	return &t, nil
}

// termsOf returns the nouns of a store.
func termsOf(locks []cell.Lock, store string) (model.Terms, bool) {
	for _, l := range locks {
		if l.Store.ID() == store {
			return l.Store.Terms().Terms, true
		}
	}
	return model.Terms{}, false
}

// scenarios returns the scenarios to search.
func (c *attachCmd) scenarios() (list []attach.Scenario) {
	for _, s := range attach.Scenarios() {
		if len(c.Scenario) == 0 && (s.ID != "failover-loss" || c.Followers > 0) || slices.Contains(c.Scenario, s.ID) {
			list = append(list, s)
		}
	}
	return list
}

// print prints what a search has found, and writes its trace.
func (c *attachCmd) print(h command.Host, p attach.Progress) error {
	path := ""
	if f := p.Found; f != nil {
		path = filepath.Join(c.Out, name(f))
		if err := os.MkdirAll(c.Out, 0o777); err != nil {
			return command.Usagef("the directory for traces cannot be made: %w", err)
		}
		if err := traces.WriteFile(path, f.Trace); err != nil {
			return command.Usagef("the trace cannot be written: %w", err)
		}
	}
	if c.JSON {
		return c.printJSON(h, p, path)
	}
	switch {
	case p.Broken != nil:
		fmt.Fprintf(h.Out(), "broken    run of %s, no finding: %s\n%s", p.Broken.Scenario, lines(p.Broken.Err.Error()), faults(p.Broken.Candidate))
	case p.Unsteady != nil:
		f := p.Unsteady
		fmt.Fprintf(h.Out(), "unsteady  %s under %s: only %d of %d tries, no finding\n%s", f.Shown, f.Scenario, f.Times, f.Of, faults(f.Candidate))
	case p.Found != nil:
		f := p.Found
		what, tries := "fault", fmt.Sprintf("%d of %d tries, %s (run %d)", f.Times, f.Of, count(len(f.Plan), "fault", "faults"), f.Run)
		if f.Limit {
			what, tries = "limit", fmt.Sprintf("run %d, not tried again", f.Run)
		}
		also := ""
		for _, v := range f.Also {
			also += ", " + v.String()
		}
		fmt.Fprintf(h.Out(), "%-9s %s under %s: %s\n  %s\n%s%s  %s replay %s -- %s\n",
			h.Bold(what), f.Shown, f.Scenario, tries, wording.Printable(f.Sentence), faults(f.Candidate), line("  by the same faults: ", strings.TrimPrefix(also, ", ")), h.Program(), wording.ShellPath(path), shell(c.Command))
	}
	return nil
}

// faults lists the faults of a plan.
func faults(c attach.Candidate) string {
	var b strings.Builder
	for _, f := range c.Plan {
		fmt.Fprintf(&b, "  %s\n", wording.Printable(f.String()))
	}
	if len(c.Plan) == 0 {
		b.WriteString("  without a fault\n")
	}
	return b.String()
}

// conclude prints the result of a search, so far if it was interrupted.
func (c *attachCmd) conclude(h command.Host, sum *attach.Summary, took time.Duration, interrupted bool) error {
	if c.JSON {
		return c.encode(h, c.summary(sum, took, interrupted))
	}
	fmt.Fprintf(h.Out(), "%s on %s: %s in %.0fs, %s, %d unsteady", wording.Printable(sum.Lock), sum.Server, count(sum.Runs, "run", "runs"), took.Seconds(),
		count(len(sum.Found), "fault", "faults"), len(sum.Unsteady))
	if n := len(sum.Limits); n > 0 {
		fmt.Fprintf(h.Out(), ", %s of leases", count(n, "limit", "limits"))
	}
	if n := len(sum.Broken); n > 0 {
		fmt.Fprintf(h.Out(), ", %s ended by the client", count(n, "run", "runs"))
	}
	if sum.Vacuous > 0 {
		fmt.Fprintf(h.Out(), ", %d without their faults", sum.Vacuous)
	}
	if interrupted {
		fmt.Fprint(h.Out(), ", interrupted")
	}
	_, err := fmt.Fprintln(h.Out())
	return err
}

// lines returns a text of several lines, each without characters that a terminal would obey.
func lines(text string) string {
	var list []string
	for l := range strings.SplitSeq(text, "\n") {
		list = append(list, wording.Printable(l))
	}
	return strings.Join(list, "\n")
}

// count returns a number with its noun.
func count(n int, one, more string) string {
	return fmt.Sprintf("%d %s", n, wording.Form(n, one, more))
}

// shell returns the words of a command as they are typed.
func shell(words []string) string {
	var list []string
	for _, w := range words {
		list = append(list, wording.Shell(wording.Printable(w)))
	}
	return strings.Join(list, " ")
}

// line returns a line with a text, empty without one.
func line(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text + "\n"
}

// name returns the name of a finding's file.
func name(f *attach.Found) string {
	words := []string{"attach", f.Scenario, f.Trace.Lock}
	for _, fault := range f.Plan {
		words = append(words, string(fault.At.Phase))
	}
	words = append(words, f.Property, f.Cause)
	if f.Limit {
		words = append(words, "limit")
	}
	return strings.Join(words, "_") + ".json"
}
