package simrun

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// doctorCmd checks determinism.
type doctorCmd struct {
	Scenario string `help:"Only this scenario." placeholder:"SCENARIO"`
	Lock     string `aliases:"program" help:"Only this lock, or program." placeholder:"LOCK"`
	Store    string `help:"Only the locks of this store." placeholder:"STORE"`
	Topology string `help:"How the servers are deployed: a value of the parameter topology (default: as usual)." placeholder:"T"`
	Runs     int    `default:"40" help:"How many schedules of each pair to run twice (default ${default})." placeholder:"N"`
	Seed     uint64 `default:"1" help:"The seed of the schedules (default ${default})." placeholder:"S"`
	Sample   int    `default:"0" help:"Check only N of the locks for each scenario, chosen by the seed (default: all)." placeholder:"N"`

	Race       bool   `help:"Compare with a build of this program with the race detector, which finds more. Building it needs Go, a C compiler and the source."`
	RaceBinary string `help:"Compare with this binary, built with go build -race, instead of building one." placeholder:"FILE"`

	other explore.Worker // the runs of this program are compared with those of other
}

// Validate checks what kong cannot.
func (c *doctorCmd) Validate() error {
	if c.Sample < 0 {
		return fmt.Errorf("--sample=%d: want at least 1, or 0 for all locks", c.Sample)
	}
	if c.Runs < 1 || c.Runs > 1_000_000 {
		return fmt.Errorf("--runs=%d: want at least 1, and no more than 1000000", c.Runs)
	}
	return nil
}

// Run runs every schedule twice: under GOMAXPROCS 1, and in another process, in the
// opposite order, under GOMAXPROCS 2.
func (c *doctorCmd) Run(ctx context.Context, a *app) error {
	cells, err := c.cells(a)
	if err != nil {
		return err
	}
	p, as := painter(a.out), ""
	c.other = a.worker
	if c.Race || c.RaceBinary != "" {
		other, clean, err := c.raceWorker(ctx, a)
		if noRace(err) {
			fmt.Fprintf(a.err, "simrun: %v\n", err)
			return exitCode(exitInconclusive)
		}
		if err != nil {
			return err
		}
		defer clean()
		c.other, as = other, ", built with the race detector"
	}
	fmt.Fprintf(a.out, "%s, %s/%s, %d processors\n", a.versions(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Fprintf(a.out, "%s schedules of each pair, twice: GOMAXPROCS 1, and backwards in another process with GOMAXPROCS 2%s\n\n", wording.Grouped(c.Runs), as)
	var ill []string
	for _, cell := range cells {
		healthy, err := c.check(ctx, a, p, cell)
		if err != nil {
			return err
		}
		if !healthy {
			ill = append(ill, cell.Lock.ID+" under "+cell.Scenario.ID)
		}
	}
	if len(ill) > 0 {
		fmt.Fprintf(a.out, "\n%s %d of %d pairs: their runs differ or do not finish, so their findings cannot be trusted\n", p.Red("NOT DETERMINISTIC"), len(ill), len(cells))
		for _, pair := range ill {
			fmt.Fprintf(a.out, "  %s\n", pair)
		}
		return exitCode(exitTrouble)
	}
	fmt.Fprintf(a.out, "\n%s no difference in %s schedules of each of %d pairs\n", p.Green("OK"), wording.Grouped(c.Runs), len(cells))
	return nil
}

// cells returns the requested pairs, except those of a scenario that does not apply to the lock's store.
func (c *doctorCmd) cells(a *app) (cells []cell.Cell, err error) {
	all, locks := a.registry().Scenarios, a.locks
	if c.Scenario != "" {
		s, err := a.registry().Scenario(c.Scenario)
		if err != nil {
			return nil, usageError{err}
		}
		all = []*cell.Scenario{s}
	}
	if c.Lock != "" {
		l, err := a.registry().Lock(c.Lock)
		if err != nil {
			return nil, usageError{err}
		}
		locks = []cell.Lock{l}
	}
	if locks, err = c.among(locks); err != nil {
		return nil, usageError{err}
	}
	lacks := ""
	for i, s := range all {
		for _, l := range c.sample(locks, i) {
			cell, err := a.registry().Cell(s.ID, l.ID, nil)
			if err != nil {
				return nil, err
			}
			if c.Topology != "" {
				switch deploys, err := cell.Deploys(), cell.Deploy(c.Topology); {
				case !deploys:
					continue
				case err != nil:
					lacks = err.Error()
					continue
				}
			}
			if lacks = cell.Lacks(); lacks == "" {
				cells = append(cells, cell)
			}
		}
	}
	if len(cells) == 0 {
		return nil, usageError{fmt.Errorf("there is no pair to check: %s", lacks)}
	}
	return cells, nil
}

// among returns the locks over the requested store.
func (c *doctorCmd) among(locks []cell.Lock) (list []cell.Lock, err error) {
	if c.Store == "" {
		return locks, nil
	}
	var ids []string
	for _, s := range cell.Stores(locks) {
		ids = append(ids, s.ID())
	}
	for _, l := range locks {
		if l.Store.ID() == c.Store {
			list = append(list, l)
		}
	}
	if len(list) == 0 {
		return nil, &cell.UnknownError{What: "store", ID: c.Store, Known: ids}
	}
	return list, nil
}

// sample selects locks for a scenario. Over as many consecutive seeds as there are locks,
// each is selected equally often.
func (c *doctorCmd) sample(locks []cell.Lock, scenario int) []cell.Lock {
	if c.Sample == 0 || c.Sample >= len(locks) {
		return locks
	}
	n := uint64(len(locks))
	var chosen []cell.Lock
	for k := range c.Sample {
		// Scenarios begin at different locks, and a sample is spread over all of them.
		at := c.Seed%n + uint64(scenario)*5 + uint64(k)*n/uint64(c.Sample)
		chosen = append(chosen, locks[at%n])
	}
	return chosen
}

// check compares one pair and prints the result.
func (c *doctorCmd) check(ctx context.Context, a *app, p wording.Paint, cell cell.Cell) (healthy bool, err error) {
	one, two := a.worker, c.other
	one.Procs, two.Procs = 1, 2
	name := fmt.Sprintf("  %-18s %-16s", cell.Scenario.ID, cell.Lock.ID)
	differ, err := explore.Compare(ctx, one, two, cell.Encode(), c.Seed, c.Runs)
	var trouble *explore.Trouble
	switch {
	case errors.As(err, &trouble):
		fmt.Fprintf(a.out, "%s %s %s\n", name, p.Red(string(trouble.Kind)), trouble.Reason)
		return false, nil
	case err != nil:
		return false, err
	case len(differ) == 0:
		fmt.Fprintf(a.out, "%s %s\n", name, p.Green("deterministic"))
		return true, nil
	}
	fmt.Fprintf(a.out, "%s %s\n", name, p.Red(string(explore.Nondeterministic)))
	for _, d := range differ {
		fmt.Fprintf(a.out, "      schedule %d of seed %d: %s\n", d.Schedule, c.Seed, d.What)
	}
	return false, nil
}
