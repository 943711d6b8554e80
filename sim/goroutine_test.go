package sim

import (
	"fmt"
	"sync"
	"testing"
)

// asking are the places from which a goroutine asks for its number.
var asking = map[string]func(ask func()){
	"at once":        func(ask func()) { ask() },
	"from far below": func(ask func()) { below(300, ask) },
	"as it panics": func(ask func()) {
		defer func() { _ = recover() }()
		defer ask()
		panic("on purpose")
	},
}

func below(frames int, f func()) {
	if frames == 0 {
		f()
		return
	}
	below(frames-1, f)
}

// TestGoroutine: workloads are known by their stacks, in each run anew, and others
// are not taken for them: the number is the one that the runtime prints.
func TestGoroutine(t *testing.T) {
	more := len(workloadGoroutines) + 2
	for run := range 2 {
		r := Run(Config{}, func(w *World) {
			p := w.NewProcess("c1", ProcessOptions{Host: "10.0.0.1"})
			for i := range more {
				p.Go(func() {
					for where, asks := range asking {
						asks(func() {
							numbered(t, fmt.Sprintf("run %d, workload %d, %s", run, i, where), i, i < len(workloadGoroutines))
						})
						var other sync.WaitGroup
						other.Go(func() {
							asks(func() { numbered(t, fmt.Sprintf("run %d, started by workload %d, %s", run, i, where), 0, false) })
						})
						other.Wait()
					}
				})
			}
		})
		if r.Failure != nil {
			t.Fatalf("%s\n%s", r.Failure.Reason, r.Failure.Stack)
		}
	}
}

// numbered fails unless the calling goroutine gets its number, and is known as that
// workload or as none.
func numbered(t *testing.T, who string, index int, known bool) {
	t.Helper()
	want := printedNumber()
	if got := goroutine(); got != want {
		t.Errorf("%s: it is goroutine %d, want %d", who, got, want)
	}
	if got := me().number; got != want {
		t.Errorf("%s: it identifies itself as goroutine %d, want %d", who, got, want)
	}
	if !isGoroutine(want) || isGoroutine(0) || isGoroutine(want+1) || isGoroutine(workloadGoroutines[(index+1)%len(workloadGoroutines)].Load()) {
		t.Errorf("%s: it takes itself for another goroutine, or another for itself", who)
	}
	if i, ok := workload(); i != index && known || ok != known {
		t.Errorf("%s: it is workload %d (%t), want %d (%t)", who, i, ok, index, known)
	}
}

// TestStarter: a goroutine's starter is the one that the trace names.
func TestStarter(t *testing.T) {
	me := goroutine()
	started := make(chan uint64)
	go func() { started <- starter() }()
	if got := <-started; got != me {
		t.Errorf("it was started by goroutine %d, want %d", got, me)
	}
}

func BenchmarkGoroutine(b *testing.B) {
	b.ReportAllocs()
	asWorkload(0, func() {
		below(30, func() {
			for b.Loop() {
				goroutine()
			}
		})
	})
}
