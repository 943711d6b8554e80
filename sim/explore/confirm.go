package explore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// confirmer runs tapes again, in another process, and records them.
type confirmer struct {
	hand Hand
	cell json.RawMessage
}

// replay runs a tape.
func (c *confirmer) replay(ctx context.Context, tape []sim.Choice) (*Result, *Trouble, error) {
	got, err := c.hand.Replay(ctx, c.cell, tape)
	var trouble *Trouble
	switch {
	case errors.As(err, &trouble):
		return nil, trouble, nil
	case err != nil:
		return nil, nil, err
	}
	if got.Trouble.judged() {
		return got, nil, nil
	}
	return got, got.Trouble, nil
}

// Unfounded is the error for a finding in the record of a search that no run can have shown: the record is damaged or
// forged. It says nothing about the code under test.
type Unfounded struct {
	Violation model.Violation
	// Schedule is the finding's schedule by the record. For a check it is numbered within the part that Bound and
	// Part name.
	Schedule, Bound, Part int
	// Why says what is wrong with it.
	Why string
}

// Error names the finding and says what is wrong with it.
func (u *Unfounded) Error() string {
	return fmt.Sprintf("the finding of %s in schedule %d is damaged or forged: %s", u.Violation.Words(), u.Schedule, u.Why)
}

// Claims reports whether the state has the finding.
func (s *State) Claims(u *Unfounded) bool {
	for _, t := range s.Blocks { // unordered: any of them will do
		if f, there := t.First[u.Violation]; there && f.Schedule == u.Schedule {
			return true
		}
	}
	return slices.ContainsFunc(s.Parts, func(p CheckPart) bool {
		_, there := p.Tally.First[u.Violation]
		return there && p.Bound == u.Bound && p.Part == u.Part
	})
}

// again runs a finding of a property again. It returns the outcome, and whether the finding is confirmed:
// whether that run violates the property, too. Trouble says how else the runs differ, or why there is no second
// run; if the finding is confirmed, a difference that a third process does not show is no trouble. An error of
// type *[Unfounded] says that the runs are equal but the record of the first is wrong. Only the tape of a
// property's first finding is kept; if earlier findings were not confirmed, q requests the schedule of this one
// for its tape.
func (c *confirmer) again(ctx context.Context, v model.Violation, f *Found, q Request) (o Outcome, stands bool, trouble *Trouble, err error) {
	if len(f.Tape) == 0 {
		if trouble, err = c.retape(ctx, f, q); err != nil || trouble != nil {
			return o, false, trouble, err
		}
	}
	one, trouble, err := c.replay(ctx, f.Tape)
	if err != nil || trouble != nil {
		return o, false, trouble, err
	}
	o = one.Outcome()
	stands = slices.Contains(o.Violated(), v)
	if one.Hash == f.Hash && one.Divergence == nil {
		if !stands { // the hash covers the verdicts
			err = &Unfounded{Violation: v, Schedule: f.Schedule, Why: "a run of its tape has its hash, and does not violate the property"}
		}
		return o, stands, nil, err
	}
	usual, trouble, err := c.third(ctx, f, one)
	if err != nil || usual == nil {
		return o, stands, trouble, err
	}
	o = usual.Outcome()
	if stands = slices.Contains(o.Violated(), v); !stands {
		return o, false, trouble, nil
	}
	f.Hash = usual.Hash // one run was the exception: the finding recurs
	if usual.Divergence != nil {
		f.Tape, f.Deviations = usual.Tape, CountDeviations(usual.Tape)
	}
	return o, true, nil, nil
}

// third runs a finding's tape a few times in a process that has not run it yet, when a second run differs from the
// first. If these runs are all alike, and like one of the two, it returns one of them as usual. Trouble says how the
// runs differ, or why there is none.
func (c *confirmer) third(ctx context.Context, f *Found, second *Result) (usual *Result, trouble *Trouble, err error) {
	const attempts = 5
	fresh := c.hand.Worker
	fresh.Kept = nil
	third := confirmer{hand: Hand{Worker: fresh}, cell: c.cell}
	defer third.hand.Close()
	for range attempts {
		other, trouble, err := third.replay(ctx, f.Tape)
		if err != nil || trouble != nil {
			return nil, trouble, err
		}
		if usual == nil && (other.Hash == f.Hash && other.Divergence == nil || other.Hash == second.Hash) {
			usual = other
		}
		if usual == nil || other.Hash != usual.Hash {
			return nil, &Trouble{Kind: Nondeterministic, Reason: "two runs of the same tape differ: " + FirstDifference(second.Recording, other.Recording)}, nil
		}
	}
	reason := fmt.Sprintf("two runs of the same tape differ, but %d more were alike%s", attempts, second.Recording.reasons())
	return usual, &Trouble{Kind: Nondeterministic, Reason: reason}, nil
}

// retape gives a finding the tape of its schedule.
func (c *confirmer) retape(ctx context.Context, f *Found, q Request) (*Trouble, error) {
	q.Cell = c.cell
	tape, err := c.hand.loudTape(ctx, q)
	f.Tape, f.Deviations = tape, CountDeviations(tape)
	var trouble *Trouble
	if errors.As(err, &trouble) {
		return trouble, nil
	}
	return nil, err
}
