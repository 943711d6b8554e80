package electors

import (
	"context"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// requests are those of one elector, which makes one after another. Its Run does not return what fails.
type requests struct {
	resourcelock.Interface
	failed error // the last, or nil
}

// Get reads the Lease.
func (r *requests) Get(ctx context.Context) (record *resourcelock.LeaderElectionRecord, raw []byte, err error) {
	record, raw, err = r.Interface.Get(ctx)
	r.failed = err
	return record, raw, err
}

// Create writes a new Lease.
func (r *requests) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	r.failed = r.Interface.Create(ctx, record)
	return r.failed
}

// Update writes the Lease.
func (r *requests) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	r.failed = r.Interface.Update(ctx, record)
	return r.failed
}
