package locktest

import (
	"context"
	"errors"
	"slices"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// tryKept runs the kept cases. It ends the scenario if one must be fixed before it is searched: a case that fails the
// test, except for leaks and runs that differ, which hide nothing. It records in met which expectations they meet.
func (x *session) tryKept(ctx context.Context, o *outcome, s *cell.Scenario, met map[string]bool) {
	files := testbinary.Kept(x.call, s.ID)
	if x.seedFlag && len(files) > 0 {
		o.logf("no kept case was tried, since -simrun.seed asks for a search")
		return
	}
	var failures []*causes.Failure
	for _, file := range files {
		path := testbinary.Relative(file)
		old, err := traces.ReadFile(file)
		if err != nil {
			x.problemf(o, "a kept case cannot be read: %v; fix or remove it", err)
			o.ended = true
			continue
		}
		if old.Property != "" && x.properties != nil && !slices.Contains(x.properties, old.Property) {
			o.logf("%s was not tried: locktest.Properties leaves %s out", path, old.Property)
			continue
		}
		got, err := x.rerun(ctx, old)
		switch {
		case err != nil && endsSearch(err):
			x.fail(o, failures)
			x.problemf(o, "%s: %s", path, x.why(err))
			o.ended = true
			return
		case err != nil:
			o.logf("%s no longer applies, and is left there: %v", path, err)
		case got.trouble != nil || got.fails && x.fails(s.ID, got.trace.Violation()):
			failures = append(failures, x.keptFailure(s, got, path))
		case !got.fails:
			o.logf("%s no longer fails (%s); the file is left there, and can be removed", path, got.gone(old))
		default:
			met[old.Property] = true
		}
	}
	x.fail(o, failures)
	harms := func(f *causes.Failure) bool { return f.Trouble == nil || !f.Trouble.HidesNothing() }
	if o.ended = o.ended || slices.ContainsFunc(failures, harms); o.ended {
		x.searches = append(x.searches, x.triedKept(s, failures))
	}
}

// keptFailure is the failure that a kept case has shown again.
func (x *session) keptFailure(s *cell.Scenario, got *replayed, path string) *causes.Failure {
	var f *causes.Failure
	if got.trouble != nil {
		f = causes.Unfinished(s.ID, got.trace, got.trouble)
	} else {
		f = causes.Violates(got.trace, x.fails)
	}
	f.Note, f.Path, f.Kept, f.Reduced = keptFirst(got, path), path, true, true
	return f
}

// keptFirst describes which kept case a failure comes from, and how it differs from the record.
func keptFirst(got *replayed, path string) string {
	text := "the kept case " + path + " was tried first"
	if got.note != "" {
		text += "; " + got.note
	}
	return text
}

// endsSearch reports whether an error concerns the workers or the deadline, not the case.
func endsSearch(err error) bool {
	var unreached *explore.Unreached
	return errors.As(err, &unreached) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
