package etcd

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/metadata"

	"github.com/lockpick-dev/lockpick/sim"
)

// watchKey is the metadata with the keys of a watch.
const watchKey = "lockpick-watch"

// watches gives each watch a stream of its own. The library has a stream for each set of
// metadata. It creates the watches of a stream in the order in which the scheduler let their
// goroutines ask, and creates them again in the order of a map when a connection has ended.
type watches struct {
	clientv3.Watcher
	process *sim.Process

	mu   sync.Mutex
	open []openWatch
}

// openWatch is a watch whose context had not ended when the next was made.
type openWatch struct {
	ctx  context.Context
	of   string // the caller's metadata
	what string
}

// Watch watches a key, or a range of keys. If the context has ended, it makes no request,
// since the library would select at random between requesting and giving up.
func (w *watches) Watch(ctx context.Context, key string, opts ...clientv3.OpOption) clientv3.WatchChan {
	if ctx.Err() != nil {
		closed := make(chan clientv3.WatchResponse)
		close(closed)
		return closed
	}
	one := openWatch{ctx, printed(tag(ctx, w.process)), watched(clientv3.OpGet(key, opts...))}
	w.note(one)
	return w.Watcher.Watch(one.tagged(ctx, w.process), key, opts...)
}

// tagged adds the metadata of the watch's stream to a context.
func (o openWatch) tagged(ctx context.Context, p *sim.Process) context.Context {
	return metadata.AppendToOutgoingContext(tag(ctx, p), watchKey, o.what)
}

// watched returns the subject of a watch as text: keys, from a revision.
func watched(what clientv3.Op) string {
	keys := strconv.QuoteToASCII(string(what.KeyBytes()))
	if end := what.RangeBytes(); end != nil {
		keys += " to " + strconv.QuoteToASCII(string(end))
	}
	return keys + " from " + strconv.FormatInt(what.Rev(), 10)
}

// printed returns the metadata of a context as text.
func printed(ctx context.Context) string {
	md, _ := metadata.FromOutgoingContext(ctx)
	return fmt.Sprint(md) // it prints maps in the order of their keys
}

// twins is the reason why runs with two equal watches may differ.
const twins = "a process watches the same keys twice from the same revision, so that both watches share a stream: " +
	"when its connection has ended, the order in which the library asks for them again is that of a map"

// note adds a watch to the open ones.
func (w *watches) note(one openWatch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = slices.DeleteFunc(w.open, func(o openWatch) bool { return o.ctx.Err() != nil })
	if slices.ContainsFunc(w.open, func(o openWatch) bool { return o.of == one.of && o.what == one.what }) {
		w.process.NoteNondeterminism(twins)
	}
	w.open = append(w.open, one)
}

// RequestProgress requests the progress of the calling thread's watches that have the
// metadata of the context, as the library does.
func (w *watches) RequestProgress(ctx context.Context) error {
	for _, what := range w.of(printed(tag(ctx, w.process))) {
		if err := w.Watcher.RequestProgress(openWatch{what: what}.tagged(ctx, w.process)); err != nil {
			return err
		}
	}
	return nil
}

// of lists the subjects of the open watches with the caller's metadata.
func (w *watches) of(caller string) (list []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, o := range w.open {
		if o.of == caller && o.ctx.Err() == nil {
			list = append(list, o.what)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
