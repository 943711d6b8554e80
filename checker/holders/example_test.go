package holders_test

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// The record of c1 expires at event 4. Until then c1 has the lock, though it releases it only at event 6.
func ExampleHolders_At() {
	at := func(seq int64, millis int) model.Stamp {
		return model.Stamp{Seq: seq, At: time.Duration(millis) * time.Millisecond}
	}
	c1 := model.Origin{Client: "c1", Conn: 1, Op: 1}
	h := &model.History{
		LockName: "lock",
		Operations: []model.Operation{
			{ID: 1, Client: "c1", Kind: model.Acquire, Acquisition: 1, Call: at(1, 0), Return: at(3, 2), Result: model.OK},
			{ID: 2, Client: "c1", Kind: model.Release, Acquisition: 1, Call: at(6, 3000), Return: at(7, 3002), Result: model.Failed, NotHeld: true},
		},
		Observations: []model.Observation{
			{Stamp: at(2, 1), Node: "r1", Kind: model.RecordCreated, Authority: "r1", Key: "lock", Owner: c1, By: c1, ExpiresAt: 2001 * time.Millisecond},
			{Stamp: at(4, 2001), Node: "r1", Kind: model.RecordExpired, Authority: "r1", Key: "lock", Owner: c1},
		},
		End: at(8, 3003),
	}
	hs := holders.New(h, holders.Options{})
	for _, seq := range []int64{3, 5} {
		acquisitions, _ := hs.At(seq)
		fmt.Print("event ", seq, ":")
		for _, x := range acquisitions {
			fmt.Print(" ", x.Client)
		}
		for _, i := range hs.ClaimsOf(1) {
			fmt.Println(", claimed:", hs.Claims()[i].Stands(hs.StampOf(seq)))
		}
	}
	// Output:
	// event 3: c1, claimed: true
	// event 5:, claimed: true
}
