package cell

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/lockpick-dev/lockpick/cell/internal/workload"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/traces"
)

// A Subject is the thing under test that the client processes run: a kind of lock, with the
// constructor that makes it for a process. [Mutex], [ReadWrite], [Semaphore] and others
// return one.
//
// The constructor is called once per client process and run. The threads of the process share
// the object that it makes. If it is an [io.Closer], it is closed at the end of the run.
type Subject interface {
	// Spec is the kind of object. Parameters that are 0 depend on the number of threads; see
	// [Client.Spec] for them.
	Spec() model.Spec
	// check returns an error if the subject is invalid.
	check() error
	// rules are the subject's properties beside the checker's, and usual reports whether a
	// property of the checker is judged by default.
	rules() []checker.Property
	usual(l Lock, p Params, of *checker.Property) bool
	// shape sets the parameters that the subject fixes.
	shape(p *Params)
	// actors are the lanes of a run beside those of processes and servers.
	actors() []traces.Actor
	// constructor is the function that makes the object for a process, nil for a program.
	constructor() any
	// join makes the object for a client process.
	join(c *Client) (member, error)
}

// member is a client process with its object.
type member struct {
	object any
	// thread returns the workload of a thread of the i-th client process.
	thread func(w workload.Client, i int) func(context.Context)
}

// object is a subject whose constructor makes a T.
type object[T any] struct {
	spec model.Spec
	make func(*Client) T
	// work returns the workload of a thread of the i-th client process.
	work func(w workload.Client, made T, spec model.Spec, i int) func(context.Context)
}

func (o object[T]) Spec() model.Spec { return o.spec }

func (object[T]) rules() []checker.Property { return nil }

func (object[T]) usual(l Lock, p Params, of *checker.Property) bool {
	return of.Usual() || of.Weak && p.Weak > 0 || of.Promised && l.promises(of.ID)
}

// shape raises the number of crashes to the number of permits, and the number of clients to one more. A
// semaphore that loses the permits of crashed clients shows it only when none is left and a client waits.
func (o object[T]) shape(p *Params) {
	permits := int(min(o.spec.Permits, mostCrashes))
	if times := p.Faults.Of(faults.Crashes); times > 0 && times < permits {
		p.Faults = p.Faults.With(faults.Crashes, permits)
		p.Clients = max(p.Clients, permits+1)
	}
}

// mostCrashes is the largest number of permits for which runs are large enough to lose
// all.
const mostCrashes = 4

func (object[T]) actors() []traces.Actor {
	return []traces.Actor{{Name: "resource", Kind: traces.ResourceActor}}
}

func (o object[T]) check() error {
	if o.make == nil {
		return errors.New("its constructor is nil")
	}
	return shared(o.spec, 1).Validate()
}

func (o object[T]) constructor() any { return o.make }

func (o object[T]) join(c *Client) (m member, err error) {
	made := o.make(c)
	if any(made) == nil {
		return m, fmt.Errorf("its constructor returned nil, which is no %v", reflect.TypeFor[T]())
	}
	c.closeAtEnd(made)
	return member{made, func(w workload.Client, i int) func(context.Context) { return o.work(w, made, c.spec, i) }}, nil
}

// Mutex is a lock that one client holds at a time. It may be re-entrant, fair or fenced. Its
// clients take it once at a time, and it may grant waiters in any order.
func Mutex(newLock NewLock) Subject {
	return object[lock.Locker]{spec: model.Spec{Kind: model.KindMutex}, make: newLock, work: mutexWork}
}

// Reentrant is a mutex whose owner, named by [lock.WithOwner], acquires it again while it holds
// it, and releases it as often.
func Reentrant(newLock NewLock) Subject {
	return object[lock.Locker]{spec: model.Spec{Kind: model.KindReentrant}, make: newLock, work: reentrantWork}
}

// ReadWrite is a lock that many readers or one writer hold at a time. Readers acquire it again
// while they hold it, and writers become readers.
func ReadWrite(newLock func(*Client) lock.RWLocker) Subject {
	return object[lock.RWLocker]{spec: model.Spec{Kind: model.KindReadWrite}, make: newLock, work: readWriteWork}
}

// PlainReadWrite is a [ReadWrite] whose owners cannot take either side of it again.
func PlainReadWrite(newLock func(*Client) lock.RWLocker) Subject {
	return object[lock.RWLocker]{spec: model.Spec{Kind: model.KindReadWrite, Plain: true}, make: newLock, work: readWriteWork}
}

// Semaphore has a number of permits, of which clients take several at once. If permits is 0,
// it has one fewer than there are threads, so that one thread has to wait; [Client.Spec] has
// the number.
func Semaphore(permits int, newLock func(*Client) lock.Semaphore) Subject {
	return object[lock.Semaphore]{spec: model.Spec{Kind: model.KindSemaphore, Permits: int64(permits)}, make: newLock, work: semaphoreWork}
}

// PermitSemaphore is a [Semaphore] whose permits have an ID and a lease each. Clients take one
// at a time.
func PermitSemaphore(permits int, newLock func(*Client) lock.PermitSemaphore) Subject {
	return object[lock.PermitSemaphore]{
		spec: model.Spec{Kind: model.KindPermitSemaphore, Permits: int64(permits)}, make: newLock,
		work: func(w workload.Client, made lock.PermitSemaphore, spec model.Spec, i int) func(context.Context) {
			return semaphoreWork(w, made, spec, i)
		},
	}
}

// Latch is closed until it has been counted down to zero. Each thread counts down once:
// the count is their number, which [Client.Spec] has.
func Latch(newLock func(*Client) lock.Latch) Subject {
	return object[lock.Latch]{spec: model.Spec{Kind: model.KindLatch}, make: newLock, work: latchWork}
}

// Barrier lets its parties go on when all have arrived, and begins again. Each thread is
// a party; [Client.Spec] has their number.
func Barrier(newLock func(*Client) lock.Barrier) Subject {
	return object[lock.Barrier]{spec: model.Spec{Kind: model.KindBarrier}, make: newLock, work: barrierWork}
}

// Stock is a stock of items from which clients serve orders; items is the initial number.
// Clients refill a stock that is a [lock.Filler].
func Stock(items int, newLock func(*Client) lock.Stock) Subject {
	return object[lock.Stock]{spec: model.Spec{Kind: model.KindStock, Stock: []int64{int64(items)}}, make: newLock, work: stockWork}
}

func mutexWork(c workload.Client, l lock.Locker, _ model.Spec, _ int) func(context.Context) {
	c.Locker = l
	return c.Run
}

func reentrantWork(c workload.Client, l lock.Locker, _ model.Spec, _ int) func(context.Context) {
	c.Locker = l
	w := workload.Reentrant{Client: c}
	return w.Run
}

func readWriteWork(c workload.Client, l lock.RWLocker, spec model.Spec, i int) func(context.Context) {
	w := workload.ReadWrite{Client: c, Lock: l, Writes: (i+c.Thread)%2 == 0, Plain: spec.Plain}
	return w.Run
}

func semaphoreWork(c workload.Client, l lock.Semaphore, spec model.Spec, _ int) func(context.Context) {
	w := workload.Semaphore{Client: c, Lock: l, Permits: spec.Permits, Rand: c.Process.Rand(fmt.Sprintf("permits/%d", c.Thread))}
	return w.Run
}

func latchWork(c workload.Client, l lock.Latch, spec model.Spec, _ int) func(context.Context) {
	w := workload.Latch{Client: c, Lock: l, Count: spec.Count}
	return w.Run
}

func barrierWork(c workload.Client, l lock.Barrier, _ model.Spec, _ int) func(context.Context) {
	w := workload.Barrier{Client: c, Lock: l}
	return w.Run
}

// mostItems is the largest size of an order.
const mostItems = 3

func stockWork(c workload.Client, l lock.Stock, spec model.Spec, _ int) func(context.Context) {
	w := workload.Stock{Client: c, Lock: l, Most: mostItems, Rand: c.Process.Rand(fmt.Sprintf("orders/%d", c.Thread))}
	for _, n := range spec.Stock {
		w.Items += n
	}
	return w.Run
}

// shared is a kind of object, with the parameters that depend on the number of the threads
// that share it.
func shared(s model.Spec, threads int) model.Spec {
	switch {
	case (s.Kind == model.KindSemaphore || s.Kind == model.KindPermitSemaphore) && s.Permits == 0:
		s.Permits = int64(max(threads-1, 1)) // one has to wait
	case s.Kind == model.KindLatch:
		s.Count = int64(threads)
	case s.Kind == model.KindBarrier:
		s.Parties = threads
	}
	return s
}
