package redislocks_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/internal/test/redislocktest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// counterFunc is a counter that does as it is set up.
type counterFunc func() (int64, error)

func (f counterFunc) Next(context.Context) (int64, error) { return f() }

// TestFencedElsewhere: a lock that was lost while its number was fetched is no
// lock, and one whose number cannot be had is given back.
func TestFencedElsewhere(t *testing.T) {
	errCounter := errors.New("no number today")
	m, client := server(t)
	clock := clockwork.NewFakeClock()
	var n int64
	var lose, fail bool
	l := redislocks.NewSetPXFencedElsewhere(client, counterFunc(func() (int64, error) {
		if fail {
			return 0, errCounter
		}
		if lose {
			lose = false
			m.Del(name)
		}
		n++
		return n, nil
	}), name, redislocks.Options{TTL: time.Minute, Clock: clock})

	lose = true
	result := make(chan lock.Lease, 1)
	go func() {
		lease, err := l.Acquire(t.Context())
		if err != nil {
			t.Error(err)
		}
		result <- lease
	}()
	if err := clock.BlockUntilContext(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	clock.Advance(time.Second)
	lease := <-result
	if token := lease.(lock.Fenced).Token(); token != 2 {
		t.Errorf("the token is %d, want 2: the first was for a lock that was lost", token)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Error(err)
	}

	fail = true
	if _, err := l.Acquire(t.Context()); !errors.Is(err, errCounter) || m.Exists(name) {
		t.Errorf("Acquire says %v; the key exists: %v", err, m.Exists(name))
	}
}

// TestRedisCounter: a number that too few replicas know is not given out.
func TestRedisCounter(t *testing.T) {
	m, client := server(t)
	replicas := 1
	asked := redislocktest.AnswerWait(m, func() int { return replicas })
	for _, test := range []struct {
		want, have int
		says       string
	}{{0, 0, ""}, {1, 1, ""}, {2, 1, "1 replicas that know its number, want 2"}} {
		replicas = test.have
		before, _ := m.Get("counter")
		got, err := redislocks.NewRedisCounter(client, "counter", test.want).Next(t.Context())
		if after, _ := m.Get("counter"); after == before {
			t.Error("it has not counted")
		}
		if test.says == "" && (err != nil || got == 0) || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%+v: %d, %v", test, got, err)
		}
	}
	if len(*asked) != 2 {
		t.Errorf("asked to WAIT %d times, want 2", len(*asked))
	}
}
