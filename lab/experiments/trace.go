package experiments

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Trace returns the trace of a recorded run of a job. Its picture begins at from.
func (j Job) Trace(locks []cell.Lock, seed uint64, from time.Duration, o explore.Outcome) (*traces.Trace, error) {
	e, v, err := j.Resolve(locks)
	if err != nil {
		return nil, err
	}
	store := v.Plan.Store
	return &traces.Trace{
		Schema: traces.Schema, Made: cell.Versions(store),
		Scenario: e.ID, Parameters: e.Parameters(j.Values), Lock: v.Name, Experiment: &traces.Experiment{Until: j.Until, From: from},
		Store: store.ID(), Terms: store.Terms().Terms, Seed: seed, Actors: actors(v.Plan),
		Tape: o.Recording.Choices, Events: o.Recording.Events, History: o.Recording.History,
		Hash: fmt.Sprintf("%016x", o.Hash),
	}, nil
}

// JobOfTrace returns the job whose run a trace has.
func JobOfTrace(t *traces.Trace, locks []cell.Lock) (Job, error) {
	e, err := Find(t.Scenario)
	if err != nil {
		return Job{}, err
	}
	j := Job{Experiment: e.ID, Values: e.Defaults(), Until: t.Experiment.Until}
	for _, p := range t.Parameters {
		if err := e.Set(j.Values, p.Name, p.Value); err != nil {
			return Job{}, err
		}
	}
	if err := e.Usable(j.Values); err != nil {
		return Job{}, err
	}
	variants, err := e.Variants(j.Values, locks)
	if err != nil {
		return Job{}, err
	}
	j.Variant, err = VariantNamed(variants, t.Lock)
	return j, err
}

// Parameters returns the values of all settings, as text.
func (e *Experiment) Parameters(v Values) (list []traces.Parameter) {
	for _, s := range e.Settings {
		list = append(list, traces.Parameter{Name: s.Name, Value: s.Text(v[s.Name])})
	}
	return list
}

// actors returns the lanes of a plan's pictures.
func actors(p lab.Plan) (list []traces.Actor) {
	for _, name := range p.Clients() {
		list = append(list, traces.Actor{Name: name, Kind: traces.ClientActor})
	}
	servers := p.Store.Lanes(p.Params)
	for i, names := range servers {
		for _, name := range names {
			a := traces.Actor{Name: name, Kind: traces.NodeActor}
			if len(servers) > 1 {
				a.Server = i + 1
			}
			list = append(list, a)
		}
	}
	return list
}

// Unlike returns the parameters that differ from the defaults, as words of the command line.
func (e *Experiment) Unlike(v Values) (words []string) {
	for _, s := range e.Settings {
		if v[s.Name] != s.Default {
			words = append(words, "-p", s.Name+"="+s.Text(v[s.Name]))
		}
	}
	return words
}
