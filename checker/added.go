package checker

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/model"
)

// Validate returns an error if properties cannot be added to the checker's own: another property has the same id or
// letter, or a field is missing.
func Validate(added []Property) error {
	var wrong []error
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	known := Properties()
	for _, p := range added {
		switch {
		case p.ID == "" || strings.Trim(p.ID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
			complain("a property cannot have the ID %q: want words of lower-case letters, joined by hyphens", p.ID)
		case Known(p.ID):
			complain("%s is one of the checker's own properties: choose another ID", p.ID)
		case p.About == "" || p.Verdict == nil:
			complain("the property %s lacks About or Verdict", p.ID)
		case utf8.RuneCountInString(p.Letter) != 1 || p.Legend == "":
			complain("the property %s needs a Letter of one character, and a Legend that says what it means", p.ID)
		case p.Weak || p.Promised:
			complain("the property %s cannot be Weak or Promised: one that is added is judged in every run", p.ID)
		}
		for i := range known {
			switch old := &known[i]; {
			case old.ID == p.ID && !Known(p.ID):
				complain("there are two properties with the ID %s", p.ID)
			case old.Letter == p.Letter && old.ID != p.ID:
				complain("the letter %s of the property %s is that of %s: choose another", p.Letter, p.ID, old.ID)
			}
		}
		known = append(known, p)
	}
	return errors.Join(wrong...)
}

// addedVerdict judges a property that is not the checker's own, and recovers from its panics.
func (j *Judge) addedVerdict(p *Property) (v model.Verdict) {
	defer func() {
		if reason := recover(); reason != nil {
			v = j.panicked(p, fmt.Sprintf("panicked: %v (%s)", reason, panicPlace()))
		}
	}()
	v = j.established(j.verdict(p))
	v.Operations, v.Observations = ascending(slices.Clone(v.Operations)), ascending(slices.Clone(v.Observations))
	if wrong := j.improper(&v); wrong != "" {
		return j.panicked(p, "returned a verdict "+wrong)
	}
	if v.Status == model.Violated && v.Sentence == "" {
		v.Sentence = "It does not hold that " + p.About + "."
	}
	return v
}

// panicked returns the verdict of a property that cannot judge the history.
func (j *Judge) panicked(p *Property, how string) model.Verdict {
	v := undecided("The property " + p.ID + " " + how + ".")
	v.Property, v.Cause = p.ID, model.Panicked
	return v
}

// improper returns a phrase for the fault of a verdict, or "" if it is proper.
func (j *Judge) improper(v *model.Verdict) string {
	statuses := []model.Status{model.Holds, model.Violated, model.Undecided, model.NotApplicable}
	if !slices.Contains(statuses, v.Status) {
		return fmt.Sprintf("with the status %q, which there is not", v.Status)
	}
	for _, id := range v.Operations {
		if j.h.Operation(id) == nil {
			return fmt.Sprintf("that names the operation %d, which there is not", id)
		}
	}
	for _, seq := range v.Observations {
		if !slices.ContainsFunc(j.h.Observations, func(o model.Observation) bool { return o.Seq == seq }) {
			return fmt.Sprintf("that names an observation at event %d, where there is none", seq)
		}
	}
	for _, at := range []model.Stamp{v.From, v.To} {
		if at.Seq < 0 || at.Seq > max(j.h.End.Seq, j.last()) || at.At < 0 {
			return fmt.Sprintf("whose window has event %d at %s, which is no part of the run", at.Seq, at.At)
		}
	}
	if v.To.Happened() && (v.To.Seq < v.From.Seq || v.To.At < v.From.At) {
		return "whose window ends before it begins"
	}
	return ""
}

// last returns the number of the last event that the history shows.
func (j *Judge) last() (seq int64) {
	for i := range j.h.Operations {
		op := &j.h.Operations[i]
		seq = max(seq, op.Call.Seq, op.Return.Seq, op.Lost.Seq)
	}
	for i := range j.h.Observations {
		seq = max(seq, j.h.Observations[i].Seq)
	}
	return seq
}

// panicPlace returns the file and line at which the panic that is being recovered from began. The file has no directory,
// so that it is the same on every machine.
func panicPlace() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	panicking := false
	for {
		f, more := frames.Next()
		inRuntime := strings.HasPrefix(f.Function, "runtime.")
		if panicking && !inRuntime {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		panicking = panicking || f.Function == "runtime.gopanic"
		if !more {
			return "place unknown"
		}
	}
}
