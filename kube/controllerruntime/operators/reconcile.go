package operators

import (
	"context"
	"fmt"
	"time"

	"k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/kube"
	"github.com/lockpick-dev/lockpick/kube/clientgo"
	"github.com/lockpick-dev/lockpick/kube/controllerruntime"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// namespace is that of all objects.
const namespace = "default"

const alone = "nobody else writes the object while a leader works"

// Reconcile is an operator whose runnable reads and writes one object each second. Without stops, the work has the context of the
// process instead of the runnable's, so that it goes on when the manager has ended.
func Reconcile(stops bool) cell.Program {
	id, summary := "manager-goes-on", "an operator whose runnable ignores the end of its manager"
	if stops {
		id, summary = "manager-stops", "an operator whose runnable ends with the context that its manager gives it"
	}
	return cell.Program{
		ID: id, Summary: summary, Flawed: !stops, Stores: []stage.Store{kube.Store}, Rules: []program.Rule{program.Always(alone)},
		Main: func(p *cell.Process) error {
			for n := 1; p.Context().Err() == nil; n++ {
				if err := manage(p, fmt.Sprintf("%s_%d_%d", p.Name(), p.Life(), n), stops); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// manage runs a manager until its process or its Lease ends.
func manage(p *cell.Process, term string, stops bool) error {
	config := clientgo.Config(p)
	options, err := controllerruntime.Options(config, namespace, "leader", term)
	if err != nil {
		return err
	}
	options.LeaderElectionReleaseOnCancel = true
	m, err := manager.New(config, options)
	if err != nil {
		return err
	}
	w := &worker{process: p, client: m.GetClient(), term: term}
	err = m.Add(manager.RunnableFunc(func(ctx context.Context) error {
		if !stops {
			ctx = p.Context()
		}
		w.work(ctx)
		return nil
	}))
	if err != nil {
		return err
	}
	_ = m.Start(p.Context()) // the manager has lost its Lease, or the process ends
	return nil
}

// worker is the work of a leader in one term.
type worker struct {
	process *cell.Process
	client  client.Client
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
	o := &v1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "object"}}
	put := w.client.Update
	switch err := w.client.Get(ctx, client.ObjectKeyFromObject(o), o); {
	case errors.IsNotFound(err):
		put = func(ctx context.Context, o client.Object, _ ...client.UpdateOption) error {
			return w.client.Create(ctx, o)
		}
	case err != nil:
		return err
	default:
		w.process.Always(!w.wrote || *o.Spec.HolderIdentity == w.term, alone, "the leader", w.term, "finds what", *o.Spec.HolderIdentity, "has written")
	}
	o.Spec.HolderIdentity = &w.term
	err := put(ctx, o)
	w.wrote = w.wrote || err == nil
	return err
}
