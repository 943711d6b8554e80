package simetcd

import (
	"fmt"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestLeaseEnds: the keys of a lease vanish in one revision when it is not kept alive any
// more, at the next look of the leader, and not before. A watcher is told.
func TestLeaseEnds(t *testing.T) {
	const last = 1200 * time.Millisecond // when it is kept alive
	e := run(t, Options{}, func(e *clusterTest) {
		e.client(1, func(_ *sim.Process, c *client) {
			m, err := c.unary("grant", object{"ID": "7", "TTL": "1"})
			e.note("granted: %v s, %v", m["TTL"], err)
			for _, key := range []string{"b", "a"} {
				if _, err := c.unary("put", leasing(key, 7)); err != nil {
					t.Error(err)
				}
			}
			c.until(e.world, last)
			list, err := c.call("keepalive", object{"ID": "7"})
			e.note("kept alive: %v s, %v", list[0]["TTL"], err)
		})
		e.client(2, func(_ *sim.Process, c *client) {
			stream := c.begin("watch", false, object{"create_request": object{"key": text("\x00"), "range_end": text("\x00"), "filters": []any{"NOPUT"}}})
			c.receive(time.Minute)
			e.note("created: %v", c.take(stream)[0]["created"])
			c.receive(time.Minute)
			events := c.take(stream)[0]["events"].([]any)
			for _, v := range events {
				kv := v.(object)["kv"].(object)
				e.note("%v %s at %v", v.(object)["type"], untext(kv["key"]), kv["mod_revision"])
			}
			if now := e.world.Now(); now < 3500*time.Millisecond || now > 3600*time.Millisecond {
				t.Errorf("the lease ended at %v", now)
			}
		})
	})
	e.wants("log", e.log, []string{"created: true", "granted: 2 s, <nil>", "kept alive: 2 s, <nil>", "DELETE a at 4", "DELETE b at 4"})
}

// TestObservations: an observation of a key has its lease, the revision in which it was
// created, and the lease's end, which moves with each keep-alive.
func TestObservations(t *testing.T) {
	e := run(t, Options{Members: 1}, func(e *clusterTest) {
		e.client(0, func(_ *sim.Process, c *client) {
			_, _ = c.unary("put", putting("x", ""))
			_, _ = c.unary("grant", object{"ID": "31", "TTL": "2"})
			_, _ = c.unary("put", leasing("a", 31))
			c.until(e.world, time.Second)
			_, _ = c.call("keepalive", object{"ID": "31"})
			_, _ = c.unary("put", leasing("a", 31))
			c.until(e.world, 5*time.Second)
		})
	})
	var got []string
	for _, o := range e.seen {
		if o.Key == "a" {
			got = append(got, fmt.Sprintf("%s %s lease %s revision %d ends %v by %q of %q", o.Kind, o.Authority, o.Session, o.Revision,
				o.ExpiresAt.Round(100*time.Millisecond), o.By.Client, o.Owner.Client))
		}
	}
	e.wants("observations", got, []string{
		`created etcd lease 1f revision 3 ends 2s by "c1" of "c1"`,
		`changed etcd lease 1f revision 3 ends 3s by "c1" of "c1"`,
		`changed etcd lease 1f revision 3 ends 3s by "c1" of "c1"`,
		`expired etcd lease 1f revision 3 ends 0s by "" of "c1"`,
	})
}

// TestNewLeaderExtendsLeases: a new leader takes every lease to have been kept alive when it
// began to lead, and adds the election time-out.
func TestNewLeaderExtendsLeases(t *testing.T) {
	e := run(t, Options{}, func(e *clusterTest) {
		e.at(2*time.Second, e.cluster.Nodes()[0].Crash)
		e.client(1, func(_ *sim.Process, c *client) {
			_, _ = c.unary("grant", object{"ID": "7", "TTL": "3"})
			_, _ = c.unary("put", leasing("a", 7))
			for i := 0; ; i++ {
				c.sleep(100 * time.Millisecond)
				m, err := c.unary("range", serializable("a"))
				if err != nil || len(kvs(m)) == 0 {
					e.note("gone at %v", e.world.Now().Round(100*time.Millisecond))
					return
				}
			}
		})
	})
	// Lost at 3 s, elected at 3.2 s, and 3 s and 1 s later at the next whole half second.
	e.wants("log", e.log, []string{"gone at 7.5s"})
}

// TestClock: leases do not end early when the leader's clock jumps.
func TestClock(t *testing.T) {
	e := run(t, Options{}, func(e *clusterTest) {
		e.at(time.Second, func() { e.cluster.Nodes()[0].Jump(time.Hour) })
		e.client(0, func(_ *sim.Process, c *client) {
			_, _ = c.unary("grant", object{"ID": "7", "TTL": "3"})
			_, _ = c.unary("put", leasing("a", 7))
			c.sleep(4 * time.Second)
		})
		e.at(2*time.Second, func() { e.note("%v", e.committed()[1:]) })
		e.at(4*time.Second, func() { e.note("%v", e.committed()[1:]) })
	})
	e.wants("log", e.log, []string{"[]", "[expired a]"})
}

// TestStaleKeepAlive: the lease of a client of a leader that hangs ends with the next leader.
// When the first comes to, one of an old version tells the client that it is kept alive, and
// one of a new version does not.
func TestStaleKeepAlive(t *testing.T) {
	for stale, want := range map[bool]string{
		true:  "[7 30] <nil>",
		false: "not a primary lessor (2)",
	} {
		e := run(t, Options{StaleKeepAlive: stale}, func(e *clusterTest) {
			e.at(time.Second, func() { e.cluster.Nodes()[0].Hang(10 * time.Second) })
			e.client(0, func(_ *sim.Process, c *client) {
				_, _ = c.unary("grant", object{"ID": "7", "TTL": "30"})
				_, _ = c.unary("put", leasing("a", 7))
				c.until(e.world, 2*time.Second)
				list, err := c.call("keepalive", object{"ID": "7"})
				if err != nil {
					e.note("%v", err)
					return
				}
				e.note("[%v %v] <nil>", list[0]["ID"], list[0]["TTL"])
			})
			e.client(1, func(_ *sim.Process, c *client) {
				c.until(e.world, 5*time.Second)
				if _, err := c.unary("revoke", object{"ID": "7"}); err != nil {
					t.Error(err)
				}
			})
		})
		e.wants(fmt.Sprint("stale ", stale), e.log, []string{want})
		e.wants("committed", e.committed(), []string{"created a", "deleted a"})
		if !e.cluster.Healed() || e.cluster.Leader().Name() == "etcd1" {
			t.Errorf("it has not healed: %s leads", e.cluster.Leader().Name())
		}
	}
}

// TestStaleRevocation: a leader that comes to takes a lease to have ended which was kept alive at
// the next leader. One of an old version has it revoked there.
func TestStaleRevocation(t *testing.T) {
	for _, test := range []struct {
		stale bool
		want  []string
	}{{true, []string{"created a", "expired a"}}, {false, []string{"created a"}}} {
		e := run(t, Options{StaleKeepAlive: test.stale}, func(e *clusterTest) {
			e.at(time.Second, func() { e.cluster.Nodes()[0].Hang(5 * time.Second) })
			e.client(1, func(_ *sim.Process, c *client) {
				_, _ = c.unary("grant", object{"ID": "7", "TTL": "2"})
				_, _ = c.unary("put", leasing("a", 7))
				for range 20 {
					list, err := c.call("keepalive", object{"ID": "7"})
					if err != nil || list[0]["TTL"] == nil {
						e.note("at %v: %v", e.world.Now().Round(100*time.Millisecond), err)
						return
					}
					c.sleep(400 * time.Millisecond)
				}
				e.note("%v", e.committed())
			})
		})
		log := []string{"at 6.2s: <nil>"}
		if !test.stale {
			log = []string{"[created a]"}
		}
		e.wants(fmt.Sprint("stale ", test.stale), e.log, log)
		e.wants("committed", e.committed()[:len(test.want)], test.want)
		if !e.cluster.Healed() || e.cluster.Leader().Name() == "etcd1" {
			t.Errorf("it has not healed: %s leads", e.cluster.Leader().Name())
		}
	}
}
