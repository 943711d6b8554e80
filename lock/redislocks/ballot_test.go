package redislocks_test

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// starters notes which goroutine has started the one that sends each request. The first request waits
// until it may go on.
type starters struct {
	redis.Scripter
	first sync.Once
	sent  chan struct{} // closed when the first request is about to be sent
	goOn  <-chan struct{}

	mu   sync.Mutex
	list []string
}

func (s *starters) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	s.mu.Lock()
	s.list = append(s.list, number(bytes.LastIndex, " in goroutine "))
	s.mu.Unlock()
	s.first.Do(func() {
		close(s.sent)
		<-s.goOn
	})
	return s.Scripter.EvalSha(ctx, sha, keys, args...)
}

// number is that of a goroutine behind a mark in the caller's stack: its own is behind the first, that of
// who has started it behind the last.
func number(index func(s, mark []byte) int, mark string) string {
	trace := make([]byte, 64<<10)
	trace = trace[:runtime.Stack(trace, false)]
	rest := trace[index(trace, []byte(mark))+len(mark):]
	return string(rest[:bytes.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })])
}

// TestRedlockStarters: a request that waits until the one before is answered is sent in a goroutine that
// its own caller has started.
func TestRedlockStarters(t *testing.T) {
	_, client := server(t)
	goOn := make(chan struct{})
	node := &starters{Scripter: client, sent: make(chan struct{}), goOn: goOn}
	l := closeAtEnd(t, redislocks.NewRedlock([]redislocks.RedlockNode{node}, name, redislocks.RedlockOptions{NodeTimeout: time.Minute}))
	var all sync.WaitGroup
	var mu sync.Mutex
	callers := map[string]bool{}
	try := func() {
		mu.Lock()
		callers[number(bytes.Index, "goroutine ")] = true
		mu.Unlock()
		_, _ = l.TryAcquire(t.Context()) // one of them gets it
	}
	all.Go(try)
	<-node.sent
	all.Go(try)
	for mu.Lock(); len(callers) < 2; mu.Lock() {
		mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	mu.Unlock()
	time.Sleep(10 * time.Millisecond) // its request is in the queue by then, or else begins it
	close(goOn)
	all.Wait()
	if len(node.list) < 2 || node.list[0] == node.list[1] {
		t.Errorf("requests of %v were sent in goroutines that %v have started", callers, node.list)
	}
	for _, by := range node.list {
		if !callers[by] {
			t.Errorf("goroutine %s has started one that sends, and is no caller: %v", by, callers)
		}
	}
}
