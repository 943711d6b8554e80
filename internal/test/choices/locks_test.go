package choices

import (
	"context"
	crand "crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// Locks are the locks of this package.
func Locks() []cell.Lock {
	list := []cell.Lock{
		{ID: "watchdog", Summary: "selects over a stop channel and a ticker", Subject: polling(watchdog)},
		{ID: "four-channels", Summary: "selects over four channels, two of them tickers of one period", Subject: polling(fourChannels)},
		{ID: "deadline", Summary: "selects over a ticker and a deadline of one instant", Subject: polling(deadline)},
		{ID: "jitter", Summary: "sleeps for a random time of math/rand/v2", Subject: polling(jitter)},
		{ID: "own-thread", Summary: "sleeps for a random time in a goroutine with a thread of its own", Subject: polling(ownThread)},
		{ID: "token", Summary: "reads from crypto/rand.Reader as it was when the program started", Subject: polling(captured)},
		{ID: "map-4", Summary: "makes requests in the order of a map of 4", Subject: polling(inOrderOfMap(4))},
		{ID: "map-20", Summary: "makes requests in the order of a map of 20", Subject: polling(inOrderOfMap(20))},
		{ID: "map-200", Summary: "makes requests in the order of a map of 200", Subject: polling(inOrderOfMap(200))},
		{ID: "mutex", Summary: "hands a mutex from goroutine to goroutine", Subject: polling(mutexes)},
		{ID: "cond", Summary: "hands its turn over by a condition variable", Subject: polling(conds)},
		{ID: "two-sleepers", Summary: "has two goroutines that sleep until one instant", Subject: polling(sleepers)},
	}
	for i := range list {
		list[i].Store = redisstore.Store
	}
	return list
}

// polled is a lock that polls. Choice is what it does while it holds the lock, until stop is closed.
type polled struct {
	*cell.Client
	redis  *redis.Client
	choice func(l *polled, stop <-chan struct{})
}

func polling(choice func(l *polled, stop <-chan struct{})) cell.Subject {
	return cell.Mutex(func(c *cell.Client) lock.Locker {
		client := redis.NewClient(redisstore.Options(c))
		c.Cleanup(func() { _ = client.Close() })
		return &polled{Client: c, redis: client, choice: choice}
	})
}

// dialing connects by itself, to an address, as a library that takes no dialer.
var dialing = cell.Lock{ID: "dialing", Summary: "connects by package net", Store: redisstore.Store, Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
	client := redis.NewClient(&redis.Options{Addr: c.Addresses()[0]})
	c.Cleanup(func() { _ = client.Close() })
	return &polled{Client: c, redis: client, choice: watchdog}
})}

// reader is crypto/rand's as packages such as google/uuid keep it.
var reader = crand.Reader

func (l *polled) Acquire(ctx context.Context) (lock.Lease, error) {
	for ctx.Err() == nil {
		got, err := l.redis.SetNX(ctx, l.LockName(), l.Name(), l.TTL()).Result()
		if err != nil {
			return nil, err
		}
		if got {
			stop, done := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(done)
				l.choice(l, stop)
			}()
			return held{l, stop, done}, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, ctx.Err()
}

type held struct {
	*polled
	stop, done chan struct{}
}

func (h held) Release(ctx context.Context) error {
	close(h.stop)
	<-h.done
	return h.redis.Del(ctx, h.LockName()).Err()
}

// ask makes a request that shows in the run.
func (l *polled) ask(what string) {
	_ = l.redis.Set(context.Background(), what, l.Name(), time.Minute).Err()
}

const period = 20 * time.Millisecond

func watchdog(l *polled, stop <-chan struct{}) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			l.ask("renew")
		}
	}
}

func fourChannels(l *polled, stop <-chan struct{}) {
	one, two := time.NewTicker(period), time.NewTicker(period)
	defer one.Stop()
	defer two.Stop()
	work := make(chan int, 3)
	for {
		select {
		case <-stop:
			return
		case <-one.C:
			l.ask("one")
			work <- 1
		case <-two.C:
			l.ask("two")
		case <-work:
			l.ask("work")
		}
	}
}

func deadline(l *polled, stop <-chan struct{}) {
	for n := 0; ; n++ {
		tick, end := time.NewTicker(period), time.After(5*period)
		for over := false; !over; {
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
				l.ask("tick")
			case <-end:
				l.ask("end")
				over = true
			}
		}
		tick.Stop()
	}
}

func jitter(l *polled, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(period + rand.N(period)):
			l.ask(fmt.Sprint("jitter ", rand.IntN(1000)))
		}
	}
}

func ownThread(l *polled, stop <-chan struct{}) {
	runtime.LockOSThread() // until the goroutine ends
	jitter(l, stop)
}

func captured(l *polled, _ <-chan struct{}) {
	var b [16]byte
	_, _ = io.ReadFull(reader, b[:]) // it never fails
	l.ask(hex.EncodeToString(b[:]))
}

func inOrderOfMap(size int) func(*polled, <-chan struct{}) {
	return func(l *polled, _ <-chan struct{}) {
		keys := map[string]bool{}
		for i := range size {
			keys[fmt.Sprint("key ", i)] = true
		}
		n := 0
		for key := range keys {
			l.ask(key)
			if n++; n == 4 {
				return
			}
		}
	}
}

func mutexes(l *polled, _ <-chan struct{}) {
	var all sync.WaitGroup
	var turn sync.Mutex
	order := ""
	for i := range 4 {
		all.Go(func() {
			for range 3 {
				turn.Lock()
				order += fmt.Sprint(i)
				turn.Unlock()
				time.Sleep(time.Millisecond)
			}
		})
	}
	all.Wait()
	l.ask(order)
}

func conds(l *polled, _ <-chan struct{}) {
	var all sync.WaitGroup
	turn := sync.NewCond(new(sync.Mutex))
	order, next := "", 0
	for i := range 4 {
		all.Go(func() {
			turn.L.Lock()
			defer turn.L.Unlock()
			for next == 0 {
				turn.Wait()
			}
			order += fmt.Sprint(i)
		})
	}
	time.Sleep(time.Millisecond)
	turn.L.Lock()
	next = 1
	turn.L.Unlock()
	turn.Broadcast()
	all.Wait()
	l.ask(order)
}

func sleepers(l *polled, _ <-chan struct{}) {
	var all sync.WaitGroup
	var mu sync.Mutex
	order := ""
	for i := range 2 {
		all.Go(func() {
			time.Sleep(time.Millisecond)
			mu.Lock()
			order += fmt.Sprint(i)
			mu.Unlock()
		})
	}
	all.Wait()
	l.ask(order)
}
