package workload

import (
	"github.com/lockpick-dev/lockpick/internal/record"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Granted records that an acquisition has returned with a lease: with its token, which is returned, nil
// if it has none; and later, if the lease reports that, its loss. Fill completes the operation.
// Number distinguishes the acquisition from others of its thread; it is called when the operation is
// recorded.
func Granted(p *sim.Process, call *record.Call, lease lock.Lease, number func() int, fill func(*model.Operation)) (token *int64) {
	if f, fenced := lease.(lock.Fenced); fenced {
		n := f.Token()
		token = &n
	}
	notifier, notifies := lease.(lock.Notifier)
	call.End(model.OK, nil, func(op *model.Operation) {
		op.Notifies = notifies
		if token != nil {
			op.Fenced, op.Token = true, *token
		}
		fill(op)
	})
	if notifies {
		go func() {
			select {
			case <-notifier.Lost():
				call.Lost(number())
			case <-p.Ended():
			}
		}()
	}
	return token
}
