package story

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// Compared is a run that is compared with another.
type Compared struct {
	// Name is the run's name, such as its file.
	Name  string
	Trace *traces.Trace
}

// Difference is how two runs differ. [Compare] makes it.
type Difference struct {
	A, B     Side
	Settings []Setting
	Choices  []OtherChoice
	More     [2]int // numbers of other choices that are not listed
	First    FirstEvent
	Rows     []Row
	From     int // index of the first row that differs, len(rows) if none does
	later    int // number of rows left out after the end of a real run
	Verdicts []OtherVerdict
	equal    bool
	// beyond is set if the runs differ only in what the traces leave out.
	beyond bool
}

// Side is one of the two runs.
type Side struct {
	Compared
	Letter string
	*Plot
}

// Setting is a setting that differs between the runs.
type Setting struct{ Name, A, B string }

// OtherChoice is a deviation from calm of one of the runs.
type OtherChoice struct {
	Letter, Text string
	Needed       bool
}

// OtherVerdict is a verdict that differs between the runs.
type OtherVerdict struct{ Property, A, B string }

// Row is a step of both runs, or of one of them.
type Row struct{ A, B *Step }

// Compare compares two runs.
func Compare(a, b Compared) *Difference {
	d := &Difference{A: Side{a, "A", newPlot(a.Trace)}, B: Side{b, "B", newPlot(b.Trace)}}
	d.Settings = otherSettings(a.Trace, b.Trace)
	d.First = differingEvent(a.Trace, b.Trace)
	d.otherVerdicts()
	if d.equal = d.isEqual(); d.equal {
		return d
	}
	if d.OfReal() {
		d.First = FirstEvent{}
	} else {
		d.otherChoices()
	}
	d.beyond = d.First.Number == 0 && len(d.Verdicts) == 0 && reflect.DeepEqual(a.Trace.History, b.Trace.History)
	d.alignAcquisitions()
	d.alignSteps()
	return d
}

// Equal reports whether the same happened in both runs and was judged the same. The names of the runs, and the searches
// that found them, do not matter. Events that a trace leaves out are compared by the hashes.
func (d *Difference) Equal() bool { return d.equal }

func (d *Difference) isEqual() bool {
	a, b := d.A.Trace, d.B.Trace
	known := a.Hash != "" && b.Hash != ""
	return d.First.Number == 0 && len(d.Verdicts) == 0 && reflect.DeepEqual(a.History, b.History) &&
		(a.Hash == b.Hash && known || !known && len(d.First.unknown) == 0)
}

// otherSettings returns the differences in what was run, and how.
func otherSettings(a, b *traces.Trace) (list []Setting) {
	add := func(name, one, two string) {
		if one != two {
			list = append(list, Setting{name, wording.Fit(wording.Printable(one), 80), wording.Fit(wording.Printable(two), 80)})
		}
	}
	add("scenario", a.Scenario, b.Scenario)
	add("lock", a.Lock, b.Lock)
	add("store", a.Store, b.Store)
	values := func(t *traces.Trace) (names []string, of map[string]string) {
		of = map[string]string{}
		for _, p := range t.Parameters {
			names, of[p.Name] = append(names, p.Name), p.Value
		}
		return names, of
	}
	names, one := values(a)
	others, two := values(b)
	for _, name := range others {
		if _, known := one[name]; !known {
			names = append(names, name)
		}
	}
	for _, name := range names {
		add("parameter "+wording.Fit(wording.Printable(name), 40), orUnset(one, name), orUnset(two, name))
	}
	add("versions", a.Made.String(), b.Made.String())
	return list
}

func orUnset(values map[string]string, name string) string {
	if v, ok := values[name]; ok {
		return v
	}
	return "unset"
}

// mostChoices is the number of choices of a run that are listed.
const mostChoices = 8

// otherChoices finds the deviations that only one of the runs has.
func (d *Difference) otherChoices() {
	d.More[0] = d.choicesOf(&d.A, &d.B)
	d.More[1] = d.choicesOf(&d.B, &d.A)
}

// choicesOf adds the choices of one run that the other does not have: those made before the runs differ, and later ones
// that a violation needs. It returns how many it left out.
func (d *Difference) choicesOf(one, other *Side) (more int) {
	has := map[string]int{}
	for _, c := range other.Trace.Tape {
		has[c.ID()] = c.Option
	}
	listed := 0
	for _, c := range one.Trace.Tape {
		if c.Option == 0 || c.Kind == sim.Seed || has[c.ID()] == c.Option {
			continue
		}
		text, needed := one.choiceText(c)
		later := d.First.Number != 0 && c.After >= d.First.Number // it may be a consequence of the difference
		if later && !needed || listed == mostChoices {
			more++
			continue
		}
		listed++
		d.Choices = append(d.Choices, OtherChoice{one.Letter, text, needed})
	}
	return more
}

// choiceText returns a choice in words, as in its attribution or by the event that shows it, and whether the
// counterexample needs it.
func (s *Side) choiceText(c sim.Choice) (text string, needed bool) {
	if a := s.Trace.Attribution; a != nil {
		for i := range a.Deviations {
			if d := &a.Deviations[i]; d.Decision == c.ID() && d.Option == c.Option {
				return wording.Printable(d.Text), d.Needed
			}
		}
	}
	if i := s.IndexOf(c.Shows); c.Shows > 0 && i < len(s.Trace.Events) && s.Trace.Events[i].Seq == c.Shows {
		return s.eventLine(&s.Trace.Events[i]), false
	}
	return fmt.Sprintf("%s: option %d of %d", wording.Printable(c.ID()), c.Option, c.Options), false
}

// eventLine returns an event with its time and its actor.
func (s *Side) eventLine(e *sim.Event) string {
	return wording.Fit(fmt.Sprintf("%s %s at %s", wording.Printable(e.Actor), s.EventText(e), traces.Moment(e.At)), 200)
}

// otherVerdicts finds the verdicts that differ, in the order of the first run's.
func (d *Difference) otherVerdicts() {
	a, b := d.A.Trace, d.B.Trace
	said := func(t *traces.Trace, property string) string {
		for i := range t.Verdicts {
			if v := &t.Verdicts[i]; v.Property == property {
				return StatusText(v)
			}
		}
		return "not judged"
	}
	var names []string
	for _, v := range slices.Concat(a.Verdicts, b.Verdicts) {
		if !slices.Contains(names, v.Property) {
			names = append(names, v.Property)
		}
	}
	for _, name := range names {
		if one, two := said(a, name), said(b, name); one != two && !d.A.notJudged(name) && !d.B.notJudged(name) {
			d.Verdicts = append(d.Verdicts, OtherVerdict{wording.Printable(name), one, two})
		}
	}
}

// Outcome returns a phrase for the result of a run.
func (s *Side) Outcome() string {
	t := s.Trace
	v := t.Verdict()
	switch {
	case t.Experiment != nil:
		return fmt.Sprintf("a run of the experiment %s, seed %d", wording.Printable(t.Scenario), t.Seed)
	case v != nil && v.Status == model.Violated:
		return t.Broken(v.Property)
	}
	for i := range t.Verdicts {
		if v := &t.Verdicts[i]; v.Status == model.Violated {
			return t.Broken(v.Property)
		}
	}
	return "no violation"
}

// Title names a run.
func (s *Side) Title() string {
	return strings.TrimSpace(fmt.Sprintf("%s: %s under %s", s.Outcome(), wording.Printable(s.Trace.Lock), wording.Printable(s.Trace.Scenario)) + Suffix(OnReal(s.Trace)))
}
