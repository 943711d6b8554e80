package stage

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/traces"
)

// setting is one parameter by name that is a number and no fault's.
type setting struct {
	name     string
	min, max int
	about    string
	field    func(*Params) *int
	// rare ones are listed only where they are not 0.
	rare bool
	// shape says what world the lock is made for, or what is asked of it: what is
	// shrunk keeps that.
	shape bool
}

var settings = []setting{
	{name: "clients", min: 1, max: 16, about: "client processes", field: func(p *Params) *int { return &p.Clients }},
	{name: "rounds", min: 1, max: 50, about: "critical sections of each client", field: func(p *Params) *int { return &p.Rounds }},
	{name: "replicas", max: 8, about: "replicas of each server", field: func(p *Params) *int { return &p.Replicas }},
	{name: "threads", max: 8, about: "threads of each client process, which share its Locker; 0 is one", field: func(p *Params) *int { return &p.Threads }, rare: true},
	{name: "nodes", max: 9, about: "independent servers, each with its replicas; 0 is one", field: func(p *Params) *int { return &p.Nodes }, rare: true, shape: true},
	{name: "again", max: 50, about: "which holds of a client are released twice: every n-th, 0 for none", field: func(p *Params) *int { return &p.Again }, rare: true},
	{name: "long-holds", max: 16, about: "for how many leases more clients work if the lock renews its leases", field: func(p *Params) *int { return &p.LongHolds }, rare: true},
	{name: "checks", max: 1, about: "whether clients ask the store before each access if they still hold the lock", field: func(p *Params) *int { return &p.Checks }, rare: true},
	{name: "weak", max: 1, about: "whether the weaker properties are judged as well", field: func(p *Params) *int { return &p.Weak }, rare: true, shape: true},
	{name: "events", max: 100_000_000, about: "after how many events a run is cut; 0 is after as many as its size may need", field: func(p *Params) *int { return &p.Events }, rare: true, shape: true},
}

// duration is one parameter by name that is a length of time.
type duration struct {
	name     string
	min, max time.Duration
	about    string
	example  string
	field    func(*Params) *time.Duration
}

// TTLs that make sense: latencies are under a millisecond, and a run ends
// after some minutes.
var durations = []duration{
	{"ttl", 100 * time.Millisecond, 10 * time.Second, "what holds and faults are measured by", "2s", func(p *Params) *time.Duration { return &p.TTL }},
	{"lease", 100 * time.Millisecond, MaxLease, "the lease that locks are told to ask for if not ttl", "8s", func(p *Params) *time.Duration { return &p.Lease }},
}

// MaxLease is the longest lease that may be asked for.
const MaxLease = time.Minute

// Describe lists the parameters with what they mean and their ranges.
func Describe(faults []*Fault, t Terms) (list []traces.Parameter) {
	for _, d := range durations {
		list = append(list, traces.Parameter{Name: d.name, Value: fmt.Sprintf("%s, %v to %v", d.about, d.min, d.max)})
	}
	for _, d := range settings {
		list = append(list, traces.Parameter{Name: d.name, Value: fmt.Sprintf("%s, %d to %d", d.about, d.min, d.max)})
	}
	for _, f := range faults {
		list = append(list, traces.Parameter{Name: f.Name, Value: fmt.Sprintf("%s, 0 to %d", t.Fill(f.About), f.Most)})
	}
	return list
}

// List returns the parameters by name, in a fixed order: faults are listed where
// they may strike.
func (p Params) List() []traces.Parameter {
	list := []traces.Parameter{{Name: "ttl", Value: p.TTL.String()}}
	if p.Lease != 0 {
		list = append(list, traces.Parameter{Name: "lease", Value: p.Lease.String()})
	}
	for _, d := range settings {
		if n := *d.field(&p); n != 0 || !d.rare {
			list = append(list, traces.Parameter{Name: d.name, Value: strconv.Itoa(n)})
		}
	}
	for _, a := range p.Faults {
		list = append(list, traces.Parameter{Name: a.Fault.Name, Value: strconv.Itoa(a.Times)})
	}
	return list
}

// ClearUnlisted sets to 0 what List may leave out.
func (p *Params) ClearUnlisted() {
	for _, d := range settings {
		if d.rare {
			*d.field(p) = 0
		}
	}
	p.Faults = nil
}

// Unlike lists the parameters that are others than those of q.
func (p Params) Unlike(q Params) (list []traces.Parameter) {
	add := func(name, mine, others string) {
		if mine != others {
			list = append(list, traces.Parameter{Name: name, Value: mine})
		}
	}
	for _, d := range durations {
		add(d.name, d.field(&p).String(), d.field(&q).String())
	}
	for _, d := range settings {
		add(d.name, strconv.Itoa(*d.field(&p)), strconv.Itoa(*d.field(&q)))
	}
	both := slices.Clone(p.Faults)
	for _, a := range q.Faults {
		if p.Faults.Of(a.Fault) == 0 {
			both = both.With(a.Fault, a.Times)
		}
	}
	for _, a := range both {
		add(a.Fault.Name, strconv.Itoa(p.Faults.Of(a.Fault)), strconv.Itoa(q.Faults.Of(a.Fault)))
	}
	return list
}

// Set sets one parameter by name, of those there are and the budgets of the given
// faults.
func (p *Params) Set(name, value string, faults []*Fault) error {
	var names []string
	for _, d := range durations {
		if d.name == name {
			return d.set(p, value)
		}
		names = append(names, d.name)
	}
	for _, d := range settings {
		if d.name == name {
			n, err := number(name, value, d.min, d.max)
			if err == nil {
				*d.field(p) = n
			}
			return err
		}
		names = append(names, d.name)
	}
	for _, f := range faults {
		if f.Name == name {
			n, err := number(name, value, 0, f.Most)
			if err == nil {
				p.Faults = p.Faults.With(f, n)
			}
			return err
		}
		names = append(names, f.Name)
	}
	return fmt.Errorf("there is no parameter %q; there are %s", name, strings.Join(names, ", "))
}

func (d *duration) set(p *Params, value string) error {
	length, err := time.ParseDuration(value)
	if err != nil || length < d.min || length > d.max {
		return fmt.Errorf("parameter %s=%q: want a duration from %v to %v, such as %s", d.name, value, d.min, d.max, d.example)
	}
	*d.field(p) = length
	return nil
}

func number(name, value string, low, high int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("parameter %s=%q: want a number from %d to %d", name, value, low, high)
	}
	return n, nil
}

// SetAll sets parameters from a list, such as a trace's.
func (p *Params) SetAll(list []traces.Parameter, faults []*Fault) error {
	for _, e := range list {
		if err := p.Set(e.Name, e.Value, faults); err != nil {
			return err
		}
	}
	return p.Check()
}

// Check refuses combinations that cannot be simulated.
func (p Params) Check() error {
	var errs []error
	for _, a := range p.Faults {
		errs = append(errs, a.Fault.Check(p))
	}
	return errors.Join(errs...)
}

// Smaller lists parameters that are a step smaller: fewer rounds, clients or
// faults, the most radical first. What world it is stays.
func (p Params) Smaller() (list []Params) {
	try := func(n, least int, set func(q *Params, n int)) {
		for _, smaller := range []int{least, n / 2, n - 1} {
			if smaller < least || smaller >= n {
				continue
			}
			q := p
			set(&q, smaller)
			if q.Check() == nil {
				list = append(list, q)
			}
		}
	}
	of := func(name string) {
		i := slices.IndexFunc(settings, func(d setting) bool { return d.name == name })
		d := &settings[i]
		try(*d.field(&p), d.min, func(q *Params, n int) { *d.field(q) = n })
	}
	of("rounds")
	of("clients")
	for _, a := range p.Faults {
		try(a.Times, 0, func(q *Params, n int) { q.Faults = q.Faults.With(a.Fault, n) })
	}
	for _, d := range settings {
		if d.rare && !d.shape {
			of(d.name)
		}
	}
	of("replicas")
	return list
}
