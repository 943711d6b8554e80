package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/lockpick-dev/lockpick/fleet/internal/bucket"
	"github.com/lockpick-dev/lockpick/fleet/internal/message"
	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/fleet/internal/queue"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// workCmd searches pieces for a server.
type workCmd struct {
	NATS     string        `name:"nats" default:"nats://127.0.0.1:4222" help:"The address of simrun fleet serve, or of the cluster that it uses (default ${default})." placeholder:"URL"`
	Bucket   string        `help:"The server's bucket as this machine sees it, if it has another path or address here." placeholder:"URL"`
	Jobs     int           `default:"${cpus}" help:"How many pieces to search at a time, one processor each, 1 to 256 (default: one for each core, ${cpus} here)." placeholder:"J"`
	Patience time.Duration `default:"10m" help:"How long to wait for a server that has gone away, or for a bucket that cannot be written (default ${default})." placeholder:"D"`
	AnyBuild bool          `name:"any-build" help:"Take part although another build of the program began the search."`
	accessFlags
}

// Validate checks what kong cannot.
func (c *workCmd) Validate() error {
	if c.Jobs < 1 || c.Jobs > 256 {
		return fmt.Errorf("--jobs=%d: want 1 to 256", c.Jobs)
	}
	return nil
}

// worker searches pieces.
type worker struct {
	*sayer
	flags    *workCmd
	name     string
	queue    *queue.Queue
	fleet    *message.Fleet
	bucket   *bucket.Bucket
	search   command.Search
	hash     string
	version  string
	have     sync.Map     // the pieces that it has, by their first blocks
	away     atomic.Int64 // when the connection was lost, in nanoseconds of Unix time; 0 if there is one
	failures atomic.Int64 // in a row
	stop     context.CancelCauseFunc
}

// Run works until the search is over.
func (c *workCmd) Run(ctx context.Context, h command.Host) error {
	w := &worker{sayer: &sayer{out: h.Err()}, flags: c, name: workerName()}
	nc, err := queue.Connect(c.access(c.NATS), "simrun fleet work "+w.name,
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if w.away.CompareAndSwap(0, time.Now().UnixNano()) && err != nil {
				w.say("the server is gone (%v); waiting for it for %v", err, c.Patience)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { w.away.Store(0); w.say("the server is back") }))
	if err != nil {
		return err
	}
	defer nc.Close()
	if err = w.attach(ctx, nc); err != nil {
		if errors.Is(err, queue.ErrNoFleet) {
			return command.Usagef("%s has no fleet %s: start simrun fleet serve there", c.NATS, c.Name)
		}
		return err
	}
	if w.fleet.Over != "" { // a server that has come back for another search may not have published it yet
		pause(ctx, 3*time.Second)
		if f, err := w.queue.Fleet(ctx); err == nil && f != nil {
			w.fleet = f
		}
	}
	if w.fleet.Over != "" {
		w.say("the search is over: %s", w.fleet.Over)
		return nil
	}
	if err := w.prepare(ctx, h); err != nil {
		return err
	}
	defer w.bucket.Close()
	return w.work(ctx)
}

// attach finds the queue. A server that has just started, or is busy, may not answer at once.
func (w *worker) attach(ctx context.Context, nc *nats.Conn) (err error) {
	for range 5 {
		w.queue, w.fleet, err = queue.Attach(ctx, nc, w.flags.Name)
		var usage command.Usage
		if err == nil || errors.Is(err, queue.ErrNoFleet) || errors.As(err, &usage) || ctx.Err() != nil {
			return err
		}
		pause(ctx, time.Second)
	}
	return err
}

func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	plain := func(r rune) rune {
		if !pieces.IsWorkerName(string(r)) {
			return '-'
		}
		return r
	}
	host = strings.Map(plain, host)
	return fmt.Sprintf("%s-%d", host[:min(len(host), 64)], os.Getpid())
}

// prepare checks that this program can take part in the search.
func (w *worker) prepare(ctx context.Context, h command.Host) (err error) {
	m := &w.fleet.Manifest
	if w.search, err = h.Restore(m.Identity, "the search of the fleet "+w.flags.Name); err != nil {
		return err
	}
	if err := checkBuild(m.Build, w.flags.AnyBuild); err != nil {
		return err
	}
	address := w.fleet.Bucket
	if w.flags.Bucket != "" {
		if address, err = bucket.URL(w.flags.Bucket); err != nil {
			return err
		}
	}
	elsewhere := func() error {
		return command.Usagef("the bucket %s does not have the search here: a directory must be shared by all machines; name it by --bucket if it has another path here, or give simrun fleet serve a bucket that all reach, such as s3://NAME", bucket.Short(address))
	}
	if dir := bucket.Local(address); dir != "" {
		if _, err := os.Stat(dir); err != nil {
			return elsewhere() // it is not created
		}
	}
	if w.bucket, err = bucket.Open(ctx, address); err != nil {
		return err
	}
	there, err := w.bucket.Manifest(ctx)
	switch {
	case err != nil:
		return err
	case there == nil:
		return elsewhere()
	case !there.Same(m):
		return command.Usagef("the bucket %s has another search than the server: %s there, %s here", w.bucket, there.Title, m.Title)
	}
	if err := m.Plan.Check(w.search.Blocks()); err != nil {
		return command.Usagef("the plan of the fleet %s is damaged: %w", w.flags.Name, err)
	}
	w.hash, w.version = m.Search(), runtime.Version()
	return nil
}

// over is why the work ends without an error.
type over struct{ why string }

func (o over) Error() string { return o.why }

// work keeps all slots at work.
func (w *worker) work(ctx context.Context) error {
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w.stop = stop
	if err := w.queue.OnOver(func(why string) { stop(over{why}) }); err != nil {
		return err
	}
	w.say("%s takes part: %s", w.name, w.search.Title())
	var slots sync.WaitGroup
	for range w.flags.Jobs {
		slots.Go(func() { w.slot(inner) })
	}
	slots.Go(func() { w.live(inner) })
	slots.Wait()
	var end over
	switch cause := context.Cause(inner); {
	case errors.As(cause, &end):
		w.say("the search is over: %s", end.why)
		return nil
	case cause != nil:
		return cause
	}
	return ctx.Err()
}

// aliveEvery returns how often a worker reports, and beats how often it renews a lease while that lasts.
func aliveEvery(lease time.Duration) time.Duration { return min(lease/3, 5*time.Second) }

const beats = 4

// live reports that the worker lives, and notices when the server does not.
func (w *worker) live(ctx context.Context) {
	tick := time.NewTicker(aliveEvery(w.fleet.Lease))
	defer tick.Stop()
	for {
		w.queue.Report(message.Report{Kind: message.Alive, Worker: w.name, Pieces: w.pieces(), Slots: w.flags.Jobs})
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := w.queue.Refused(w.flags.access(w.flags.NATS)); err != nil {
			w.stop(err)
		}
		if since := w.away.Load(); since > 0 && time.Since(time.Unix(0, since)) > w.flags.Patience {
			w.stop(fmt.Errorf("the server %s is gone for more than %v (--patience): the results are in the bucket, and simrun fleet serve goes on from there", w.flags.NATS, w.flags.Patience))
		}
	}
}

// pieces returns the pieces that the worker has.
func (w *worker) pieces() (list []int) {
	w.have.Range(func(first, _ any) bool {
		list = append(list, first.(int))
		return true
	})
	slices.Sort(list)
	return list
}

// slot searches one piece after the other.
func (w *worker) slot(ctx context.Context) {
	for ctx.Err() == nil {
		j, err := w.queue.Next(ctx, 2*time.Second)
		switch {
		case err != nil:
			w.lost(ctx, err)
		case j == nil:
			w.idle(ctx)
		case !w.fleet.Manifest.Plan.Has(j.Range):
			w.once("the queue has %s, which are not a piece of this search: they are dropped", spanText(j.Range))
			_ = j.Refuse() // otherwise it comes again
		default:
			w.have.Store(j.Range.First, true)
			w.piece(ctx, j)
			w.have.Delete(j.Range.First)
		}
	}
}

// pause waits.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// idle checks whether the search is over.
func (w *worker) idle(ctx context.Context) {
	f, err := w.queue.Fleet(ctx)
	switch {
	case err != nil || f == nil:
		pause(ctx, time.Second)
	case !f.Manifest.Same(&w.fleet.Manifest):
		w.stop(over{"the server has another one now: " + f.Manifest.Title})
	case f.Over != "":
		w.stop(over{f.Over})
	}
}

// lost handles an error of the queue: the server may have gone, or come back with a new queue.
func (w *worker) lost(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	if w.away.Load() == 0 {
		w.once("the queue cannot be read, and is tried again: %v", err)
	}
	pause(ctx, time.Second)
	w.idle(ctx)
}

// piece searches a piece, and keeps its result.
func (w *worker) piece(ctx context.Context, j *queue.Job) {
	if w.setAside(ctx, j) {
		return
	}
	working, done := context.WithCancel(ctx)
	var beat sync.WaitGroup
	beat.Go(func() { w.beat(working, j) })
	err := w.result(ctx, j)
	done()
	beat.Wait()
	switch {
	case ctx.Err() != nil:
		last, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer stop()
		j.Return(last, w.name, nil)
	case err != nil:
		w.once("could not be searched, and is given back: %s: %v", spanText(j.Range), err)
		w.queue.Report(message.Report{Kind: message.Failure, Worker: w.name, Range: j.Range, Times: j.Times, Text: err.Error()})
		j.Return(ctx, w.name, err)
		const most = 3
		if w.failures.Add(1) >= most {
			w.stop(fmt.Errorf("%d pieces one after the other could not be searched here, and were given back: %w", most, err))
		}
	default:
		w.failures.Store(0)
	}
}

// stopBeats, if not nil, reports whether a worker is as good as paused, for tests.
var stopBeats func(*worker) bool

// beat renews the lease.
func (w *worker) beat(ctx context.Context, j *queue.Job) {
	tick := time.NewTicker(w.fleet.Lease / beats)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if stopBeats == nil || !stopBeats(w) {
				j.Keep()
			}
		}
	}
}

// setAside sets a piece aside if it was handed out as often as is allowed and never finished.
func (w *worker) setAside(ctx context.Context, j *queue.Job) bool {
	if j.Times <= w.fleet.Tries {
		return false
	}
	failed := j.Failed(ctx)
	tries := j.Times - 1 - failed.Returned
	if tries < w.fleet.Tries {
		return false
	}
	if failed.Error == "" {
		failed.Error = "its workers said nothing more: they were killed, or lost their machines or the network"
	}
	a := bucket.Aside{First: j.Range.First, End: j.Range.End, Tries: tries, Error: failed.Error, Worker: failed.Worker, When: time.Now().UTC()}
	if err := w.bucket.SetAside(ctx, a); err != nil {
		w.once("%v", err)
		j.Return(ctx, w.name, nil)
		pause(ctx, time.Second)
		return true
	}
	w.queue.Report(message.Report{Kind: message.Aside, Worker: w.name, Range: j.Range, Times: tries, Text: failed.Error})
	_ = j.Done(ctx)
	return true
}

// result searches the piece, unless the bucket has its result, and keeps it.
func (w *worker) result(ctx context.Context, j *queue.Job) error {
	there, err := w.there(ctx, j.Range)
	if err != nil {
		return err
	}
	if len(there) > 0 {
		w.queue.Report(message.Report{Kind: message.Double, Worker: w.name, Range: j.Range, Times: j.Times})
		return w.acknowledge(ctx, j)
	}
	r, ran, err := searchPiece(ctx, w.search, w.fleet.Manifest.Plan, j.Range)
	if err != nil {
		return err
	}
	e, err := pieces.Encode(w.hash, r, pieces.Made{Worker: w.name, Spent: ran.Spent, Tries: j.Times, Ended: time.Now().UTC(), Version: w.version})
	if err != nil {
		return err
	}
	kind, err := w.keep(ctx, r, e)
	if err != nil {
		return err
	}
	if kind == message.Double {
		w.say("another worker has searched %s meanwhile, with the same result", spanText(j.Range))
	}
	w.queue.Report(message.Report{Kind: kind, Worker: w.name, Range: j.Range, Times: j.Times})
	return w.acknowledge(ctx, j)
}

// searchPiece searches a piece of a plan.
func searchPiece(ctx context.Context, search command.Search, plan pieces.Plan, r explore.Range) (*pieces.Result, command.Ran, error) {
	b := pieces.NewBuilder(plan, r)
	ran, err := search.Range(ctx, r, b.Add)
	if err != nil {
		return nil, ran, err
	}
	result, err := b.Result(ran.Sampled)
	return result, ran, err
}

// acknowledge notifies the queue. If the queue does not receive it, the piece is handed out again, and its result is
// found.
func (w *worker) acknowledge(ctx context.Context, j *queue.Job) error {
	if err := j.Done(ctx); err != nil && ctx.Err() == nil && w.away.Load() == 0 {
		w.once("the queue did not take an acknowledgement, and will hand out the piece again: %v", err)
	}
	return nil
}
