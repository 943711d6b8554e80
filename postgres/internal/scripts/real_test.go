package scripts_test

import (
	"flag"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/postgres/internal/scripts"
	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
	"github.com/lockpick-dev/lockpick/storetest/fidelity"
)

var (
	count = flag.Int("scripts", 10, "the number of random scripts to play")
	seed  = flag.Uint64("seed", 0, "begin with this one")
	lanes = flag.Int("lanes", 2, "the number of scripts to play at once")
	show  = flag.Bool("show", false, "print the plays")
)

// place is a place that is set back before each script.
type place interface {
	scripts.Place
	Begin() error
	Close()
}

// agrees plays random scripts twice, at places that open makes.
func agrees(t *testing.T, draw func(uint64) scripts.Script, open func(lane int) (place, error)) {
	var group sync.WaitGroup
	var failures, commands atomic.Int64
	begin := time.Now()
	for lane := range *lanes {
		group.Go(func() {
			real, err := open(lane)
			if err != nil {
				t.Error(err)
				return
			}
			defer real.Close()
			play := func(s scripts.Script) []string {
				if err := real.Begin(); err != nil {
					t.Error(err)
				}
				commands.Add(int64(len(s.Commands)))
				return scripts.Play(real, s)
			}
			for i := lane; i < *count && failures.Load() < 5; i += *lanes {
				s := draw(*seed + uint64(i))
				first := play(s)
				if *show {
					t.Log("\n" + strings.Join(first, "\n"))
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
	t.Logf("%d scripts with %d commands in %v, twice", *count, commands.Load()/2, time.Since(begin))
}

// TestAgreesWithItself: a real server plays random scripts twice in the same way.
func TestAgreesWithItself(t *testing.T) {
	server := realpostgres.Start(t, scripts.Settings...)
	agrees(t, scripts.Draw, func(lane int) (place, error) {
		return scripts.NewReal(func() (net.Conn, error) { return net.Dial("unix", server.Socket) }, fmt.Sprintf("lane%d", lane))
	})
}

// TestPooledAgreesWithItself: and so does one behind a pooler.
func TestPooledAgreesWithItself(t *testing.T) {
	realpostgres.NeedPooler(t)
	server := realpostgres.Start(t, scripts.Settings...)
	for _, mode := range []string{"session", "transaction", "statement"} {
		t.Run(mode, func(t *testing.T) {
			agrees(t, scripts.DrawPooled, func(lane int) (place, error) {
				pooler := realpostgres.StartPooler(t, server.Addr, realpostgres.Pooling{Mode: mode, Size: 2})
				return scripts.NewPooled(func() (net.Conn, error) { return net.Dial("unix", server.Socket) },
					func() (net.Conn, error) { return net.Dial("tcp", pooler.Addr) }, fmt.Sprintf("lane%d", lane))
			})
		})
	}
}
