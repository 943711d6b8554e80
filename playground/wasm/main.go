//go:build js

package main

import (
	"context"
	"encoding/json"
	"sync"
	"syscall/js"
	"time"

	"github.com/lockpick-dev/lockpick/lab/builtin"
	"github.com/lockpick-dev/lockpick/playground"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

const (
	// turn is how long runs may go on before the worker's script gets a turn, and silence the longest time without a message
	// during a request.
	turn    = 60 * time.Millisecond
	silence = 200 * time.Millisecond
)

// program is the session with its pending requests.
type program struct {
	session playground.Session
	jobs    chan func()
	// heard is when the worker's script last had a turn, and sent when a message was last sent.
	heard, sent time.Time

	mutex sync.Mutex
	stops []context.CancelFunc // of the pending jobs, in their order
}

func main() {
	known := scenarios.Registry(builtin.Locks())
	p := &program{jobs: make(chan func(), 100)}
	p.session = playground.Session{
		Known: known, Send: p.report,
		Worker: explore.Worker{Here: &explore.Here{Resolve: known.Resolve, Watched: true, Between: p.between}},
	}
	js.Global().Set("lockpick", map[string]any{
		"search": p.asked(func(ctx context.Context, arg js.Value) {
			decoded(p, arg, func(q playground.Search) { p.session.Search(ctx, q) })
		}),
		"show":   p.asked(func(_ context.Context, arg js.Value) { p.session.Show(arg.Int()) }),
		"shrink": p.asked(func(ctx context.Context, arg js.Value) { p.session.Shrink(ctx, arg.Int()) }),
		"compare": p.asked(func(ctx context.Context, arg js.Value) {
			decoded(p, arg, func(k []playground.Known) { p.session.Compare(ctx, k) })
		}),
		"stop": js.FuncOf(func(js.Value, []js.Value) any {
			p.mutex.Lock()
			defer p.mutex.Unlock()
			for _, stop := range p.stops {
				stop()
			}
			return nil
		}),
	})
	p.send(message{Type: "ready"})
	for job := range p.jobs {
		p.do(job)
	}
}

// message is a message that is not the session's.
type message struct {
	Type string `json:"type"` // "ready", "idle" or "alive"
}

// asked returns a function for the script that carries out a job with its argument.
func (p *program) asked(job func(context.Context, js.Value)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		ctx, stop := context.WithCancel(context.Background())
		p.mutex.Lock()
		p.stops = append(p.stops, stop)
		p.mutex.Unlock()
		p.jobs <- func() { job(ctx, args[0]) }
		return nil
	})
}

// do carries out a job, and sends a message when it is done.
func (p *program) do(job func()) {
	p.heard = time.Now()
	job()
	p.mutex.Lock()
	p.stops[0]()
	p.stops = p.stops[1:]
	p.mutex.Unlock()
	p.send(message{Type: "idle"})
}

// decoded reads an argument from JSON.
func decoded[T any](p *program, arg js.Value, use func(T)) {
	var v T
	if err := json.Unmarshal([]byte(arg.String()), &v); err != nil {
		p.send(playground.Failed{Type: "failed", Reason: "what is asked for cannot be read: " + err.Error()})
		return
	}
	use(v)
}

// report sends a message of the session. Of the progress after each run it sends only a few a second.
func (p *program) report(m any) {
	switch m.(type) {
	case playground.Progress, playground.Shrinking:
		if time.Since(p.sent) < turn {
			return
		}
	}
	p.send(m)
}

// between is called before each run.
func (p *program) between() {
	if time.Since(p.sent) > silence {
		p.send(message{Type: "alive"})
	}
	if time.Since(p.heard) > turn {
		time.Sleep(time.Microsecond) // the event loop gets its turn
		p.heard = time.Now()
	}
}

func (p *program) send(m any) {
	p.sent = time.Now()
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err) // texts and numbers only
	}
	js.Global().Call("lockpickTell", string(raw))
}
