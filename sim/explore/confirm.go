package explore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/lockpick-dev/lockpick/sim"
)

// confirmer runs tapes again, in a process of its own, and records them.
type confirmer struct {
	hand Hand
	cell json.RawMessage
}

// replay runs a tape.
func (c *confirmer) replay(ctx context.Context, tape []sim.Choice) (*Result, *Trouble, error) {
	var got *Result
	err := c.hand.Do(ctx, Request{Cell: c.cell, Replay: true, Record: true, Tape: tape}, func(r Result) bool {
		got = &r
		return true
	})
	var trouble *Trouble
	switch {
	case errors.As(err, &trouble):
		return nil, trouble, nil
	case err != nil:
		return nil, nil, err
	case got == nil:
		return nil, nil, errors.New("explore: the worker gave no result")
	}
	return got, got.Trouble, nil
}

// again runs a finding again: its outcome, or how it differs from the first
// time.
func (c *confirmer) again(ctx context.Context, f Found) (Outcome, *Trouble, error) {
	one, trouble, err := c.replay(ctx, f.Tape)
	if err != nil || trouble != nil {
		return Outcome{}, trouble, err
	}
	if one.Hash == f.Hash && one.Divergence == nil {
		return one.Outcome(), nil, nil
	}
	const attempts = 5
	for range attempts {
		other, trouble, err := c.replay(ctx, f.Tape)
		if err != nil || trouble != nil {
			return Outcome{}, trouble, err
		}
		if other.Hash != one.Hash {
			return Outcome{}, &Trouble{Kind: Nondeterministic, Reason: "two runs of the same tape differ: " + FirstDifference(one.Recording, other.Recording)}, nil
		}
	}
	return Outcome{}, &Trouble{Kind: Nondeterministic, Reason: fmt.Sprintf("two runs of the same tape differ, but %d more were alike", attempts)}, nil
}
