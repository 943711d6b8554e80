package endings_test

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/checker/endings"
	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// The record of c1 is gone at event 4, and c1 still believes that it holds the lock. Whether that is a limit of leases
// depends on what took the record, and on what held c1 up.
func ExampleEndings_CauseNotHeld() {
	at := func(seq int64, millis int) model.Stamp {
		return model.Stamp{Seq: seq, At: time.Duration(millis) * time.Millisecond}
	}
	c1, c2 := model.Origin{Client: "c1", Conn: 1, Op: 1}, model.Origin{Client: "c2", Conn: 2, Op: 2}
	granted := model.Observation{Stamp: at(2, 1), Node: "r1", Kind: model.RecordCreated, Authority: "r1", Key: "lock", Owner: c1, By: c1, ExpiresAt: 2001 * time.Millisecond}
	expired := model.Observation{Stamp: at(4, 2001), Node: "r1", Kind: model.RecordExpired, Authority: "r1", Key: "lock", Owner: c1}
	for _, then := range [][]model.Observation{
		{expired},
		{{Stamp: at(3, 10), Node: "c1", Kind: model.Paused, For: 3 * time.Second}, expired},
		{{Stamp: at(4, 900), Node: "r1", Kind: model.RecordDeleted, Authority: "r1", Key: "lock", Owner: c1, By: c2}},
	} {
		h := &model.History{
			LockName: "lock", TTL: 2 * time.Second,
			Operations: []model.Operation{
				{ID: 1, Client: "c1", Kind: model.Acquire, Acquisition: 1, Call: at(1, 0), Return: at(2, 1), Result: model.OK},
				{ID: 2, Client: "c2", Kind: model.Acquire, Acquisition: 2, Call: at(3, 10), Return: at(5, 2002), Result: model.Failed},
			},
			Observations: append([]model.Observation{granted}, then...),
			End:          at(6, 3003),
		}
		es := endings.New(h, holders.Options{})
		gone := then[len(then)-1].Stamp
		cause := model.CauseOf(es.CauseNotHeld(&es.Claims()[0], gone))
		fmt.Printf("%s, limit: %t, rests on %v\n", cause.ID, cause.Limit, endings.Evidence(cause.ID))
	}
	// Output:
	// held-too-long, limit: false, rests on []
	// holder-stopped, limit: true, rests on [paused]
	// removed-by-another, limit: false, rests on []
}
