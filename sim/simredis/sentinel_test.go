package simredis

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// watched is a primary with two replicas and three sentinels, as in the documentation: a second is
// a second, a server is down after one, and a failover may take five.
func watched() Options {
	return Options{Replicas: 2, Sentinels: &Sentinels{FailoverTimeout: 5 * time.Second}}
}

// happened are the events of sentinels in the log: when, in milliseconds, who, and what.
func (x *player) happened() (list []string) {
	for _, e := range x.report.Events {
		if e.Kind == sim.EventWork && strings.HasPrefix(e.Actor, "sentinel") && strings.ContainsAny(e.Detail[:1], "+-") {
			list = append(list, fmt.Sprintf("%6.0f %s %s", e.At.Seconds()*1000, e.Actor, e.Detail))
		}
	}
	return list
}

// TestSentinelsCalm: without a fault sentinels do nothing at all.
func TestSentinelsCalm(t *testing.T) {
	x := play(t, watched(), func(x *player) { x.pass(time.Minute) })
	if n := len(x.report.Events); n > 4 {
		t.Errorf("%d events in a minute in which nothing happens", n)
	}
}

func TestSentinelsOfACrash(t *testing.T) {
	x := play(t, watched(), func(x *player) {
		x.pass(time.Second)
		x.conduct(func(nodes []*Node) { nodes[0].Crash() })
		x.pass(20 * time.Second)
		x.must(func(nodes []*Node) error { return x.cluster.Restart(nodes[0], KeptAll) })
		x.pass(20 * time.Second)
	})
	for _, s := range x.happened() {
		t.Log(s)
	}
}
