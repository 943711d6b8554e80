package scenarios

import (
	"context"
	"fmt"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/internal/workload"
)

// NewObject makes an object that is not a mutex for one client process: a [lock.RWLocker],
// a [lock.Semaphore], a [lock.PermitSemaphore], a [lock.Latch], a [lock.Barrier] or a
// [lock.Stock], which may be a [lock.Filler]. It is called once per process and run.
type NewObject func(c *Client) any

// family is the workload of a kind of object.
type family struct {
	// work returns what one thread of the i-th client does with an object that
	// the lock made; false if the object is not what the kind asks for, which
	// wants names.
	work  func(c workload.Client, object any, spec model.Spec, i int) (run func(context.Context), ok bool)
	wants string
}

// families are the kinds that have a workload of their own. All others are used as a
// mutex.
var families = map[model.Kind]family{
	model.KindReadWrite:       {work: readWriteWork, wants: "lock.RWLocker"},
	model.KindSemaphore:       {work: semaphoreWork, wants: "lock.Semaphore"},
	model.KindPermitSemaphore: {work: permitSemaphoreWork, wants: "lock.PermitSemaphore"},
	model.KindLatch:           {work: latchWork, wants: "lock.Latch"},
	model.KindBarrier:         {work: barrierWork, wants: "lock.Barrier"},
	model.KindStock:           {work: stockWork, wants: "lock.Stock"},
	model.KindReentrant:       {work: reentrantWork, wants: "lock.Locker"},
}

func mutexWork(c workload.Client, object any, _ model.Spec, _ int) (func(context.Context), bool) {
	locker, ok := object.(lock.Locker)
	c.Locker = locker
	return c.Run, ok
}

func readWriteWork(c workload.Client, object any, spec model.Spec, i int) (func(context.Context), bool) {
	l, ok := object.(lock.RWLocker)
	w := workload.ReadWrite{Client: c, Lock: l, Writes: (i+c.Thread)%2 == 0, Plain: spec.Plain}
	return w.Run, ok
}

func semaphoreWork(c workload.Client, object any, spec model.Spec, _ int) (func(context.Context), bool) {
	l, ok := object.(lock.Semaphore)
	w := workload.Semaphore{Client: c, Lock: l, Permits: spec.Permits, Rand: c.Process.Rand(fmt.Sprintf("permits/%d", c.Thread))}
	return w.Run, ok
}

func permitSemaphoreWork(c workload.Client, object any, spec model.Spec, i int) (func(context.Context), bool) {
	_, ok := object.(lock.PermitSemaphore)
	run, is := semaphoreWork(c, object, spec, i)
	return run, ok && is
}

func latchWork(c workload.Client, object any, spec model.Spec, _ int) (func(context.Context), bool) {
	l, ok := object.(lock.Latch)
	w := workload.Latch{Client: c, Lock: l, Count: spec.Count}
	return w.Run, ok
}

func barrierWork(c workload.Client, object any, _ model.Spec, _ int) (func(context.Context), bool) {
	l, ok := object.(lock.Barrier)
	w := workload.Barrier{Client: c, Lock: l}
	return w.Run, ok
}

// mostItems is the largest size of an order.
const mostItems = 3

func stockWork(c workload.Client, object any, spec model.Spec, _ int) (func(context.Context), bool) {
	l, ok := object.(lock.Stock)
	w := workload.Stock{Client: c, Lock: l, Most: mostItems, Rand: c.Process.Rand(fmt.Sprintf("orders/%d", c.Thread))}
	for _, n := range spec.Stock {
		w.Items += n
	}
	return w.Run, ok
}

func reentrantWork(c workload.Client, object any, _ model.Spec, _ int) (func(context.Context), bool) {
	locker, ok := object.(lock.Locker)
	c.Locker = locker
	w := workload.Reentrant{Client: c}
	return w.Run, ok
}

// family is the family of the lock's kind.
func (l Lock) family() family {
	if f, ok := families[l.Spec.Kind]; ok {
		return f
	}
	return family{work: mutexWork, wants: "lock.Locker"}
}

// make makes the lock for a client process.
func (l Lock) make(c *Client) any {
	if l.Make != nil {
		return l.Make(c)
	}
	return l.New(c)
}

// work returns what one thread of the i-th client does with the lock. It panics if the
// lock is not of its kind.
func (l Lock) work(c workload.Client, object any, spec model.Spec, i int) func(context.Context) {
	f := l.family()
	run, ok := f.work(c, object, spec, i)
	if !ok {
		made := fmt.Sprintf("a %T", object)
		if object == nil {
			made = "nil"
		}
		panic(fmt.Sprintf("scenarios: lock %s: its constructor returned %s, which is no %s", l.ID, made, f.wants))
	}
	return run
}

// spec is the lock's kind with all its parameters.
func (c Cell) spec() model.Spec {
	s, threads := c.Lock.Spec, c.Params.Clients*c.Params.ThreadCount()
	switch {
	case s.Kind == model.KindPermitSemaphore && s.Permits == 0:
		s.Permits = int64(max(threads-1, 1)) // one has to wait
	case s.Kind == model.KindLatch && s.Count == 0:
		s.Count = int64(threads)
	case s.Kind == model.KindBarrier && s.Parties == 0:
		s.Parties = threads
	}
	return s
}
