package stage

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// Setting is a named numeric parameter that is not a fault's.
type Setting struct {
	Name     string
	Min, Max int
	// About describes the setting.
	About string
	// Field returns its field of the parameters; nil for a setting that is specific to its
	// store, which is in Params.Own.
	Field func(*Params) *int
	// Rare settings are listed only if they are not 0.
	Rare bool
	// Whole settings are not amounts: shrinking tries only the least value.
	Whole bool
	// Fixed settings describe the lock's world or the judged properties. Shrinking
	// keeps them.
	Fixed bool
	// Names are the names of the values from 0, for a setting whose values are not amounts. It is
	// set and listed by them.
	Names []string
	// Implies, if not nil, is called when the setting is set to a value other than 0, before
	// the parameters that follow it are set.
	Implies func(*Params)
	// Needs says what a value other than 0 needs and the parameters lack, or returns "". The text
	// may use the store's terms. If Needs is nil, the setting needs nothing.
	Needs func(Params) string
}

// Text returns the text of a value of the setting.
func (d *Setting) Text(n int) string {
	if n < len(d.Names) {
		return d.Names[n]
	}
	return strconv.Itoa(n)
}

// parse returns the value of a text.
func (d *Setting) parse(value string) (int, error) {
	if len(d.Names) == 0 {
		return number(d.Name, value, d.Min, d.Max)
	}
	if i := slices.Index(d.Names, value); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("parameter %s=%q: want %s", d.Name, value, wording.Or(d.Names))
}

// Of returns the value of the setting.
func (d *Setting) Of(p Params) int {
	if d.Field == nil {
		return p.Own.Of(d.Name)
	}
	return *d.Field(&p)
}

// Set changes the value of the setting.
func (d *Setting) Set(p *Params, n int) {
	if d.Field == nil {
		p.Own = p.Own.With(d.Name, n)
	} else {
		*d.Field(p) = n
	}
}

// usual are the settings of every store. Those of the store's servers follow the first
// two.
var usual = []Setting{
	{Name: "clients", Min: 1, Max: 16, About: "client processes", Field: func(p *Params) *int { return &p.Clients }},
	{Name: "rounds", Min: 1, Max: 50, About: "critical sections of each client", Field: func(p *Params) *int { return &p.Rounds }},
	{Name: "threads", Max: 8, About: "threads of each client process, which share its Locker (0: one, and with sizes=3 in some runs two)", Field: func(p *Params) *int { return &p.Threads }, Rare: true},
	{Name: "again", Max: 50, About: "release every n-th hold of a client twice (0: never)", Field: func(p *Params) *int { return &p.Again }, Rare: true},
	{Name: "long-holds", Max: 16, About: "hold a lock that is kept alive this many leases longer", Field: func(p *Params) *int { return &p.LongHolds }, Rare: true},
	{Name: "sizes", Max: SizesButLease, About: "3: some runs have more rounds or threads, a longer lease, or longer or shorter holds; 4: the same but for the lease; 1 and 2: the same but for threads and for holds that no lock keeps alive", Field: func(p *Params) *int { return &p.Sizes }, Rare: true, Whole: true},
	{Name: "drift", Max: 500_000, About: "by how many parts per million the clocks of skews are slow or fast (0: by a quarter, or ahead or behind by more than a lease)", Field: func(p *Params) *int { return &p.Drift }, Rare: true, Fixed: true},
	{Name: "checks", Max: 1, About: "1: before each access, clients ask the store whether they still hold the lock", Field: func(p *Params) *int { return &p.Checks }, Rare: true},
	{Name: "weak", Max: 1, About: "1: judge the weak properties as well", Field: func(p *Params) *int { return &p.Weak }, Rare: true, Fixed: true},
	{Name: "events", Max: 100_000_000, About: "cut a run after this many events, whatever it has shown (0: when time has decided it, or hardly passes)", Field: func(p *Params) *int { return &p.Events }, Rare: true, Fixed: true},
}

// duration is a named parameter that is a length of time.
type duration struct {
	name     string
	min, max time.Duration
	about    string
	example  string
	field    func(*Params) *time.Duration
}

// durations have sensible ranges: latencies are under a millisecond, and a run ends after
// some minutes.
var durations = []duration{
	{"ttl", 100 * time.Millisecond, 15 * time.Second, "the unit of hold times and fault lengths, and the default lease; with sizes=3 some runs have four times as much", "2s", func(p *Params) *time.Duration { return &p.TTL }},
	{"lease", 100 * time.Millisecond, MaxLease, "the lease that locks ask for (default: ttl)", "8s", func(p *Params) *time.Duration { return &p.Lease }},
	{"pause", time.Millisecond, 20 * time.Second, "how long every pause of a client lasts (default: around a lease, and around clients' time-outs)", "1s", func(p *Params) *time.Duration { return &p.Pause }},
	{"rtt", time.Millisecond, 2 * time.Second, "the longest round trip of a segment and its answer that no fault delays (default: 2.4ms)", "40ms", func(p *Params) *time.Duration { return &p.Trip }},
}

// MaxLease is the longest lease that can be set.
const MaxLease = time.Minute

// Settings are the named parameters of runs with a store.
type Settings struct {
	numbers []Setting
	faults  []*Fault
	terms   Terms
}

// SettingsOf returns the settings of a store: the usual ones, those of its servers, and the
// budgets of the common faults, of its own faults, and of the added ones.
func SettingsOf(s Store, common []*Fault, added ...*Fault) Settings {
	return Settings{
		numbers: slices.Concat(usual[:2], s.Shape(), usual[2:]),
		faults:  slices.Concat(common, s.Faults(), added),
		terms:   s.Terms(),
	}
}

// Faults returns the faults that the settings have budgets for.
func (s Settings) Faults() []*Fault { return s.faults }

// Range describes a named parameter and its values.
type Range struct {
	Name  string `json:"name"`
	About string `json:"about"`
	// Least and Most are the limits, as texts for Set: numbers, or lengths of time if Length is set.
	Least  string `json:"least"`
	Most   string `json:"most"`
	Length bool   `json:"length,omitempty"`
	// Names are all values of a parameter whose values are not amounts; nil for others.
	Names []string `json:"names,omitempty"`
}

// Ranges lists the parameters with their meanings and ranges.
func (s Settings) Ranges() (list []Range) {
	for _, d := range durations {
		list = append(list, Range{Name: d.name, About: d.about, Least: d.min.String(), Most: d.max.String(), Length: true})
	}
	for _, d := range s.numbers {
		list = append(list, Range{Name: d.Name, About: d.About, Least: strconv.Itoa(d.Min), Most: strconv.Itoa(d.Max), Names: d.Names})
	}
	for _, f := range s.faults {
		list = append(list, Range{Name: f.Name, About: s.terms.Fill(f.About), Least: "0", Most: strconv.Itoa(f.Most)})
	}
	return list
}

// Describe returns Ranges as texts.
func (s Settings) Describe() (list []traces.Parameter) {
	for _, r := range s.Ranges() {
		values := r.Least + " to " + r.Most
		if len(r.Names) > 0 {
			values = wording.Or(r.Names)
		}
		list = append(list, traces.Parameter{Name: r.Name, Value: r.About + ", " + values})
	}
	return list
}

// List returns the parameters by name, in a fixed order. It leaves out faults that may not
// strike.
func (s Settings) List(p Params) []traces.Parameter {
	var list []traces.Parameter
	for _, d := range durations {
		if length := *d.field(&p); length != 0 {
			list = append(list, traces.Parameter{Name: d.name, Value: length.String()})
		}
	}
	for _, d := range s.numbers {
		if n := d.Of(p); n != 0 || !d.Rare {
			list = append(list, traces.Parameter{Name: d.Name, Value: d.Text(n)})
		}
	}
	for _, a := range p.Faults {
		list = append(list, traces.Parameter{Name: a.Fault.Name, Value: strconv.Itoa(a.Times)})
	}
	return list
}

// ClearUnlisted sets to 0 everything that List may leave out.
func (s Settings) ClearUnlisted(p *Params) {
	for _, d := range s.numbers {
		if d.Rare {
			d.Set(p, 0)
		}
	}
	p.Faults = nil
}

// Unlike lists the parameters of p that differ from those of q.
func (s Settings) Unlike(p, q Params) (list []traces.Parameter) {
	add := func(name, mine, others string) {
		if mine != others {
			list = append(list, traces.Parameter{Name: name, Value: mine})
		}
	}
	for _, d := range durations {
		add(d.name, d.field(&p).String(), d.field(&q).String())
	}
	for _, d := range s.numbers {
		add(d.Name, d.Text(d.Of(p)), d.Text(d.Of(q)))
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

// Set sets one parameter by name. It returns an error, and changes nothing, if the name
// is unknown or the value is out of range.
func (s Settings) Set(p *Params, name, value string) error {
	var names []string
	for _, d := range durations {
		if d.name == name {
			return d.set(p, value)
		}
		names = append(names, d.name)
	}
	for _, d := range s.numbers {
		if d.Name == name {
			n, err := d.parse(value)
			if err != nil {
				return err
			}
			if d.Set(p, n); n != 0 && d.Implies != nil {
				d.Implies(p)
			}
			return nil
		}
		names = append(names, d.Name)
	}
	for _, f := range s.faults {
		if f.Name == name {
			n, err := number(name, value, 0, f.Most)
			if err == nil {
				p.Faults = p.Faults.With(f, n)
			}
			return err
		}
		names = append(names, f.Name)
	}
	return errors.New(wording.Unknown("parameter", name, names))
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
func (s Settings) SetAll(p *Params, list []traces.Parameter) error {
	for _, e := range list {
		if err := s.Set(p, e.Name, e.Value); err != nil {
			return err
		}
	}
	return s.Check(*p)
}

// Check rejects combinations that cannot be simulated.
func (s Settings) Check(p Params) error {
	var errs []error
	for i := range s.numbers {
		d := &s.numbers[i]
		if n := d.Of(p); n != 0 && d.Needs != nil {
			if lacks := d.Needs(p); lacks != "" {
				errs = append(errs, fmt.Errorf("%s=%s %s", d.Name, d.Text(n), s.terms.Fill(lacks)))
			}
		}
	}
	for _, a := range p.Faults {
		if a.Fault.Needs == nil {
			continue
		}
		if lacks := a.Fault.Needs(p); lacks != "" {
			errs = append(errs, fmt.Errorf("%s=%d %s", a.Fault.Name, a.Times, s.terms.Fill(lacks)))
		}
	}
	return errors.Join(errs...)
}

// Smaller lists parameters that are one step smaller: fewer rounds, clients, faults or
// nodes, the largest step first. Fixed settings stay.
func (s Settings) Smaller(p Params) (list []Params) {
	try := func(n, least int, set func(q *Params, n int), values ...int) {
		for _, smaller := range slices.Compact(values) {
			if smaller < least || smaller >= n {
				continue
			}
			q := p
			set(&q, smaller)
			if s.Check(q) == nil {
				list = append(list, q)
			}
		}
	}
	less := func(is func(*Setting) bool) {
		for i := range s.numbers {
			if d := &s.numbers[i]; is(d) {
				if n := d.Of(p); d.Whole {
					try(n, d.Min, d.Set, d.Min)
				} else {
					try(n, d.Min, d.Set, d.Min, n/2, n-1)
				}
			}
		}
	}
	named := func(name string) func(*Setting) bool { return func(d *Setting) bool { return d.Name == name } }
	less(named("rounds"))
	less(named("clients"))
	for _, a := range p.Faults {
		try(a.Times, 0, func(q *Params, n int) { q.Faults = q.Faults.With(a.Fault, n) }, 0, a.Times/2, a.Times-1)
	}
	less(func(d *Setting) bool { return d.Rare && !d.Fixed })
	less(func(d *Setting) bool { return !d.Rare && !d.Fixed && d.Name != "rounds" && d.Name != "clients" })
	return list
}
