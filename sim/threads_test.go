package sim_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestThread: a goroutine belongs to the thread that it is or was started by, unless it works
// for all, and threads are numbered in the order of their first tasks.
func TestThread(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]bool{}
	note := func(p *sim.Process, who string) {
		n, known := p.Thread()
		mu.Lock()
		defer mu.Unlock()
		seen[fmt.Sprint(who, " ", n, " ", known)] = true
	}
	run(t, nil, func(w *sim.World) {
		for _, threads := range []bool{true, false} {
			p := w.NewProcess(fmt.Sprint("threads-", threads), sim.ProcessOptions{Host: "10.0.0.1", Threads: threads})
			for i := range 2 {
				p.Go(func() {
					note(p, fmt.Sprint(threads, " before ", i))
					p.SetTask(&sim.Task{})
					note(p, fmt.Sprint(threads, " after ", i))
					var all sync.WaitGroup
					all.Go(func() { note(p, fmt.Sprint(threads, " started by ", i)) })
					all.Go(func() {
						p.WorkForAll()
						note(p, fmt.Sprint(threads, " working for all ", i))
						all.Go(func() { note(p, fmt.Sprint(threads, " started by that ", i)) })
					})
					all.Wait()
				})
			}
		}
	})
	want := []string{
		"false after 0 0 false", "false after 1 0 false", "false before 0 0 false", "false before 1 0 false", "false started by 0 0 false", "false started by 1 0 false",
		"false started by that 0 0 false", "false started by that 1 0 false", "false working for all 0 0 false", "false working for all 1 0 false",
		"true after 0 0 true", "true after 1 1 true", "true before 0 0 false", "true before 1 0 false", "true started by 0 0 true", "true started by 1 1 true",
		"true started by that 0 0 false", "true started by that 1 0 false", "true working for all 0 0 false", "true working for all 1 0 false",
	}
	var got []string
	for s := range seen { // unordered: they are sorted
		got = append(got, s)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
