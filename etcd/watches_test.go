package etcd

import (
	"context"
	"slices"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/metadata"

	"github.com/lockpick-dev/lockpick/sim"
)

// asked is a watcher that notes which streams are asked for their progress.
type asked struct {
	clientv3.Watcher
	of []string
}

func (*asked) Watch(context.Context, string, ...clientv3.OpOption) clientv3.WatchChan { return nil }

func (a *asked) RequestProgress(ctx context.Context) error {
	md, _ := metadata.FromOutgoingContext(ctx)
	a.of = append(a.of, md.Get(watchKey)...)
	return nil
}

// TestRequestProgress: the open watches of a caller are asked, each on its stream, and two
// equal ones are noted as nondeterminism.
func TestRequestProgress(t *testing.T) {
	a := &asked{}
	r := sim.Run(sim.Config{}, func(w *sim.World) {
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		all := &watches{Watcher: a, process: p}
		p.Go(func() {
			ctx := context.Background()
			ended, cancel := context.WithCancel(ctx)
			all.Watch(ended, "/ended")
			cancel()
			all.Watch(ctx, "/b", clientv3.WithRev(3))
			all.Watch(ctx, "/a", clientv3.WithPrefix())
			all.Watch(clientv3.WithRequireLeader(ctx), "/other metadata")
			all.Watch(ctx, "/b", clientv3.WithRev(3))
			must(all.RequestProgress(ctx))
		})
	})
	if r.Failure != nil {
		t.Fatalf("%+v", r.Failure)
	}
	if want := []string{`"/a" to "/b" from 0`, `"/b" from 3`}; !slices.Equal(a.of, want) {
		t.Errorf("asked: %q, want %q", a.of, want)
	}
	if !slices.Equal(r.Nondeterminism, []string{twins}) {
		t.Errorf("nondeterminism: %q", r.Nondeterminism)
	}
}
