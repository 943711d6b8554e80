package lab

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/record"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// window is the unit of virtual time of a run: requests take servers some microseconds.
const window = time.Microsecond

// Run makes a run in virtual time with the tape. If recorded is set it also returns the recording. The error has the
// panic, or why the run may not repeat. Concurrent calls wait for each other.
func Run(p Plan, tape sim.Tape, recorded bool) (*Sample, *explore.Recording, error) {
	s, o := p.Explore(explore.Run{Tape: tape, Record: recorded})
	if o.Failure != nil {
		return nil, nil, fmt.Errorf("lab: the run failed: %s\n%s", o.Failure.Reason, o.Failure.Stack)
	}
	return s, o.Recording, nil
}

// Explore is [Run] for a worker process. A run that may not repeat fails. The hash of the outcome is that of the sample,
// and no property is judged.
func (p Plan) Explore(how explore.Run) (*Sample, explore.Outcome) {
	s := newSample()
	var rec *record.Recorder
	report := sim.Run(sim.Config{
		Tape: how.Tape, Record: how.Record, Progress: how.Progress, MaxEvents: maxEvents, Horizon: cmp.Or(p.Until, p.Limit), Window: window,
	}, func(w *sim.World) { rec = p.setUp(w, s) })
	// Until may be in the middle of requests. A client library that then leaves goroutines behind, as go-zookeeper/zk may when
	// no caller waits for an answer any more, does not affect the run.
	ended := p.Until > 0 && report.Simulated >= p.Until
	if ended && report.Failure != nil && report.Failure.Leaked {
		report.Failure = nil
	}
	if report.Failure == nil && len(report.Nondeterminism) > 0 {
		report.Failure = &sim.Failure{Reason: "the run may not repeat: " + report.Nondeterminism[0]}
	}
	s.Hash, s.Events, s.Cut = report.Hash, report.EventCount, report.Cut
	if s.Elapsed == 0 {
		s.Elapsed = report.Simulated
	}
	var h model.History
	if rec != nil {
		h = rec.History(model.Stamp{Seq: report.EventCount, At: report.Simulated}, report.Cut)
	}
	if ended {
		s.Elapsed, s.Cut, s.Waiting = p.Until, "", waiting(&h, p.Until)
	}
	o := explore.Outcome{Hash: s.Hash, Events: s.Events, Simulated: report.Simulated, Failure: report.Failure}
	if how.Record && rec != nil {
		o.Recording = &explore.Recording{Events: report.Events, Choices: report.Choices, History: h, Nondeterminism: report.Nondeterminism}
	}
	return s, o
}

// waiting returns the times that the calls still waiting at the end have waited.
func waiting(h *model.History, end time.Duration) (list []time.Duration) {
	for i := range h.Operations {
		if o := &h.Operations[i]; o.Kind == model.Acquire && !o.Return.Happened() {
			list = append(list, end-o.Call.At)
		}
	}
	return list
}

// Tape returns the tape of a run with a seed.
func Tape(seed uint64) sim.Tape { return explore.Random(seed, 0) }

func newSample() *Sample {
	return &Sample{Requests: map[string]map[string]int{}, Counts: map[string]float64{}}
}

// setUp builds the world of a run.
func (p Plan) setUp(w *sim.World, s *Sample) *record.Recorder {
	rec := record.New(w, cell.LockName, p.Params.LeaseAsked())
	cluster := p.Store.Build(w, p.Params, rec.Observe)
	w.Network().SetLink(sim.Link{Quantile: p.Latency.Quantile})
	counts := func() bool { return w.Now() >= p.From }
	s.From = p.From
	var addresses []string
	servers := map[*sim.Actor]bool{}
	for _, server := range cluster {
		addresses = append(addresses, server.Addresses()...)
		for _, n := range server.Nodes() {
			servers[n.Actor()] = true
			p.meter(n, s, counts)
		}
	}
	w.Network().OnReceive(func(at *sim.Actor) {
		switch {
		case !counts():
		case servers[at]:
			s.arrives(w.Now()-p.From, p.Moment)
		default:
			s.Received++
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	w.OnEnd(cancel)
	working := p.Processes * p.Threads
	for i := range p.Processes {
		process := w.NewProcess(processName(i), sim.ProcessOptions{Host: host(i), Threads: p.Threads > 1})
		rec.Client(process)
		work := p.Client(cell.NewClient(w, process, p.outfit(addresses)))
		for n := range p.Threads {
			t := &Thread{
				Process: i, Number: n, Rand: process.Rand("thread " + strconv.Itoa(n)),
				ctx: ctx, process: process, rec: rec, run: run{start: cell.Epoch, clock: process.Clock().Now, sample: s},
			}
			process.Go(func() {
				work(t)
				process.Mark(n, "done", func(e sim.Event) {
					if working--; working == 0 {
						s.Elapsed = e.At
					}
				})
			})
		}
	}
	return rec
}

// outfit returns what the clients have of the store.
func (p Plan) outfit(addresses []string) cell.Outfit {
	return cell.Outfit{
		Store: p.Store, Addresses: addresses, LockName: cell.LockName,
		TTL: p.Params.LeaseAsked(), Own: p.Params.Own, Pause: p.Pause,
	}
}

// meter makes a node take time for requests, and counts them while counts returns true.
func (p Plan) meter(n stage.Node, s *Sample, counts func() bool) {
	metered, can := n.(stage.Metered)
	if !can {
		panic(fmt.Sprintf("lab: the servers of %s have no setting for how long requests take", p.Store.ID()))
	}
	served := map[string]int{}
	s.Requests[n.Actor().Name()] = served
	metered.Meter(func(request string) time.Duration {
		if counts() {
			served[request]++
		}
		return p.Costs.of(request)
	})
}

// Clients returns the names of the client processes.
func (p Plan) Clients() (names []string) {
	for i := range p.Processes {
		names = append(names, processName(i))
	}
	return names
}

func processName(i int) string { return "c" + strconv.Itoa(i+1) }

// host returns an address of its own for each process.
func host(i int) string { return fmt.Sprintf("10.1.%d.%d", i/250, i%250+1) }
