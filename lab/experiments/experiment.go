package experiments

import (
	"errors"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
)

// Experiment is a measurement that can be repeated.
type Experiment struct {
	// ID is its name on the command line, Summary one line, and Question the question that it answers.
	ID, Summary, Question string
	// Source is where it was published, empty if it is our own.
	Source string
	// Settings are its parameters, in the order in which they are listed.
	Settings []Setting
	// Seeds is the default number of seeds.
	Seeds int
	// Virtual is why it runs in virtual time only, empty if real servers can run it.
	Virtual string
	// Check returns what is wrong with a combination of valid values, nil if nothing is.
	Check func(v Values) error
	// Variants returns the variants to compare.
	Variants func(v Values, locks []cell.Lock) ([]Variant, error)
	// Report returns the tables, plots, claims and notes of the report.
	Report func(Results) labreport.Report
}

// Variant is one of the things that an experiment compares.
type Variant struct {
	Name string
	Plan lab.Plan
}

// Setting is a parameter of an experiment: a number, or a time if Unit is set.
type Setting struct {
	Name  string
	About string
	// Unit is 1 for a number; otherwise values are times such as 200ms, in multiples of it.
	Unit time.Duration
	// Default, Min and Max are in units.
	Default, Min, Max int
	// Words, if set, are the words for the values, such as the names of strategies.
	Words []string
}

// Values are the parameters of an experiment, by their names.
type Values map[string]int

// Duration returns the value of a setting that is a time in milliseconds.
func (v Values) Duration(name string) time.Duration { return time.Duration(v[name]) * time.Millisecond }

// Defaults returns the values of all settings.
func (e *Experiment) Defaults() Values {
	v := Values{}
	for _, s := range e.Settings {
		v[s.Name] = s.Default
	}
	return v
}

// Set sets a parameter from text.
func (e *Experiment) Set(v Values, name, text string) error {
	i := slices.IndexFunc(e.Settings, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		var names []string
		for _, s := range e.Settings {
			names = append(names, s.Name)
		}
		return errors.New(wording.Unknown("parameter of the experiment "+e.ID, name, names))
	}
	n, err := e.Settings[i].parse(text)
	if err != nil {
		return err
	}
	v[name] = n
	return nil
}

// Usable returns what is wrong with the values, nil if nothing is.
func (e *Experiment) Usable(v Values) error {
	if e.Check == nil {
		return nil
	}
	return e.Check(v)
}

// Find finds an experiment by its ID.
func Find(id string) (*Experiment, error) {
	for _, e := range All {
		if e.ID == id {
			return e, nil
		}
	}
	return nil, errors.New(wording.Unknown("experiment", id, IDs()))
}

// IDs returns the IDs of all experiments.
func IDs() (ids []string) {
	for _, e := range All {
		ids = append(ids, e.ID)
	}
	return ids
}

// VariantNames returns the variants with the usual parameters.
func (e *Experiment) VariantNames(locks []cell.Lock) (names []string, err error) {
	variants, err := e.Variants(e.Defaults(), locks)
	for _, v := range variants {
		names = append(names, v.Name)
	}
	return names, err
}

// Example returns a parameter with a value, as on the command line.
func (e *Experiment) Example() string {
	if len(e.Settings) == 0 {
		return "name=value"
	}
	s := e.Settings[0]
	return s.Name + "=" + s.Text(s.Default)
}

// All are the experiments, in the order in which they are listed.
var All = []*Experiment{hotspot, randomSleep, retry, check, segments, watchdog, herd, load, optimistic, whichLock}
