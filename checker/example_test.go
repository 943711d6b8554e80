package checker_test

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
)

// A history is a plain value: here c1 is paused while it holds the lock, its
// key expires, c2 acquires, and c1 goes on as if nothing had happened.
func ExampleCheck() {
	at := func(seq int64, millis int) model.Stamp {
		return model.Stamp{Seq: seq, At: time.Duration(millis) * time.Millisecond}
	}
	c1 := model.Origin{Client: "c1", Conn: 1, Op: 1}
	c2 := model.Origin{Client: "c2", Conn: 2, Op: 2}
	h := &model.History{
		LockName: "lock",
		Operations: []model.Operation{
			{ID: 1, Client: "c1", Kind: model.Acquire, Acquisition: 1, Call: at(1, 0), Return: at(3, 2), Result: model.OK},
			{ID: 2, Client: "c2", Kind: model.Acquire, Acquisition: 2, Call: at(6, 2100), Return: at(8, 2102), Result: model.OK},
			{ID: 3, Client: "c1", Kind: model.Release, Acquisition: 1, Call: at(10, 3002), Return: at(11, 3004), Result: model.Failed, NotHeld: true},
		},
		Observations: []model.Observation{
			{Stamp: at(2, 1), Node: "r1", Kind: model.RecordCreated, Authority: "r1", Key: "lock", Owner: c1, By: c1, ExpiresAt: 2001 * time.Millisecond},
			{Stamp: at(4, 10), Node: "c1", Kind: model.Paused, For: 2990 * time.Millisecond},
			{Stamp: at(5, 2001), Node: "r1", Kind: model.RecordExpired, Authority: "r1", Key: "lock", Owner: c1},
			{Stamp: at(7, 2101), Node: "r1", Kind: model.RecordCreated, Authority: "r1", Key: "lock", Owner: c2, By: c2, ExpiresAt: 4101 * time.Millisecond},
			{Stamp: at(9, 3000), Node: "c1", Kind: model.Resumed},
		},
		End: at(12, 3005),
	}
	for _, v := range checker.Check(h, checker.Options{}) {
		fmt.Printf("%s: %s\n", v.Property, v.Status)
		if v.Status == model.Violated {
			fmt.Println("  " + v.Sentence)
			fmt.Printf("  limit %t, because %s\n", v.Limit, model.CauseOf(v.Cause).Text)
		}
	}
	// Output:
	// mutual-exclusion: violated
	//   c1 and c2 both held the lock for 900ms: c1's record expired on r1 while c1 was paused.
	//   limit true, because the holder's process was stopped while its lease ended as granted
	// linearizable: violated
	//   c2 acquired the lock while c1 held it and had not begun to release it: c1's record expired on r1 while c1 was paused.
	//   limit true, because the holder's process was stopped while its lease ended as granted
	// owner-only-release: holds
	// fencing: not applicable
	// no-lost-update: not applicable
	// progress: not applicable
	// overrun: not applicable
	// lease-honesty: not applicable
	// timely-loss: not applicable
	// truthful-acquire: holds
	// truthful-release: not applicable
	// truthful-extend: not applicable
	// no-orphan: not applicable
	// prompt-cancel: not applicable
	// bounded-wakeup: not applicable
}

func ExampleDescribe() {
	for _, id := range checker.IDs() {
		fmt.Printf("%-20s%s\n", id, checker.Describe(id))
	}
	// Output:
	// mutual-exclusion    no two clients claim the lock at once
	// linearizable        some order of the operations is possible with a correct mutex
	// owner-only-release  nobody removes or overwrites a live lock of another acquisition in the store
	// fencing             fencing tokens grow in the order in which the lock was granted
	// no-lost-update      every accepted write follows from the value that its client had read
	// progress            once the world has healed, each client that waits for the lock gets it within the bound
	// overrun             no access reaches the resource after its client's claim has ended
	// lease-honesty       while a lease says that it is valid, the store has the lock for it
	// timely-loss         the holder of a lease that renews itself, or signals its loss, is told soon after the lease has ended
	// truthful-acquire    Acquire reports success only for a lock that the store has given, and before the lease is over
	// truthful-release    Release reports success only for a lock that was still the acquisition's own
	// release-denied      Release does not remove its own lock and say that it was not held
	// truthful-extend     Extend reports success only for a lock that was held without a gap, and still is
	// no-orphan           an acquisition that failed or was released leaves nothing in the store that blocks others
	// late-orphan         a request that takes effect after its Acquire or Release, or a Release that reports an error, leaves nothing that blocks others
	// prompt-cancel       Acquire, Extend and Release return soon after their context has ended
	// bounded-wakeup      a client that waits for the lock gets it soon after its release, not only when it would have expired
	// busy-wait           a client that waits for the lock does not ask the store again and again without a pause
	// vain-wait           a client stops waiting for the lock when its record has ended with its session
	// fair-order          clients in the lock's queue get the lock in the order in which the store saw them join
}
