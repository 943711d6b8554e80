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
		if v.Status == model.Violated {
			fmt.Printf("%s: %s\n", v.Property, v.Sentence)
			fmt.Printf("  limit %t, because %s\n", v.Limit, model.CauseOf(v.Cause).Text)
		}
	}
	// Output:
	// mutual-exclusion: c1 and c2 both held the lock for 900ms: c1's record expired on r1 while c1 was paused.
	//   limit true, because the holder's process was stopped while its lease ended as granted
	// linearizable: c2 acquired the lock while c1 held it and had not begun to release it: c1's record expired on r1 while c1 was paused.
	//   limit true, because the holder's process was stopped while its lease ended as granted
}

func ExampleFind() {
	p, _ := checker.Find(checker.Fencing)
	fmt.Println(p.About)
	// Output:
	// fencing tokens grow in the order in which the lock was granted
}
