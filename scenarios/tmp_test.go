package scenarios

import (
	"fmt"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

func TestTmp(t *testing.T) {
	for _, s := range All() {
		for _, l := range Locks() {
			c := Cell{s, s.Params, l}
			first := map[string]int{}
			count := map[string]int{}
			var happened [8]int
			var events int64
			start := time.Now()
			n := 500
			diff := 0
			for i := range n {
				o := c.Run(explore.Random(1, i), false, nil)
				if o.Failure != nil {
					t.Fatal(s.ID, l.ID, i, o.Failure.Reason, o.Failure.Stack)
				}
				for _, v := range o.Violated() {
					if count[v] == 0 {
						first[v] = i
					}
					count[v]++
				}
				for b := range happened {
					if o.Happened>>b&1 == 1 {
						happened[b]++
					}
				}
				events += o.Events
				if i < 100 {
					if c.Run(explore.Random(1, i), false, nil).Hash != o.Hash {
						diff++
					}
				}
			}
			el := time.Since(start)
			fmt.Println(s.ID, l.ID, "first", first, "count", count, "happened", happened[:2], "ev/run", events/int64(n), "us/run", el.Microseconds()/int64(n+100), "diff", diff)
		}
	}
}

func TestTmpTrace(t *testing.T) {
	s, _ := Find("failover-loss")
	c := Cell{s, s.Params, Locks()[0]}
	o := c.Run(sim.Calm{}, true, nil)
	for _, e := range o.Recording.Events {
		fmt.Printf("%4d %12v %-8s %-8s %-6s %d %s %.60q\n", e.Seq, e.At, e.Kind, e.Actor, e.Peer, e.Conn, e.Detail, e.Payload)
	}
	for _, v := range o.Verdicts {
		fmt.Printf("%+v\n", v)
	}
}
