package simredis

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// published is an event that a sentinel has published.
type published struct {
	sentinel int
	event    string
	about    string
}

// TestSentinelFidelity: simulated sentinels publish what real ones publish, in the same order, when the
// primary crashes, when it is stopped, and when an operator orders a failover. The orders are compared for the leader and for
// the others apart: between them, real ones vary.
func TestSentinelFidelity(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	const downAfter, timeout = time.Second, 5 * time.Second
	for _, test := range []struct {
		name    string
		real    func(*testing.T, *realredis.Watched)
		strikes func([]*Node, []*Sentinel)
	}{
		{"crash", func(_ *testing.T, w *realredis.Watched) { w.Nodes[0].Stop() }, func(nodes []*Node, _ []*Sentinel) { nodes[0].Crash() }},
		{"stop", func(t *testing.T, w *realredis.Watched) { w.Nodes[0].Freeze(t) }, func(nodes []*Node, _ []*Sentinel) { nodes[0].Hang(time.Minute) }},
		{"manual failover", func(t *testing.T, w *realredis.Watched) {
			if err := w.Sentinels[0].Client(t, nil).Do(t.Context(), "sentinel", "failover", realredis.MasterName).Err(); err != nil {
				t.Fatal(err)
			}
		}, func(_ []*Node, s []*Sentinel) {
			if refused := s[0].Failover(); refused != "" {
				t.Error(refused)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var leader, others []string
			for range 4 {
				w := realredis.StartSentinels(t, 2, 3, downAfter, timeout)
				heard := listen(t, w)
				test.real(t, w)
				if leader, others = parted(heard()); !slices.Contains(others, "+try-failover") {
					break // on a busy machine another may ask for votes at the same moment
				}
			}
			simulated := simulate(t, downAfter, timeout, test.strikes)
			simLeader, simOthers := parted(simulated)
			if !slices.Equal(leader, simLeader) {
				t.Errorf("the leader published\n\t%s\nreal\n\t%s", strings.Join(simLeader, "\n\t"), strings.Join(leader, "\n\t"))
			}
			if !slices.Equal(others, simOthers) {
				t.Errorf("another sentinel published\n\t%s\nreal\n\t%s", strings.Join(simOthers, "\n\t"), strings.Join(others, "\n\t"))
			}
			t.Logf("the leader: %s", strings.Join(leader, ", "))
			t.Logf("another: %s", strings.Join(others, ", "))
		})
	}
}

// listen subscribes to all events of real sentinels. Heard waits until all have announced the new primary,
// and returns what they have published.
func listen(t *testing.T, w *realredis.Watched) (heard func() []published) {
	var mu sync.Mutex
	var list []published
	for i, s := range w.Sentinels {
		sub := s.Client(t, nil).PSubscribe(t.Context(), "*")
		t.Cleanup(func() { _ = sub.Close() })
		if _, err := sub.Receive(t.Context()); err != nil {
			t.Fatal(err)
		}
		go func() {
			for m := range sub.Channel() {
				mu.Lock()
				list = append(list, published{i, m.Channel, m.Payload})
				mu.Unlock()
			}
		}()
	}
	return func() []published {
		for range 1000 {
			mu.Lock()
			now := slices.Clone(list)
			mu.Unlock()
			switched := 0
			for _, e := range now {
				if e.event == "+switch-master" {
					switched++
				}
			}
			if switched == len(w.Sentinels) {
				return now
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Fatal("the real sentinels announce no new primary")
		return nil
	}
}

// simulate is the same with simulated ones, in a calm run.
func simulate(t *testing.T, downAfter, timeout time.Duration, strikes func([]*Node, []*Sentinel)) (list []published) {
	o := Options{Replicas: 2, Sentinels: &Sentinels{DownAfter: downAfter, FailoverTimeout: timeout}}
	x := play(t, o, func(x *player) {
		x.pass(time.Second)
		x.conduct(func(nodes []*Node) { strikes(nodes, x.cluster.Sentinels()) })
		x.pass(20 * time.Second)
	})
	for _, e := range x.happened() {
		list = append(list, published{int(e.who[len(e.who)-1] - '1'), e.event, e.about})
	}
	return list
}

// parted are the kinds of the events of the leader and of one of the others, up to the new primary. What
// follows from the sentinels' own connections, and not from their decisions, is left out.
func parted(list []published) (leader, other []string) {
	lead := -1
	for _, e := range list {
		if e.event == "+failover-end" {
			lead = e.sentinel
		}
	}
	of := map[int][]string{}
	over := map[int]bool{}
	for _, e := range list {
		kind, _, _ := strings.Cut(e.about, " ")
		// Whether another has found it down as well before it hears of the new primary is a matter of milliseconds.
		idle := slices.Contains([]string{"+slave", "+sentinel", "+monitor", "-odown", "-sdown", "+slave-reconf-inprog", "+role-change", "-role-change"}, e.event) ||
			e.sentinel != lead && slices.Contains([]string{"+sdown", "+odown"}, e.event)
		if over[e.sentinel] || idle || e.event == "+sdown" && kind != "master" {
			continue
		}
		of[e.sentinel] = append(of[e.sentinel], e.event)
		over[e.sentinel] = e.event == "+switch-master"
	}
	return of[lead], of[(lead+1)%3]
}

// TestOldPrimaryWritesReal: a real primary that was stopped until another was promoted answers the client that it has for as
// long as TestOldPrimaryWrites has it of a simulated one.
func TestOldPrimaryWritesReal(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	w := realredis.StartSentinels(t, 2, 3, time.Second, 5*time.Second)
	heard := listen(t, w)
	old := dialReal(t, w.Nodes[0].Socket)
	old.want(":1\r\n", "INCR", "before")
	thaw := w.Nodes[0].Freeze(t)
	heard()
	began := time.Now()
	thaw()
	written := 0
	for ; time.Since(began) < 20*time.Second && strings.HasPrefix(old.do("INCR", "after"), ":"); written++ {
		time.Sleep(200 * time.Millisecond)
	}
	if d := time.Since(began); d < 8*time.Second || d > 12*time.Second {
		t.Errorf("the old primary answered %d writes in %v, want 8 to 12 s", written, d)
	} else {
		t.Logf("the old primary answered %d writes in %v", written, d)
	}
}
