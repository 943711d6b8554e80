package sim

import (
	"sync"
	"testing"
)

// TestThisGoroutine: a goroutine's number is the one that the runtime prints, wherever it asks, and no
// other goroutine has it.
func TestThisGoroutine(t *testing.T) {
	if !numberReadable {
		t.Error("this Go keeps a goroutine's number where goid does not look for it: a newer goid, or runs are slow")
	}
	asking := map[string]func(ask func()){
		"at once":        func(ask func()) { ask() },
		"from far below": func(ask func()) { below(300, ask) },
		"as it panics": func(ask func()) {
			defer func() { _ = recover() }()
			defer ask()
			panic("on purpose")
		},
	}
	var seen sync.Map
	for where, asks := range asking {
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				asks(func() {
					if got, want := thisGoroutine(), printedNumber(); got != want {
						t.Errorf("%s: it is goroutine %d, want %d", where, got, want)
					}
					if _, taken := seen.LoadOrStore(thisGoroutine(), true); taken {
						t.Errorf("%s: two goroutines have the number %d", where, thisGoroutine())
					}
				})
			})
		}
		all.Wait()
	}
}

func below(frames int, f func()) {
	if frames == 0 {
		f()
		return
	}
	below(frames-1, f)
}

// TestParentGoroutine: a goroutine's starter is the one that the trace names.
func TestParentGoroutine(t *testing.T) {
	starts := thisGoroutine()
	started := make(chan gid)
	go func() { started <- parentGoroutine() }()
	if got := <-started; got != starts {
		t.Errorf("it was started by goroutine %d, want %d", got, starts)
	}
}

func BenchmarkThisGoroutine(b *testing.B) {
	b.ReportAllocs()
	below(30, func() {
		for b.Loop() {
			thisGoroutine()
		}
	})
}
