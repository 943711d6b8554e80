package scripts_test

import (
	"flag"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/postgres/internal/scripts"
	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
	"github.com/lockpick-dev/lockpick/storetest/fidelity"
)

var (
	count = flag.Int("scripts", 40, "play so many random scripts")
	seed  = flag.Uint64("seed", 0, "begin with this one")
	lanes = flag.Int("lanes", 2, "play so many scripts at once")
	show  = flag.Bool("show", false, "print the plays")
)

// TestAgreesWithItself: a real server plays random scripts twice in the same way.
func TestAgreesWithItself(t *testing.T) {
	server := realpostgres.Start(t, scripts.Settings...)
	var group sync.WaitGroup
	begin := time.Now()
	var mu sync.Mutex
	var failures atomic.Int32
	var beginning, playing time.Duration
	commands := 0
	for lane := range *lanes {
		group.Go(func() {
			real, err := scripts.NewReal(func() (net.Conn, error) { return net.Dial("unix", server.Socket) }, fmt.Sprintf("lane%d", lane))
			if err != nil {
				t.Error(err)
				return
			}
			defer real.Close()
			play := func(s scripts.Script) []string {
				start := time.Now()
				if err := real.Begin(); err != nil {
					t.Error(err)
				}
				began := time.Now()
				lines := scripts.Play(real, s)
				mu.Lock()
				beginning += began.Sub(start)
				playing += time.Since(began)
				commands += len(s.Commands)
				mu.Unlock()
				return lines
			}
			for i := lane; i < *count && failures.Load() < 5; i += *lanes {
				s := scripts.Draw(*seed + uint64(i))
				first := play(s)
				if *show {
					for _, line := range first {
						t.Log(line)
					}
				}
				d := fidelity.Difference(first, play(s), func(string) bool { return true })
				if d != "" {
					failures.Add(1)
					t.Errorf("script %d:\n%s", *seed+uint64(i), d)
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d scripts in %v, twice: %v to begin, %v to play %d commands", *count, time.Since(begin), beginning, playing, commands)
}
