package redislocks

import (
	"context"
	"errors"
	"time"
)

// A ballot is one question to all servers at once, and their answers as they
// come.
type ballot struct {
	votes chan vote
	stop  context.CancelFunc
	done  []chan struct{} // by server: closed when its request is over
}

type vote struct {
	yes bool
	err error
}

// A count is what the servers have answered.
type count struct {
	yes, no int
	failed  []error
}

// ask puts a question to all servers. The requests are not the caller's only:
// they go on when ctx is done, for limit at most or until they are stopped. Where the request of an earlier ballot is
// still under way it is put once more when that is over, since it may be
// executed after this one: that is nobody's vote.
func (l *Redlock) ask(ctx context.Context, limit time.Duration, question func(context.Context, RedlockNode) (bool, error), earlier *ballot) *ballot {
	b := &ballot{votes: make(chan vote, len(l.nodes)), done: make([]chan struct{}, len(l.nodes))}
	ctx, b.stop = context.WithCancel(context.WithoutCancel(ctx))
	for i, node := range l.nodes {
		b.done[i] = make(chan struct{})
		late := earlier != nil && !over(earlier.done[i])
		l.start(func() {
			v := put(ctx, limit, question, node)
			close(b.done[i]) // before anybody knows of the vote
			b.votes <- v
			if late {
				<-earlier.done[i]
				put(ctx, limit, question, node) // nobody waits for it
			}
		})
	}
	return b
}

func put(ctx context.Context, limit time.Duration, question func(context.Context, RedlockNode) (bool, error), node RedlockNode) vote {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	yes, err := question(ctx, node)
	return vote{yes, err}
}

// start runs f in a goroutine that Close waits for; after Close it runs it in
// one that whoever has started it waits for.
func (l *Redlock) start(f func()) {
	l.closing.Lock()
	defer l.closing.Unlock()
	if l.ctx.Err() != nil {
		go f()
		return
	}
	l.running.Go(f)
}

func over(done chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// wait counts until a majority has answered alike, or there can be none, all
// have answered, ctx is done, or it has taken too long. With all it gives the
// rest as much time again as a majority for took, so that the lock stands on more
// than that as a rule.
func (b *ballot) wait(ctx context.Context, l *Redlock, patience time.Duration, all bool) (got count) {
	clock := l.options.Clock
	start := clock.Now()
	timer := clock.NewTimer(patience)
	defer func() { timer.Stop() }()
	for range l.nodes {
		select {
		case v := <-b.votes:
			got.add(v)
		case <-timer.Chan():
			return got
		case <-ctx.Done():
			return got
		}
		switch {
		case got.no+len(got.failed) > len(l.nodes)-l.quorum, got.yes >= l.quorum && !all:
			return got
		case got.yes == l.quorum:
			timer.Stop()
			took := clock.Since(start)
			timer = clock.NewTimer(max(min(took, patience-took), 0))
		}
	}
	return got
}

func (c *count) add(v vote) {
	switch {
	case v.err != nil:
		c.failed = append(c.failed, v.err)
	case v.yes:
		c.yes++
	default:
		c.no++
	}
}

var errSilent = errors.New("the others have not answered in time")

// why is why there was no majority.
func (c count) why(ctx context.Context) error {
	if err := errors.Join(c.failed...); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errSilent
}
