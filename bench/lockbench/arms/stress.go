package arms

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/real/stress"
	"github.com/lockpick-dev/lockpick/traces"
)

// stressed is a stress on real servers: rounds in which four client processes use the lock under random faults.
type stressed struct {
	id, name, about string
	// faults makes the faults of a round, whose random source it may keep, and active is how long they act.
	faults func(*rand.Rand) stress.Faults
	active time.Duration
	// fails is set if servers fail: each then has a follower, in stores that replicate.
	fails bool
}

// ID is its letter.
func (s *stressed) ID() string { return s.id }

// Name is its name.
func (s *stressed) Name() string { return s.name }

// About describes it.
func (s *stressed) About() string { return s.about }

// Waits is true: a round mostly waits for delays and leases.
func (*stressed) Waits() bool { return true }

// round is what a replay needs.
type round struct {
	seed   uint64
	active time.Duration
}

// mostErrors is the number of rounds in a row that may end with an error, such as a process of the lock that has ended.
const mostErrors = 3

// Try runs rounds until one violates the property.
func (s *stressed) Try(ctx context.Context, j *trial.Job) (o trial.Outcome, err error) {
	o.Unit = "acquisitions"
	var stand *stress.Stand
	defer func() {
		if stand != nil {
			stand.Stop()
		}
	}()
	failures := 0
	for n := uint64(0); ctx.Err() == nil; n++ {
		if stand == nil {
			if stand, err = s.stand(j); err != nil {
				return o, err
			}
			o.Server = stand.Version()
		}
		seed := j.Seed<<32 + n
		active := min(s.active, time.Duration(n+1)*time.Second) // shorter at first: a round is judged at its end
		got, err := s.round(ctx, stand, round{seed, active})
		if err != nil {
			stand.Stop()
			stand = nil
			if failures++; failures >= mostErrors && ctx.Err() == nil {
				return o, fmt.Errorf("round %d: %w", n, err)
			}
			if ctx.Err() == nil {
				o.Error = err.Error()
			}
			continue
		}
		failures = 0
		o.Tried += got.Acquired
		if v := j.Shown(&got.History, stand.Judge(got, j.Property)); v != nil {
			o.Found, o.Seconds, o.Where, o.Sentence = true, j.Since(), fmt.Sprintf("round %d", n), v.Sentence
			o.Keep(round{seed, active})
			return o, write(j, stand, got)
		}
		if got.Stuck {
			stand.Stop()
			stand = nil
		}
	}
	return o, ctx.Err()
}

// write writes the run of a round as a trace, if the job asks for one.
func write(j *trial.Job, stand *stress.Stand, r *stress.Round) error {
	if j.Trace == "" {
		return nil
	}
	t, err := realclient.Here(stand.Cell).Judge(realclient.Run{Property: j.Property, Seed: j.Seed, Events: r.Events, History: r.History})
	if err != nil {
		return err
	}
	t.Schedule, t.Verdicts, t.Property = 0, stand.Judge(r, j.Property), j.Property
	return traces.WriteFile(j.Trace, t)
}

// round runs a round.
func (s *stressed) round(ctx context.Context, stand *stress.Stand, r round) (*stress.Round, error) {
	return stand.Round(ctx, r.seed, s.faults(rand.New(rand.NewPCG(r.seed, 0))), r.active)
}

// stand starts the servers and processes of a job.
func (s *stressed) stand(j *trial.Job) (*stress.Stand, error) {
	c, err := j.RealCell(0)
	if err == nil && s.fails && c.Lock.Store.ID() == "redis" && c.Params.ServerCount() == 1 {
		c, err = j.RealCell(1)
	}
	if err != nil {
		return nil, err
	}
	program, err := j.Client()
	if err != nil {
		return nil, err
	}
	target := stress.Target{Cell: c, Store: j.Real(confirm.SetupOf(realclient.Here(c).Facts())), Program: program}
	return target.Start()
}

// Replay runs the round that has shown the bug again, with the same seed: real servers do not repeat a run.
func (s *stressed) Replay(ctx context.Context, j *trial.Job, o *trial.Outcome, n int) error {
	what, is := o.Kept().(round)
	if !is {
		return errors.New("there is nothing to replay")
	}
	var stand *stress.Stand
	var err error
	defer func() {
		if stand != nil {
			stand.Stop()
		}
	}()
	for range n {
		if stand == nil {
			if stand, err = s.stand(j); err != nil {
				return err
			}
		}
		got, err := s.round(ctx, stand, what)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		o.Replays++
		if err == nil && j.Shown(&got.History, stand.Judge(got, j.Property)) != nil {
			o.Shown++
		}
		if err != nil || got.Stuck {
			stand.Stop()
			stand = nil
		}
	}
	return nil
}

// upTo returns a random time up to d.
func upTo(r *rand.Rand, d time.Duration) time.Duration { return time.Duration(r.Int64N(int64(d) + 1)) }
