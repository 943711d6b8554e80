package locktest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/shards"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// searchShard searches a shard's part of the scenarios, and keeps the results for the merge. It shrinks and explains
// nothing: only the merge knows which finding is the first of its kind.
func (x *session) searchShard(ctx context.Context, t *testing.T) {
	t.Helper()
	x.calmRun(ctx, t)
	x.findings = &causes.Findings{} // of kept cases
	defer func() { x.findings = nil }()
	shares, sum := map[string]*share{}, &share{}
	for _, s := range x.scenarios() {
		if !x.selected[s.ID] {
			continue
		}
		one := x.share(ctx, s)
		shares[s.ID] = one
		sum.schedules += one.schedules
		sum.found = append(sum.found, one.found...)
		sum.wrong = append(sum.wrong, one.wrong...)
	}
	x.reportShard(t, sum)
	for _, s := range x.scenarios() {
		if one := shares[s.ID]; one != nil {
			t.Run(s.ID, func(t *testing.T) {
				t.Helper()
				x.showShare(t, one)
			})
		}
	}
}

// share is a shard's result for a scenario.
type share struct {
	schedules int
	// text describes the part, or why there is nothing to search.
	text string
	// found has the findings that fail the test in the merge, and wrong the reasons why the share is incomplete.
	found, wrong []string
	none         bool // there is nothing to search
}

// share searches the shard's part of a scenario, except for results that are kept already.
func (x *session) share(ctx context.Context, s *cell.Scenario) *share {
	c, err := x.cell(s)
	shard := x.shardOf(s)
	switch {
	case err != nil:
		return &share{wrong: []string{s.ID + ": " + x.why(err)}}
	case c.Lacks() != "":
		return &share{none: true, text: s.ID + " does not apply: " + c.Lacks()}
	case !x.hasPart(s, shard):
		return &share{none: true, text: fmt.Sprintf("no block of %s is in shard %v", s.ID, x.part.Shard)}
	}
	o := &outcome{}
	if x.tryKept(ctx, o, s, map[string]bool{}); o.ended {
		const text = "a kept case of the scenario fails, so no shard searches it, and the merge reports it"
		return &share{none: !o.failed, text: s.ID + ": " + text, found: []string{s.ID + ": " + text}}
	}
	keeper, known, err := x.keeper(s, c)
	if err != nil {
		return &share{wrong: []string{err.Error()}}
	}
	h := hunt.Hunt{
		Search: x.search(s.ID), Cell: c, Reducer: x.newReducer(), NoShrink: true, Test: &x.call,
		State: known, OnBlock: keeper.Block, OnPart: keeper.Part,
	}
	h.Shard = shard
	found, err := h.Run(ctx)
	r := &Result{Scenario: s.ID, Result: found.Word, noun: x.lock.Noun()}
	r.count(c, found.Tally)
	one := &share{schedules: r.Schedules, text: fmt.Sprintf("%s: %s in shard %v%s", s.ID, wording.GroupedCount(r.Schedules, "schedule"), x.part.Shard, violatedIn(r, nil))}
	if text := violatedIn(r, func(v model.Violation) bool { return x.fails(s.ID, v) }); text != "" {
		one.found = []string{s.ID + text}
	}
	if err != nil {
		one.wrong = append(one.wrong, fmt.Sprintf("%s: after %s: %s", s.ID, wording.GroupedCount(r.Schedules, "schedule"), x.why(err)))
	}
	if err := keeper.Flush(); err != nil {
		one.wrong = append(one.wrong, notKept(err))
	}
	return one
}

// violatedIn lists the violations in a share for which asked returns true, and the runs that did not finish.
func violatedIn(r *Result, asked func(model.Violation) bool) string {
	var list []string
	for _, v := range r.violated {
		if asked == nil || asked(v.Violation) {
			list = append(list, fmt.Sprintf("%s in %d", testbinary.ViolationName(v.Violation), v.Schedules))
		}
	}
	for _, trouble := range r.Troubles {
		list = append(list, fmt.Sprintf("%s in schedule %d", trouble.Kind, trouble.Schedule))
	}
	for _, id := range slices.Sorted(maps.Keys(r.Panicked)) {
		list = append(list, id+" panicked")
	}
	if len(list) == 0 {
		return ""
	}
	return ": " + strings.Join(list, ", ")
}

// keeper returns the file of a shard's results for a scenario. Known is its earlier content from the same binary, from
// which the search resumes.
func (x *session) keeper(s *cell.Scenario, c cell.Cell) (k *hunt.StateFile, known *explore.State, err error) {
	id := x.identity(s, c)
	if id.Binary, err = shards.Program(); err != nil {
		return nil, nil, fmt.Errorf("the test binary cannot be read: %w", err)
	}
	path := testbinary.SharePath(x.call, s.ID, x.part.Shard, x.stateEnd())
	state := explore.State{Identity: id.encode(), Shard: x.part.Shard.String()}
	switch old, err := explore.ReadState(path); {
	case err == nil && string(old.Identity) == string(state.Identity):
		state.Blocks, state.Parts, known = old.Blocks, old.Parts, old
	case errors.Is(err, explore.ErrNotState): // a machine that was lost may leave half a file
		x.damaged = append(x.damaged, fmt.Sprintf("%v; its scenario begins anew", err))
	}
	k = hunt.NewStateFile(path, state)
	if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
		err = k.Flush()
	}
	if err != nil {
		err = errors.New(notKept(err))
	}
	return k, known, err
}

func notKept(err error) string { return fmt.Sprintf("the shard cannot be kept: %v", err) }

// reportShard reports the schedules and findings of the shard, and the command that merges the shards.
func (x *session) reportShard(t *testing.T, sum *share) {
	t.Helper()
	list := slices.Clone(sum.wrong)
	slices.Sort(list)
	for _, text := range slices.Compact(list) { // a full disk is the same for all scenarios
		x.problems = append(x.problems, "lockpick: "+text)
		t.Errorf("lockpick: %s", text)
	}
	for _, text := range x.damaged {
		t.Logf("lockpick: %s", text)
	}
	text := fmt.Sprintf("shard %v: %s, and nothing in them that fails.\n", x.part.Shard, wording.GroupedCount(sum.schedules, "schedule"))
	if len(sum.found) > 0 {
		text = fmt.Sprintf("shard %v: %s, in which was found:\n    %s\n", x.part.Shard, wording.GroupedCount(sum.schedules, "schedule"), strings.Join(sum.found, "\n    "))
	}
	if len(sum.wrong) == 0 {
		text += "The merge of all shards judges and explains: " + x.mergeCommand()
	}
	switch {
	case len(sum.found) == 0 && len(sum.wrong) > 0:
		return
	case len(sum.found) == 0 || x.part.ExitZero:
		t.Logf("lockpick: %s", text)
		return
	}
	x.problems = append(x.problems, text)
	t.Errorf("lockpick: %s", text)
}

// mergeCommand returns the command that judges the shards.
func (x *session) mergeCommand() string {
	c := gotest.Command{Pattern: gotest.Pattern(x.call.Name), Package: testbinary.PackageArgument(), Flags: []string{"-simrun.merge=" + wording.Shell(testbinary.Out())}}
	if x.seedFlag {
		c.Flags = append(c.Flags, fmt.Sprintf("-simrun.seed=%d", x.seed))
	}
	if x.runsFlag {
		c.Flags = append(c.Flags, fmt.Sprintf("-simrun.runs=%d", x.runs))
	}
	return c.String()
}

// showShare runs in the subtest of a scenario in a shard.
func (x *session) showShare(t *testing.T, one *share) {
	t.Helper()
	switch {
	case len(one.wrong) > 0:
		t.Fail() // the test has logged why
	case one.none:
		t.Skip(one.text) // the reason why there is nothing to search
	case len(one.found) > 0 && !x.part.ExitZero:
		t.Error(one.text)
	default:
		t.Log(one.text)
	}
}
