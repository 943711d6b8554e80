package simkube

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// TestNoMajority: without a majority writes fail when etcd's patience ends, and reads when the request's time
// is over.
func TestNoMajority(t *testing.T) {
	run(t, Options{Servers: 3}, func(p *play) {
		p.ask("POST", object("lock", "", "a"))
		p.plan(time.Second, func() {
			p.cluster.Nodes()[1].Crash()
			p.cluster.Nodes()[2].Crash()
		})
		c := p.process.Clock()
		c.Sleep(5 * time.Second)
		begin := c.Now()
		p.wants("PATCH lock", `{"spec":{"holderIdentity":"b"}}`, 500, "etcdserver: request timed out")
		if took := c.Since(begin).Round(time.Second); took != 7*time.Second {
			t.Errorf("a write took %v", took)
		}
		begin = c.Now()
		p.wants("GET lock?timeout=20s", "", 504, "request did not complete within the allotted timeout")
		if took := c.Since(begin).Round(time.Second); took != 20*time.Second {
			t.Errorf("a read took %v", took)
		}
		p.wants("GET lock?resourceVersion=0&timeout=20s", "", 504)
		p.wants("GET ?watch=1", "", 429, "storage is (re)initializing")
		p.plan(time.Minute, p.cluster.Nodes()[1].Restart)
		c.Sleep(time.Minute)
		p.wants("GET lock", "", 200, `"holderIdentity":"a"`)
		p.wants("GET lock?resourceVersion=0", "", 200, `"holderIdentity":"a"`)
	})
}

// TestRejected: a server that has too many requests says when to come back.
func TestRejected(t *testing.T) {
	run(t, Options{}, func(p *play) {
		p.plan(time.Second, p.cluster.Nodes()[0].Reject)
		p.process.Clock().Sleep(2 * time.Second)
		a, err := p.open("GET lock", "")
		if err != nil || a.StatusCode != 429 || a.Header.Get("Retry-After") != "1" {
			t.Errorf("%+v, %v", a, err)
		}
		_ = a.Body.Close()
		p.wants("GET lock", "", 404)
	})
}

// TestConnectionToEtcdBreaks: a write is answered with 500, whether etcd has carried it out or not.
func TestConnectionToEtcdBreaks(t *testing.T) {
	for done, then := range map[bool]int{true: 200, false: 404} { // unordered: each by itself
		p, _ := run(t, Options{}, func(p *play) {
			p.wants("GET lock", "", 404)
			p.plan(time.Second, func() {
				for conn := range 10 { // whichever the client's is
					p.cluster.Nodes()[0].failing[conn] = done
				}
			})
			p.process.Clock().Sleep(2 * time.Second)
			p.wants("PUT lock", object("lock", "", "a"), 500, "error reading from server: EOF")
			p.wants("GET lock", "", then)
			p.wants("PUT lock", object("lock", map[bool]string{true: "1"}[done], "b"), map[bool]int{true: 409, false: 201}[done])
		})
		want := map[bool]string{true: "request-failed-done", false: "request-failed"}[done]
		if !slices.ContainsFunc(p.seen, func(o model.Observation) bool { return o.Event() == want && o.Owner.Client == "c1" }) {
			t.Errorf("there is no note of %s", want)
		}
	}
}

// TestFollower: a follower passes writes on, and a read sees all that was written before.
func TestFollower(t *testing.T) {
	for at := range 3 {
		run(t, Options{Servers: 3}, func(p *play) {
			for i := range 6 {
				p.at = (at + i) % 3
				p.client.CloseIdleConnections()
				holder := fmt.Sprint("h", i)
				p.wants("PUT lock", object("lock", versionAfter(i), holder), map[bool]int{true: 201, false: 200}[i == 0], `"holderIdentity":"`+holder)
				p.at = (at + i + 1) % 3
				p.client.CloseIdleConnections()
				p.wants("GET lock", "", 200, `"holderIdentity":"`+holder)
			}
		})
	}
}

// TestHang: a request that a hanging server has got is carried out afterwards, though its client has gone.
func TestHang(t *testing.T) {
	run(t, Options{}, func(p *play) {
		p.ask("POST", object("lock", "", "a"))
		p.plan(time.Second, func() { p.cluster.Nodes()[0].Hang(10 * time.Second) })
		p.process.Clock().Sleep(2 * time.Second)
		p.client.Timeout = time.Second
		if code, text := p.ask("PATCH lock", `{"spec":{"holderIdentity":"late"}}`); code != 0 || !strings.Contains(text, "context deadline exceeded") {
			t.Errorf("%d %s", code, text)
		}
		p.process.Clock().Sleep(20 * time.Second)
		p.wants("GET lock", "", 200, `"holderIdentity":"late"`)
	})
}

// TestPartition: a leader that is cut off commits nothing, and its log is replaced.
func TestPartition(t *testing.T) {
	p, _ := run(t, Options{Servers: 3}, func(p *play) {
		p.ask("POST", object("lock", "", "a"))
		n := p.cluster.Nodes()
		part := sim.Partition{A: []*sim.Actor{n[0].Actor}, B: []*sim.Actor{n[1].Actor, n[2].Actor}}
		network := p.process.World().Network()
		p.plan(time.Second, func() { network.Part(part, 30*time.Second) })
		p.plan(31*time.Second, func() { network.Unite(part) })
		c := p.process.Clock()
		c.Sleep(1100 * time.Millisecond)
		p.wants("PATCH lock", `{"spec":{"holderIdentity":"lost"}}`, 500, "etcdserver: request timed out")
		p.at = 1
		p.client.CloseIdleConnections()
		p.wants("GET lock", "", 200, `"holderIdentity":"a"`)
		p.wants("PATCH lock", `{"spec":{"holderIdentity":"b"}}`, 200)
		c.Sleep(time.Minute)
		p.at = 0
		p.client.CloseIdleConnections()
		p.wants("GET lock", "", 200, `"holderIdentity":"b"`)
	})
	if !p.cluster.Healed() {
		t.Error("not healed")
	}
}

// versionAfter returns the resource version of a lease after a number of writes, if nothing else was written.
func versionAfter(writes int) string {
	if writes == 0 {
		return ""
	}
	return fmt.Sprint(writes + 1)
}
