package labcommand

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab/internal/envelope"
)

// plan reads the command line. Its errors are mistakes in it.
func (c *envelopeCmd) plan(a command.Host) (*job, error) {
	j := &job{Report: envelope.Report{Again: c.again(a)}}
	var err error
	if j.lock, err = c.find(a.Locks()); err != nil {
		return nil, err
	}
	if known := envelope.Scenarios(); !slices.Contains(known, c.Scenario) {
		return nil, errors.New(wording.Unknown("scenario", c.Scenario, known))
	}
	s := &envelope.Search{Locks: a.Locks(), Lock: c.Lock, Scenario: c.Scenario, Properties: c.Property, Runs: c.Runs, Seed: c.Seed, Worker: a.Worker(), Jobs: c.Jobs}
	if s.Parameters, err = c.parameters(); err != nil {
		return nil, err
	}
	planes, err := c.planes()
	if err != nil {
		return nil, err
	}
	if j.at, err = c.values(); err != nil {
		return nil, err
	}
	s.Drifts = j.at[envelope.Drift] > 0 || slices.ContainsFunc(planes, func(p envelope.Plane) bool { return p.Has(envelope.Drift) })
	j.Search = s
	j.needs = envelope.LeasesOf(j.at, int64(j.lock.Store.Timing().Shortest))
	one, err := s.Cell(j.at.With(envelope.Lease, j.needs.Low))
	if err != nil {
		return nil, err
	}
	if lacks := one.Lacks(); lacks != "" {
		return nil, fmt.Errorf("the scenario %s does not apply to %s: %s", c.Scenario, c.Lock, lacks)
	}
	if err := c.have(s, planes); err != nil {
		return nil, err
	}
	return j, c.bounds(j, planes)
}

// find returns the lock.
func (c *envelopeCmd) find(locks []cell.Lock) (cell.Lock, error) {
	l, err := cell.Registry{Locks: locks}.Lock(c.Lock)
	if err != nil {
		return l, err
	}
	if l.Noun() != "lock" {
		return l, fmt.Errorf("--lock=%s: %w", c.Lock, errProgram)
	}
	if c.Store == "" || l.Store.ID() == c.Store {
		return l, nil
	}
	var stores, of []string
	for _, store := range cell.Stores(locks) {
		stores = append(stores, store.ID())
	}
	if !slices.Contains(stores, c.Store) {
		return l, &cell.UnknownError{What: "store", ID: c.Store, Known: stores}
	}
	for _, other := range locks {
		if other.Store.ID() == c.Store {
			of = append(of, other.ID)
		}
	}
	return l, fmt.Errorf("--lock=%s: it is a lock over %s, and not over %s, which has %s", c.Lock, l.Store.ID(), c.Store, wording.Some(of))
}

// planes returns the axes of the maps.
func (c *envelopeCmd) planes() (list []envelope.Plane, err error) {
	if len(c.Map) == 0 {
		return envelope.Planes(), nil
	}
	for _, text := range c.Map {
		p, err := envelope.ParsePlane(text)
		if err != nil {
			return nil, fmt.Errorf("--map %w", err)
		}
		if !p.Has(envelope.Lease) {
			return nil, fmt.Errorf("--map %s: one of its axes must be lease", text)
		}
		if slices.Contains(list, p) {
			return nil, fmt.Errorf("--map %s is given twice", text)
		}
		list = append(list, p)
	}
	return list, nil
}

// values returns the values of the axes that do not vary.
func (c *envelopeCmd) values() (at envelope.Point, err error) {
	at = envelope.Usual
	for _, f := range []struct {
		axis envelope.Axis
		text string
	}{{envelope.Pause, c.Pause}, {envelope.Trip, c.RTT}, {envelope.Hold, c.Hold}, {envelope.Drift, c.Drift}} {
		if f.text == "" {
			continue
		}
		if at[f.axis], err = f.axis.Parse(f.text); err != nil {
			return at, fmt.Errorf("--%w", err)
		}
	}
	return at, nil
}

// have returns an error if the search lacks an axis that is wanted.
func (c *envelopeCmd) have(s *envelope.Search, planes []envelope.Plane) error {
	shown, err := s.Axes()
	if err != nil {
		return err
	}
	if slices.Contains(shown, envelope.Pause) {
		return nil
	}
	for _, p := range planes {
		if p.Has(envelope.Pause) {
			return fmt.Errorf("--map %s: in the scenario %s nothing pauses: add -p pauses=1, or name another map by --map", p, c.Scenario)
		}
	}
	if c.Pause != "" {
		return fmt.Errorf("--pause=%s: in the scenario %s nothing pauses: add -p pauses=1", c.Pause, c.Scenario)
	}
	return nil
}

// bounds sets the plans of the maps.
func (c *envelopeCmd) bounds(j *job, planes []envelope.Plane) error {
	asked := map[envelope.Axis]envelope.Bounds{}
	for _, text := range c.Bounds {
		axis, b, err := envelope.ParseBounds(text)
		if err != nil {
			return fmt.Errorf("--bounds %w", err)
		}
		if !slices.ContainsFunc(planes, func(p envelope.Plane) bool { return p.Has(axis) }) {
			return fmt.Errorf("--bounds %s: no map has the axis %s", text, axis)
		}
		if _, twice := asked[axis]; twice {
			return fmt.Errorf("--bounds %s: the axis %s has bounds already", text, axis)
		}
		asked[axis] = b
	}
	for _, p := range planes {
		plan := envelope.Plan{Plane: p, At: j.at, Columns: c.Columns, Checks: c.Checks}
		plan.XBounds, plan.YBounds = envelope.BoundsOf(p, j.at, c.RTT != "", int64(j.lock.Store.Timing().Shortest))
		if b, is := asked[p.X]; is {
			plan.XBounds = b
			_, plan.YBounds = envelope.BoundsOf(p, j.at.With(p.X, b.High), c.RTT != "", int64(j.lock.Store.Timing().Shortest))
		}
		if b, is := asked[p.Y]; is {
			plan.YBounds = b
		}
		j.plans = append(j.plans, plan)
	}
	if b, is := asked[envelope.Lease]; is {
		j.needs = b
	}
	return nil
}

// again returns the command that makes the same maps.
func (c *envelopeCmd) again(a command.Host) string {
	words := []string{a.Program(), "envelope", "--lock", wording.Shell(c.Lock), "--scenario", wording.Shell(c.Scenario)}
	add := func(flag string, values ...string) {
		for _, v := range values {
			if v != "" {
				words = append(words, flag, wording.Shell(v))
			}
		}
	}
	add("-p", c.Param...)
	add("--pause", c.Pause)
	add("--rtt", c.RTT)
	add("--hold", c.Hold)
	add("--drift", c.Drift)
	add("--map", c.Map...)
	add("--bounds", c.Bounds...)
	add("--property", c.Property...)
	words = append(words, fmt.Sprintf("--columns %d --checks %d --runs %d --seed %d", c.Columns, c.Checks, c.Runs, c.Seed))
	return strings.Join(words, " ")
}
