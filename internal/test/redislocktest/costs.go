package redislocktest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	miniserver "github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// Spy records the commands that a client sends, in order, and the number of round trips: a pipeline is one.
type Spy struct {
	mu       sync.Mutex
	commands []string
	trips    int
}

func (s *Spy) note(commands ...redis.Cmder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trips++
	for _, c := range commands {
		s.commands = append(s.commands, c.Name())
	}
}

// Sent returns the number of commands sent since the last Take.
func (s *Spy) Sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.commands)
}

// Take returns the commands, and in brackets the round trips, and clears both.
func (s *Spy) Take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := fmt.Sprintf("%s (%d)", strings.Join(s.commands, " "), s.trips)
	s.commands, s.trips = nil, 0
	return text
}

// DialHook connects as before.
func (s *Spy) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

// ProcessHook records a command.
func (s *Spy) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, c redis.Cmder) error {
		s.note(c)
		return next(ctx, c)
	}
}

// ProcessPipelineHook records the commands of a pipeline.
func (s *Spy) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		if !slices.ContainsFunc(commands, func(c redis.Cmder) bool { return c.Name() == "hello" || c.Name() == "client" }) {
			s.note(commands...)
		}
		return next(ctx, commands)
	}
}

// Cost is what a lock sends, and in brackets the number of round trips: for an acquisition, for a try that fails, and for
// a release, once the server knows its scripts. The part after a bar is what newer versions of go-redis send.
type Cost struct {
	ID                       string
	Acquire, Taken, Released string
}

// Costs compares what the locks, those of the functional tests, send.
func Costs(t *testing.T, locks []Lock, costs []Cost) {
	for _, c := range costs {
		t.Run(c.ID, func(t *testing.T) {
			i := slices.IndexFunc(locks, func(l Lock) bool { return l.ID == c.ID })
			c.compare(t, func(client *redis.Client) lock.Locker { return locks[i].Make(client, redislocks.Options{}) })
		})
	}
}

func (c Cost) compare(t *testing.T, make func(*redis.Client) lock.Locker) {
	m, client := InMemory(t)
	OfferCAD(m)
	l := make(client)
	if err := Acquire(t.Context(), t, l).Release(t.Context()); err != nil { // loads the scripts
		t.Fatal(err)
	}
	s := new(Spy)
	client.AddHook(s)
	l = make(client) // some keep a client of their own
	lease := Acquire(t.Context(), t, l)
	if got := s.Take(); !slices.Contains(strings.Split(c.Acquire, "|"), got) {
		t.Errorf("an acquisition is %s, want %s", got, c.Acquire)
	}
	ctx, cancel := context.WithCancel(t.Context())
	result := Waiting(ctx, l)
	taken := strings.Split(c.Taken, "|")
	for s.Sent() < strings.Count(taken[0], " ") { // until it has asked, and sleeps
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled Acquire says %v", err)
	}
	if got := s.Take(); !slices.ContainsFunc(taken, func(want string) bool {
		commands, _, _ := strings.Cut(want, " (")
		return strings.HasPrefix(got, commands)
	}) {
		t.Errorf("a try that fails is %s, want %s", got, c.Taken)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.Take(); !slices.Contains(strings.Split(c.Released, "|"), got) {
		t.Errorf("a release is %s, want %s", got, c.Released)
	}
}

// OfferCAD makes a miniredis support CAD.
func OfferCAD(m *miniredis.Miniredis) {
	_ = m.Server().Register("CAD", func(c *miniserver.Peer, _ string, args []string) {
		switch value, err := m.Get(args[0]); {
		case err != nil:
			c.WriteInt(-1)
		case value != args[1]:
			c.WriteInt(0)
		default:
			m.Del(args[0])
			c.WriteInt(1)
		}
	})
}
