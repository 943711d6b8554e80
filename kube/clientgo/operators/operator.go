package operators

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/lockpick-dev/lockpick/cell"
)

// namespace is that of all objects.
const namespace = "default"

// lead runs an elector with client-go's defaults until ctx ends or its process does not lead any more. Work begins
// when it leads, and should end with its context. The Lease is not released.
func lead(ctx context.Context, client coordination.LeasesGetter, identity string, work func(context.Context), stopped func()) error {
	l := &resourcelock.LeaseLock{
		LeaseMeta: metav1.ObjectMeta{Namespace: namespace, Name: "leader"}, Client: client,
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
	}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: l, LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: work, OnStoppedLeading: stopped},
	})
	if err != nil {
		return err
	}
	elector.Run(ctx)
	return nil
}

// identity is the name of a term of a process.
func identity(p *cell.Process, term int) string {
	return fmt.Sprintf("%s_%d_%d", p.Name(), p.Life(), term)
}
