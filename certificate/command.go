package certificate

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
)

// The exit codes of [Command], which are those of simrun.
const exitHolds, exitRefuted, exitUsage, exitOther, exitInterrupted = 0, 1, 2, 4, 130

const usage = `Usage: recheck [flags] CERTIFICATE

Verify a certificate of simrun check --certificate: make every run with at most one
deviation from the calm run, and a sample of those with more, and compare with it.
`

// Command is the program recheck for some locks and scenarios: it verifies the certificate that its arguments name, and
// returns its exit code.
//
//	0    nothing contradicts the certificate
//	1    a run does
//	2    the command line, or the certificate, could not be understood
//	4    the certificate is about another program or version
//	130  interrupted
func Command(ctx context.Context, r cell.Registry, args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("recheck", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.Usage = func() {
		fmt.Fprint(errs, usage)
		flags.PrintDefaults()
	}
	samples := flags.Int("samples", 300, "how many schedules to run for each number of deviations above 1, 0 to 1000000")
	seed := flags.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the sample; drawn anew each time by default")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitHolds
	case err != nil:
		return exitUsage
	}
	fail := func(code int, err error) int {
		fmt.Fprintf(errs, "recheck: %v\n", err)
		return code
	}
	switch {
	case flags.NArg() != 1:
		return fail(exitUsage, fmt.Errorf("want one certificate, got %d arguments; recheck -h shows the flags", flags.NArg()))
	case *samples < 0 || *samples > 1_000_000:
		return fail(exitUsage, fmt.Errorf("--samples=%d: want 0 to 1000000", *samples))
	}
	f, err := os.Open(flags.Arg(0))
	if err != nil {
		return fail(exitUsage, err)
	}
	defer f.Close()
	c, err := Read(f)
	if err != nil {
		return fail(exitUsage, fmt.Errorf("%s: %w", flags.Arg(0), err))
	}
	report, err := c.Verify(ctx, r, *samples, *seed)
	var refuted *Refuted
	switch {
	case errors.As(err, &refuted):
		return fail(exitRefuted, fmt.Errorf("refuted (--seed %d): %w", *seed, err))
	case ctx.Err() != nil:
		return fail(exitInterrupted, errors.New("interrupted"))
	case errors.Is(err, ErrOther):
		return fail(exitOther, err)
	case err != nil:
		return fail(exitUsage, err)
	}
	fmt.Fprint(out, c.summary(report, *seed))
	if own := cell.Versions(cell.Stores(r.Locks)...); !own.Equal(c.Versions) {
		fmt.Fprintf(out, "The certificate names %s; these runs are made with %s.\n", c.Versions, own)
	}
	return exitHolds
}

// summary says what was verified.
func (c *Certificate) summary(r Report, seed uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s, bound %d: nothing contradicts the certificate.\nParameters:", c.Lock, c.Scenario, c.Bound)
	for _, p := range c.Parameters {
		fmt.Fprintf(&b, " %s=%s", p.Name, p.Value)
	}
	b.WriteString(".\n")
	if len(c.Limits) > 0 {
		fmt.Fprintf(&b, "No fault; limits of leases: %s.\n", strings.Join(c.Limits, ", "))
	}
	for n, runs := range r.Runs {
		if n < 2 {
			fmt.Fprintf(&b, "deviations %d: all %d schedules run; by the certificate, the search ran %d of them\n", n, runs, c.Levels[n].Run)
		} else {
			fmt.Fprintf(&b, "deviations %d: %d schedules drawn (--seed %d), so less than about %.3g %% of those drawn like them contradict it (95 %%)\n", n, runs, seed, min(100, 300/float64(runs)))
		}
	}
	fmt.Fprintf(&b, "These runs have %d of its %d classes.\n", r.Seen, len(c.Classes))
	return b.String()
}
