package operators

import (
	"context"
	"time"

	"k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/kube"
	"github.com/lockpick-dev/lockpick/kube/clientgo"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// The defaults of client-go.
const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
)

const alone = "nobody else writes the object while a leader works"

// Reconcile is an operator whose leader reads and writes one object each second. Without stops, the work has the context of the
// process instead of the leader's, so that it goes on when the elector has stopped.
func Reconcile(stops bool) cell.Program {
	id, summary := "operator-goes-on", "an operator whose work goes on after OnStoppedLeading"
	if stops {
		id, summary = "operator-stops", "an operator whose work ends with the context of OnStartedLeading"
	}
	return cell.Program{
		ID: id, Summary: summary, Flawed: !stops, Stores: []stage.Store{kube.Store}, Rules: []program.Rule{program.Always(alone)},
		Main: func(p *cell.Process) error { return reconcile(p, stops) },
	}
}

// reconcile campaigns again and again, as a process does that is started anew.
func reconcile(p *cell.Process, stops bool) error {
	client, err := coordination.NewForConfig(clientgo.Config(p))
	if err != nil {
		return err
	}
	for n := 1; p.Context().Err() == nil; n++ {
		w := &worker{process: p, client: client, term: identity(p, n)}
		work := w.work
		if !stops {
			work = func(context.Context) { w.work(p.Context()) }
		}
		if err := lead(p.Context(), client, w.term, work, func() {}); err != nil {
			return err
		}
	}
	return nil
}

// worker is the work of a leader in one term.
type worker struct {
	process *cell.Process
	client  coordination.LeasesGetter
	term    string
	wrote   bool
}

// work writes the object each second. What fails is tried again.
func (w *worker) work(ctx context.Context) {
	for ctx.Err() == nil {
		_ = w.write(ctx) // another write may have been first, or nobody answers
		select {
		case <-w.process.Clock().After(time.Second):
		case <-ctx.Done():
		}
	}
}

// write writes the name of the term into the object, which must be there since the first write.
func (w *worker) write(ctx context.Context) error {
	const name = "object"
	objects := w.client.Leases(namespace)
	o, err := objects.Get(ctx, name, metav1.GetOptions{})
	if errors.IsNotFound(err) {
		_, err = objects.Create(ctx, &v1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.LeaseSpec{HolderIdentity: &w.term}}, metav1.CreateOptions{})
		w.wrote = w.wrote || err == nil
		return err
	}
	if err != nil {
		return err
	}
	w.process.Always(!w.wrote || *o.Spec.HolderIdentity == w.term, alone, "the leader", w.term, "finds what", *o.Spec.HolderIdentity, "has written")
	o.Spec.HolderIdentity = &w.term
	_, err = objects.Update(ctx, o, metav1.UpdateOptions{})
	w.wrote = w.wrote || err == nil
	return err
}
