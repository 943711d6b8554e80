package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// Validate returns an error if scenarios cannot be added to those of this package, for locks
// over the given stores. It also checks the faults that only they have a budget for. The ids
// of built-in scenarios are refused, and so are the names of built-in faults and parameters: a
// name in a trace or on a command line has one meaning.
func Validate(own []*cell.Scenario, stores ...stage.Store) error {
	v := validator{stores: stores}
	for _, s := range All() {
		v.builtin = append(v.builtin, s.ID)
	}
	for _, s := range own {
		if s == nil {
			v.complain("a scenario is nil: give a *cell.Scenario")
			continue
		}
		v.scenario(s)
		v.params(s)
		v.ids = append(v.ids, s.ID)
	}
	for _, f := range ownFaults(own, stores) {
		v.fault(f)
		v.faults = append(v.faults, f)
	}
	return errors.Join(v.wrong...)
}

// validator collects what is wrong.
type validator struct {
	stores  []stage.Store
	builtin []string // the ids of the scenarios of this package
	ids     []string // of the added scenarios that it has seen
	faults  []*stage.Fault
	wrong   []error
}

func (v *validator) complain(format string, args ...any) {
	v.wrong = append(v.wrong, fmt.Errorf(format, args...))
}

// plain is what the ids of scenarios and the names of faults are made of: they are parts of
// command lines and of the names of files.
var plain = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// isPlain reports whether a text is a name that is plain.
func isPlain(name string) bool { return len(name) <= sim.MaxName && plain.MatchString(name) }

const plainWords = "want lower-case letters and digits, with hyphens between words, such as slow-start"

func (v *validator) scenario(s *cell.Scenario) {
	switch {
	case !isPlain(s.ID):
		v.complain("scenario %q (%s): the ID is not usable: %s", s.ID, s.Summary, plainWords)
	case slices.Contains(v.builtin, s.ID):
		v.complain("scenario %q: Lockpick has a scenario with this ID: choose another", s.ID)
	case slices.Contains(v.ids, s.ID):
		v.complain("scenario %q: two scenarios have this ID: choose another for one of them", s.ID)
	}
	if s.Summary == "" {
		v.complain("scenario %q has no Summary: say in one line what happens in it", s.ID)
	}
	for i, h := range s.Happenings {
		if h.Name == "" || h.In == nil && h.Reads == nil {
			v.complain("scenario %q: happening %d lacks its Name or its function In", s.ID, i+1)
		}
	}
}

// params refuses values out of range.
func (v *validator) params(s *cell.Scenario) {
	for _, store := range v.stores {
		settings := stage.SettingsOf(store, faults.All, ownFaults([]*cell.Scenario{s}, []stage.Store{store})...)
		var p cell.Params
		if err := settings.SetAll(&p, settings.List(cell.Lock{Store: store}.AtLeast(s.Params))); err != nil {
			v.complain("scenario %q: Params: %w", s.ID, err)
			return
		}
	}
}

func (v *validator) fault(f *stage.Fault) {
	switch {
	case !isPlain(f.Name):
		v.complain("fault %q (%s): the Name is not usable: %s", f.Name, f.About, plainWords)
	case slices.Contains(v.parameters(), f.Name):
		v.complain("fault %q: Lockpick has a parameter with this name: choose another", f.Name)
	case slices.ContainsFunc(v.faults, func(o *stage.Fault) bool { return o.Name == f.Name }):
		v.complain("fault %q: two faults have this name: choose another for one of them, or use the same *stage.Fault in all scenarios", f.Name)
	}
	var lacks []string
	for _, field := range []struct {
		name  string
		given bool
	}{{"Most", f.Most > 0}, {"About", f.About != ""}, {"One", f.One != ""}, {"Many", f.Many != ""}, {"Inject or Late", f.Inject != nil || f.Late != nil}} {
		if !field.given {
			lacks = append(lacks, field.name)
		}
	}
	if len(lacks) > 0 {
		v.complain("fault %q lacks %s: see stage.Fault for what they are", f.Name, strings.Join(lacks, ", "))
	}
	for _, k := range f.Kinds {
		switch of := v.decides(k); {
		case !strings.HasPrefix(string(k), faultPrefix):
			v.complain("fault %q: the kind %q of its decisions must begin with %q", f.Name, k, faultPrefix)
		case of != "":
			v.complain("fault %q: the kind %q of its decisions is that of %s: choose another", f.Name, k, of)
		}
	}
}

// faultPrefix begins the kinds of decisions about faults.
const faultPrefix = "fault:"

// parameters returns the names of the built-in parameters and faults.
func (v *validator) parameters() (names []string) {
	for _, s := range v.stores {
		for _, p := range stage.SettingsOf(s, faults.All).Describe() {
			names = append(names, p.Name)
		}
	}
	return names
}

// decides returns what has decisions of a kind already, empty if nothing has.
func (v *validator) decides(k sim.Kind) string {
	list := slices.Concat(faults.All, v.faults)
	for _, s := range v.stores {
		list = append(list, s.Faults()...)
	}
	if i := slices.IndexFunc(list, func(f *stage.Fault) bool { return slices.Contains(f.Kinds, k) }); i >= 0 {
		return "the fault " + list[i].Name
	}
	if slices.Contains([]sim.Kind{sim.Unread, sim.ReadFirst}, k) {
		return "the network"
	}
	return ""
}

// ownFaults returns the faults of the scenarios that no store has.
func ownFaults(own []*cell.Scenario, stores []stage.Store) (list []*stage.Fault) {
	own = slices.DeleteFunc(slices.Clone(own), func(s *cell.Scenario) bool { return s == nil })
	for _, s := range stores {
		for _, f := range (cell.Registry{Scenarios: own}).Faults(s) {
			if !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
	}
	return list
}
