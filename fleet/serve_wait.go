package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/fleet/internal/bucket"
	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/internal/command"
)

// readers is the number of objects read at a time: a distant bucket takes some 50 ms for each.
const readers = 32

// got is a result that was read.
type got struct {
	kept   bucket.Kept
	result *pieces.Result
	made   pieces.Made
	err    error
}

// readAll reads results, several at a time, and calls each in their order until it returns false or an error.
func (s *serving) readAll(ctx context.Context, list []bucket.Kept, each func(got) (more bool, err error)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ahead := make(chan chan got, readers)
	go func() {
		defer close(ahead)
		for _, k := range list {
			one := make(chan got, 1)
			select {
			case ahead <- one:
			case <-ctx.Done():
				return
			}
			go func() {
				r, made, err := s.bucket.Read(ctx, s.hash, k)
				one <- got{k, r, made, err}
			}()
		}
	}()
	for one := range ahead {
		if more, err := each(<-one); err != nil || !more {
			return err
		}
	}
	return ctx.Err()
}

// scan reads the new results in the bucket. Begun is set for the first scan.
func (s *serving) scan(ctx context.Context, begun bool) error {
	all, err := s.bucket.Results(ctx)
	if err != nil {
		return err
	}
	var fresh []bucket.Kept
	for _, k := range all {
		switch {
		case !s.track.plan.Has(k.Range):
			s.once("the object %s is not a piece of this search, and is left out", k.Name())
		case !s.track.has(k):
			fresh = append(fresh, k)
		}
	}
	err = s.readAll(ctx, fresh, func(g got) (bool, error) {
		if err := s.usable(ctx, g); err != nil || g.err != nil {
			return true, err
		}
		if differ := s.track.add(g.kept, g.result, g.made, begun); differ != nil {
			return false, s.nondeterministic(ctx, g.kept, differ)
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	asides, err := s.bucket.Asides(ctx)
	for _, a := range s.track.setAside(asides) {
		s.once("set aside after %d tries: %s: %s; the rest of the search goes on, and --retry hands out again what was set aside", a.Tries, spanText(a.Range()), a.Error)
	}
	return err
}

// usable reports a damaged result, and removes it.
func (s *serving) usable(ctx context.Context, g got) error {
	var damaged *bucket.Damaged
	if !errors.As(g.err, &damaged) {
		return g.err
	}
	s.once("%v; it is removed, and searched anew: %s", g.err, spanText(g.kept.Range))
	return s.bucket.Remove(ctx, g.kept)
}

// nondeterministic returns the error of a search with two results of one piece.
func (s *serving) nondeterministic(ctx context.Context, k bucket.Kept, differ []sent) error {
	s.end(ctx, "two workers have different results")
	return command.Nondeterministic{Err: fmt.Errorf("there are two results of %s: %v and %v, both in the bucket %s below pieces/: the search is not deterministic, or a worker sends what it has not searched, so none of it can be trusted; see simrun doctor",
		spanText(k.Range), differ[0], differ[1], s.bucket)}
}

// The pauses between two looks at the bucket: when reports have come in, when the queue is empty, and otherwise.
const (
	soon  = 500 * time.Millisecond
	later = 30 * time.Second
)

// wait waits until all pieces have results, or are set aside.
func (s *serving) wait(ctx context.Context) error {
	tick := time.NewTicker(soon)
	defer tick.Stop()
	looked, told := time.Now(), time.Time{}
	for len(s.track.open()) > 0 {
		select {
		case <-ctx.Done():
			s.say("interrupted; the same command goes on with what is in %s", s.bucket)
			return ctx.Err()
		case <-tick.C:
		}
		if err := s.queue.Refused(s.flags.access(s.flags.NATS)); err != nil {
			return err
		}
		if time.Since(told) > 2*time.Second {
			s.show(s.status(ctx))
			told = time.Now()
		}
		news := false
		select {
		case <-s.news:
			news = true
		default:
		}
		if !news && time.Since(looked) < later {
			if idle, err := s.idle(ctx); err != nil || !idle {
				continue
			}
		}
		if err := s.scan(ctx, false); err != nil {
			if !s.again(ctx, err) {
				return err
			}
			pause(ctx, time.Second)
		}
		looked = time.Now()
		if idle, err := s.idle(ctx); err == nil && idle { // pieces that the queue has lost are handed out again
			if err := s.handOut(ctx); err != nil && !s.again(ctx, err) {
				return err
			}
		}
	}
	s.show(s.status(ctx))
	return nil
}

// idle reports whether neither the queue nor a worker has a piece.
func (s *serving) idle(ctx context.Context) (bool, error) {
	waiting, out, _, err := s.queue.Counts(ctx)
	return waiting+out == 0, err
}

// again reports whether trying again may help.
func (s *serving) again(ctx context.Context, err error) bool {
	var differ command.Nondeterministic
	if ctx.Err() != nil || errors.As(err, &differ) {
		return false
	}
	s.once("%v; it is tried again", err)
	return true
}

// merge merges all results. It returns none if one of them is damaged: its piece is open again.
func (s *serving) merge(ctx context.Context) (*pieces.Merge, bool, error) {
	if err := s.scan(ctx, false); err != nil { // results that have arrived since, and may differ
		return nil, false, err
	}
	list, missing := s.track.results()
	m := pieces.NewMerge(s.track.plan)
	whole := true
	err := s.readAll(ctx, list, func(g got) (bool, error) {
		if err := s.usable(ctx, g); err != nil {
			return false, err
		}
		if g.err != nil {
			s.track.forget(g.kept)
			whole = false
			return true, nil
		}
		return m.Add(g.result)
	})
	if err != nil || !whole {
		return nil, missing, err
	}
	return m, missing, nil
}

// status returns the state of the search, with the queue's counts.
func (s *serving) status(ctx context.Context) Status {
	st := s.track.status()
	st.Title, st.Bucket, st.Planned, st.Over = s.search.Title(), s.bucket.String(), s.search.Schedules(), s.fleet.Over
	for i, name := range s.search.Happenings() {
		if i >= len(st.Happened) {
			st.Happened = append(st.Happened, Happening{})
		}
		st.Happened[i].Name = name
	}
	if s.queue != nil {
		ctx, stop := context.WithTimeout(ctx, 2*time.Second)
		defer stop()
		st.Waiting, st.Out, st.Again, _ = s.queue.Counts(ctx) // they are only informative
	}
	return st
}

// show passes the state to all watchers.
func (s *serving) show(st Status) {
	var all sync.WaitGroup
	for _, w := range s.watch {
		all.Go(func() { w.saw(st) })
	}
	all.Wait()
}

// unwatch ends the watchers.
func (s *serving) unwatch() (err error) {
	for _, w := range s.watch {
		err = errors.Join(err, w.close())
	}
	return err
}

// watchers creates the requested watchers.
func (s *serving) watchers(ctx context.Context) error {
	if s.flags.Page != "" {
		p, err := newPage(s.flags.Page, s.sayer)
		if err != nil {
			return command.Usage{Err: err}
		}
		s.watch = append(s.watch, p)
	}
	if metricsAsked() {
		m, err := newMetrics(ctx, nil)
		if err != nil {
			return command.Usagef("metrics cannot be sent as the variables OTEL_EXPORTER_OTLP_... say: %w", err)
		}
		s.watch = append(s.watch, m)
	}
	return nil
}
