package operators

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/kube"
	"github.com/lockpick-dev/lockpick/kube/clientgo"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

const leadsOn = "a leader leads on while nothing fails"

// workers is how many objects a leader reads at a time: 60 requests at five each second, client-go's default, are more than
// the deadline of the renewals.
const workers = 60

// Renew is an operator whose leader reads many objects. If its election is apart it has a client of its own, without a rate limiter.
func Renew(apart bool) cell.Program {
	id, summary := "operator-shares-limiter", "an operator whose renewals wait for the rate limiter of its work"
	if apart {
		id, summary = "operator-renews-apart", "an operator whose elector has a client of its own"
	}
	return cell.Program{
		ID: id, Summary: summary, Flawed: !apart, Stores: []stage.Store{kube.Store}, Rules: []program.Rule{program.Always(leadsOn)}, Lasts: time.Minute,
		Main: func(p *cell.Process) error { return renew(p, apart) },
	}
}

// renew campaigns once.
func renew(p *cell.Process, apart bool) error {
	config := clientgo.Config(p)
	config.QPS = 0 // client-go's default: five requests each second, ten at once
	client, err := coordination.NewForConfig(config)
	if err != nil {
		return err
	}
	election := client
	if apart {
		if election, err = coordination.NewForConfig(clientgo.Config(p)); err != nil {
			return err
		}
	}
	var led atomic.Bool
	work := func(ctx context.Context) {
		led.Store(true)
		for i := range workers {
			go read(ctx, client, i)
			time.Sleep(time.Millisecond) // of simulated time: the objects come one after another
		}
	}
	return lead(p.Context(), election, identity(p, 1), work, func() {
		p.Always(!led.Load() || p.Context().Err() != nil, leadsOn, p.Name(), "has lost its Lease")
	})
}

// read reads an object again and again.
func read(ctx context.Context, client coordination.LeasesGetter, i int) {
	name := fmt.Sprintf("object-%d", i)
	for ctx.Err() == nil {
		_, _ = client.Leases(namespace).Get(ctx, name, metav1.GetOptions{}) // it is not there
	}
}
