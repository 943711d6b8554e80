package experiments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab"
)

// Real runs all variants on real servers, one run after another: with servers of its own for each run, started on free
// ports of the loopback interface, and stopped when it is over or ctx ends. Short variants run several times. It returns
// the samples of each variant, none for one that needs a server which is not installed. The notes name these variants, and
// what a reader of the figures must know. It is an error if no variant can run. Progress, which may be nil, is called with
// the number of finished variants.
func Real(ctx context.Context, e *Experiment, v Values, locks []cell.Lock, progress func(done, total int)) (samples [][]*lab.Sample, notes []string, err error) {
	if e.Virtual != "" {
		return nil, nil, fmt.Errorf("the experiment %s runs in virtual time only: %s", e.ID, e.Virtual)
	}
	variants, err := e.Variants(v, locks)
	if err != nil {
		return nil, nil, err
	}
	var missing absent
	var long []string
	samples = make([][]*lab.Sample, len(variants))
	for i, variant := range variants {
		samples[i], err = repeated(ctx, variant.Plan)
		var none *realserver.MissingError
		switch {
		case errors.As(err, &none):
			missing.add(none, variant.Name)
		case err != nil:
			return nil, nil, fmt.Errorf("%s, on real servers: %w", variant.Name, err)
		case len(samples[i]) == 0:
			long = append(long, variant.Name)
		}
		if progress != nil {
			progress(i+1, len(variants))
		}
	}
	if len(missing.of) == len(variants) {
		return nil, nil, missing.err
	}
	notes = append(realNotes(variants), missing.notes()...)
	if len(long) > 0 {
		notes = append(notes, fmt.Sprintf("On real servers these take longer than %v, and have no figures: %s.", patience, wording.And(long)))
	}
	return samples, notes, nil
}

// patience is the maximum duration of a run on real servers. In virtual time it may take longer.
const patience = 3 * time.Minute

// A variant runs again while its runs have taken less than enough, up to mostRuns times.
const (
	enough   = 5 * time.Second
	mostRuns = 5
)

// RealTakes returns the minimum duration of [Real]: runs with a fixed end are as long on real servers as in virtual time.
func RealTakes(variants []Variant) (least time.Duration) {
	for _, v := range variants {
		if until := v.Plan.Until; until > 0 && until <= patience {
			runs := min(mostRuns, (enough+until-1)/until)
			least += runs * until
		}
	}
	return least
}

// repeated runs a plan, with seeds from 1 on. It returns no samples if a run takes too long.
func repeated(ctx context.Context, p lab.Plan) (samples []*lab.Sample, err error) {
	if p.Until > patience {
		return nil, nil
	}
	p.Limit = min(p.Limit, patience)
	for took := time.Duration(0); took < enough && len(samples) < mostRuns; {
		s, err := once(ctx, p, uint64(len(samples)+1))
		if err != nil {
			return nil, err
		}
		if s.Cut != "" {
			return nil, nil
		}
		samples = append(samples, s)
		took += s.Elapsed
	}
	return samples, nil
}

// once runs a plan on servers of its own.
func once(ctx context.Context, p lab.Plan, seed uint64) (*lab.Sample, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	Quiet()
	servers, stop, err := startServers(ctx, p)
	if err != nil {
		return nil, err
	}
	defer stop()
	return p.Real(ctx, seed, servers)
}

// absent has the variants that need a server which is not installed.
type absent struct {
	err error // the first
	of  []string
	why []string
}

func (a *absent) add(err *realserver.MissingError, variant string) {
	if a.err == nil {
		a.err = err
	}
	a.of = append(a.of, variant)
	if text := err.Error(); !slices.Contains(a.why, text) {
		a.why = append(a.why, text)
	}
}

func (a *absent) notes() (list []string) {
	if len(a.of) > 0 {
		list = append(list, fmt.Sprintf("Not run on real servers: %s.", wording.And(a.of)))
		for _, why := range a.why {
			list = append(list, "On this machine "+why+".")
		}
	}
	return list
}

// alike runs all variants in virtual time over the loopback interface of this machine, as [Real] runs them on real
// servers, so that both figures are for the same network.
func alike(ctx context.Context, e *Experiment, v Values, locks []cell.Lock, seeds int) (samples [][]*lab.Sample, err error) {
	variants, err := e.Variants(v, locks)
	if err != nil {
		return nil, err
	}
	for i := range variants {
		variants[i].Plan.Latency = loopback
	}
	return here(ctx, variants, 1, seeds)
}

// Compare adds the results on real servers, and of a simulation over the same network. The notes are for the report.
func (r *Results) Compare(ctx context.Context, locks []cell.Lock, progress func(done, total int)) (notes []string, err error) {
	if r.Real, notes, err = Real(ctx, r.Experiment, r.Values, locks, progress); err != nil {
		return nil, err
	}
	r.Alike, err = alike(ctx, r.Experiment, r.Values, locks, alikeSeeds)
	return notes, err
}

// alikeSeeds is the number of seeds of the simulation that is compared with real servers.
const alikeSeeds = 5

// realNotes describe the differences between real and simulated runs.
func realNotes(variants []Variant) []string {
	notes := []string{
		fmt.Sprintf("Real servers and all clients share one machine, and reach each other over its loopback interface. The ratio is to a simulation over such a network (one way %v, the time of the client library included); "+
			"the other figures of the simulation are of the network of the experiment.", loopback),
		"The simulation does not count other processor time of clients, nor what clients and servers on one machine take from each other. Real figures differ from run to run.",
	}
	for _, v := range variants {
		if v.Plan.Store.ID() != "redis" && v.Plan.Params.Followers > 0 {
			return append(notes, "A real ZooKeeper, etcd or MariaDB is a single server without a follower: nothing is replicated, and nothing waits for a disk.")
		}
	}
	return notes
}
