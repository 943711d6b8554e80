package scenarios

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// keptDir is where found cases are kept, below the directory of the package.
const keptDir = "testdata/simrun"

// unfit are the letters that a file's name should not have.
var unfit = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// dir is the directory of a call, below one for all: the test's name, a
// directory for each level of subtests.
func dirOf(call traces.Test) string {
	parts := strings.Split(call.Name, "/")
	for i, part := range parts {
		name := unfit.ReplaceAllString(part, "_")
		if name != part || strings.Trim(name, ".") == "" {
			h := fnv.New32a()
			_, _ = h.Write([]byte(part)) // it takes everything
			name = fmt.Sprintf("%s-%08x", strings.Trim(name, "."), h.Sum32())
		}
		parts[i] = name
	}
	if call.Call > 1 {
		parts = append(parts, fmt.Sprintf("call-%d", call.Call))
	}
	return strings.Join(parts, "/")
}

// caseName is what a case is kept for, as a part of a file's name: a property,
// with _limit behind it if it is violated as a limit, or a kind of trouble.
func caseName(t *traces.Trace) string {
	switch {
	case t.Trouble != nil:
		return t.Trouble.Kind
	case t.Limit:
		return t.Property + "_limit"
	}
	return t.Property
}

// keep writes a case to where it will be tried first next time. The path is
// relative to the package's directory. What is there already stays.
func (a *attack) keep(t *traces.Trace) (path string, err error) {
	dir := keptDir + "/" + dirOf(a.call)
	if err := os.MkdirAll(filepath.Join(home, dir), 0o777); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		path = fmt.Sprintf("%s/%s_%s.json", dir, t.Scenario, caseName(t))
		if n > 1 {
			path = fmt.Sprintf("%s/%s_%s_%d.json", dir, t.Scenario, caseName(t), n)
		}
		file := filepath.Join(home, path)
		if _, err := os.Lstat(file); err != nil {
			return path, traces.WriteFile(file, t)
		}
		if old, err := traces.ReadFile(file); err == nil && reflect.DeepEqual(old.Tape, t.Tape) && slices.Equal(old.Parameters, t.Parameters) {
			return path, nil // it is the same
		}
	}
}

// keptCases are the paths of the cases of a scenario, in order.
func (a *attack) keptCases(s *Scenario) []string {
	files, _ := filepath.Glob(filepath.Join(home, keptDir, filepath.FromSlash(dirOf(a.call)), s.ID+"_*.json")) // the pattern is well-formed
	slices.Sort(files)
	return files
}

// relative is a path as it is given on the command line.
func relative(path string) string {
	if r, err := filepath.Rel(home, path); err == nil {
		return filepath.ToSlash(r)
	}
	return path
}

// again is what a recorded case came to when it was run again.
type again struct {
	// trace is of this run, with what the recorded one says of its origin.
	trace *traces.Trace
	// fails is set if it has come to what it was kept for, or to worse: to a fault
	// of the property of which it was kept for a limit.
	fails bool
	// trouble is set if the run came to no proper end.
	trouble *explore.Trouble
	// note says how it differs from what was recorded, if it does.
	note string
}

// gone names what the recorded case no longer comes to.
func (a *again) gone(old *traces.Trace) string {
	if text := a.trace.Reclassified(old); text != "" {
		return caseName(old) + ": " + text
	}
	return caseName(old)
}

// rerun runs a recorded case again.
func (a *attack) rerun(ctx context.Context, old *traces.Trace) (*again, error) {
	c, err := NewCell(old.Scenario, a.lock.ID, old.Parameters, []Lock{a.lock})
	if err != nil {
		return nil, err
	}
	c.Properties = a.properties
	if old.Trouble != nil && old.Trouble.Kind == string(explore.Nondeterministic) {
		return a.differs(ctx, c, old)
	}
	r, trouble, err := a.replay(ctx, c, old)
	switch {
	case err != nil:
		return nil, err
	case trouble != nil:
		return &again{trace: troubled(old, trouble), trouble: trouble, fails: old.Trouble != nil && old.Trouble.Kind == string(trouble.Kind)}, nil
	}
	out := r.Outcome()
	now := c.Trace(old.Seed, old.Schedule, old.Property, out)
	now.Strategy, now.Shrunk, now.Test = old.Strategy, old.Shrunk, &a.call
	came := &again{trace: now, fails: old.Violation().Shown(r.Violated)}
	switch {
	case r.Divergence != nil:
		came.note = fmt.Sprintf("the run differs from the recorded one from decision %d on", r.Divergence.Decision)
	case now.Hash == old.Hash:
		now.Attribution = old.Attribution // a replay says nothing of it
	case old.Trouble == nil:
		came.note = "the tape fits, but the run differs from the recorded one"
	}
	if text := now.Reclassified(old); text != "" {
		came.note = strings.TrimPrefix(came.note+"; "+text, "; ")
	}
	return came, nil
}

// replay runs the tape of a case in a worker. A run that only left goroutines
// behind is trouble here if that is what the case was kept for.
func (a *attack) replay(ctx context.Context, c Cell, old *traces.Trace) (*explore.Result, *explore.Trouble, error) {
	var got *explore.Result
	err := a.worker.Do(ctx, explore.Request{Cell: c.Encode(), Replay: true, Record: true, Tape: old.Tape}, func(r explore.Result) bool {
		got = &r
		return true
	})
	var trouble *explore.Trouble
	switch {
	case errors.As(err, &trouble):
		return nil, trouble, nil
	case err != nil:
		return nil, nil, err
	case got == nil:
		return nil, nil, errors.New("the worker gave no result")
	case got.Trouble != nil && (!got.Trouble.Leaked || old.Trouble != nil):
		return nil, got.Trouble, nil
	}
	return got, nil, nil
}

// differs runs the case of a lock that was not deterministic until two runs
// differ, or some were alike.
func (a *attack) differs(ctx context.Context, c Cell, old *traces.Trace) (*again, error) {
	const attempts = 6
	var first *explore.Result
	for range attempts {
		r, trouble, err := a.replay(ctx, c, &traces.Trace{Tape: old.Tape})
		switch {
		case err != nil:
			return nil, err
		case trouble != nil:
			return &again{trace: troubled(old, trouble), trouble: trouble}, nil
		case first == nil:
			first = r
		case first.Hash != r.Hash:
			trouble = &explore.Trouble{
				Kind: explore.Nondeterministic, Schedule: old.Schedule, Tape: old.Tape,
				Reason: "two runs of the same tape differ: " + explore.FirstDifference(first.Recording, r.Recording),
			}
			return &again{trace: troubled(old, trouble), trouble: trouble, fails: true}, nil
		}
	}
	return &again{trace: c.Trace(old.Seed, old.Schedule, "", first.Outcome())}, nil
}

// troubled is the trace of a run that came to no proper end.
func troubled(old *traces.Trace, trouble *explore.Trouble) *traces.Trace {
	t := *old
	t.Trouble = &traces.Trouble{Kind: string(trouble.Kind), Reason: trouble.Reason}
	return &t
}
