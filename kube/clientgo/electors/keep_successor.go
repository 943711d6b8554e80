package electors

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// ErrSuccessor is the error of a release of a Lease that another has by now.
var ErrSuccessor = errors.New("electors: another has the Lease by now")

// KeepSuccessor returns a lock that refuses to release a Lease that names another: a cure for client-go from v0.34 to
// v0.37. Its elector reads the Lease before it releases it, for the version, and does not look whose it is.
func KeepSuccessor(l resourcelock.Interface) resourcelock.Interface {
	return &keepSuccessor{Interface: l}
}

type keepSuccessor struct {
	resourcelock.Interface
	holder string // as it was read or written last
}

// Get reads the Lease.
func (l *keepSuccessor) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := l.Interface.Get(ctx)
	if err == nil {
		l.holder = record.HolderIdentity
	}
	return record, raw, err
}

// Create writes a new Lease.
func (l *keepSuccessor) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	err := l.Interface.Create(ctx, r)
	if err == nil {
		l.holder = r.HolderIdentity
	}
	return err
}

// Update writes the Lease, unless that would release another's.
func (l *keepSuccessor) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	if r.HolderIdentity == "" && l.holder != l.Identity() {
		return fmt.Errorf("%w: %s", ErrSuccessor, l.holder)
	}
	err := l.Interface.Update(ctx, r)
	if err == nil {
		l.holder = r.HolderIdentity
	}
	return err
}
