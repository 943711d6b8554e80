package simetcd

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// clusterTest is a run with a cluster and clients of it.
type clusterTest struct {
	*testing.T
	world   *sim.World
	cluster *Cluster
	options Options
	seen    []model.Observation
	log     []string
	clients int
	faults  int
}

// note notes what a client saw.
func (e *clusterTest) note(format string, args ...any) {
	e.log = append(e.log, fmt.Sprintf(format, args...))
}

// client adds a client process that is connected to a server, by its number from 0.
func (e *clusterTest) client(server int, work func(p *sim.Process, c *client)) *sim.Process {
	e.clients++
	p := e.world.NewProcess(fmt.Sprint("c", e.clients), sim.ProcessOptions{Host: fmt.Sprint("10.0.0.", e.clients)})
	p.Go(func() {
		c, err := dial(p, e.cluster.Addresses()[server])
		if err != nil {
			e.Errorf("%s: %v", p.Name(), err)
			return
		}
		work(p, c)
	})
	return p
}

// at schedules a fault.
func (e *clusterTest) at(d time.Duration, f func()) {
	e.faults++
	a := e.world.NewActor(fmt.Sprint("fault", e.faults))
	e.world.At(a, d, sim.EventFault, sim.EventOptions{Vital: true}, f)
}

// run makes a run of a cluster.
func run(t *testing.T, o Options, setUp func(e *clusterTest)) *clusterTest {
	t.Helper()
	e := &clusterTest{T: t, options: o}
	report := sim.Run(sim.Config{Record: true, Horizon: 5 * time.Minute, MaxEvents: 100_000}, func(w *sim.World) {
		w.AnswerUnsupported()
		e.begin(w)
		w.Network().SetLink(sim.Link{Base: 100 * time.Microsecond, Jitter: 100 * time.Microsecond})
		setUp(e)
	})
	if report.Failure != nil {
		t.Fatalf("%v\n%s\n%s", report.Failure, report.Failure.Stack, strings.Join(e.log, "\n"))
	}
	if report.Cut != "" {
		t.Fatalf("cut: %s\n%s", report.Cut, strings.Join(e.log, "\n"))
	}
	return e
}

func (e *clusterTest) begin(w *sim.World) {
	e.world = w
	if e.options.Transport == nil {
		e.options.Transport = plain
	}
	e.cluster = New(w, e.options, func(o model.Observation) { e.seen = append(e.seen, o) })
}

// committed are the observations of committed changes of keys.
func (e *clusterTest) committed() (list []string) {
	for _, o := range e.seen {
		prolonged := o.Kind == model.RecordChanged && o.OldOwner == o.Owner
		if o.Authority != "" && o.Key != "" && !prolonged {
			list = append(list, string(o.Kind)+" "+o.Key)
		}
	}
	return list
}

func (e *clusterTest) wants(what string, got, want []string) {
	e.Helper()
	if !slices.Equal(got, want) {
		e.Errorf("%s:\n%s\nwant\n%s\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"), strings.Join(e.log, "\n"))
	}
}

// kvs are the keys and values of a range.
func kvs(answer object) (list []string) {
	all, _ := answer["kvs"].([]any)
	for _, kv := range all {
		b, _ := kv.(object)["key"].(string)
		list = append(list, untext(b)+"="+untext(kv.(object)["value"]))
	}
	return list
}

// untext are bytes in JSON.
func untext(v any) string {
	s, _ := v.(string)
	return string(bytesOf(s))
}

func putting(key, value string) object {
	return object{"key": text(key), "value": text(value)}
}

func getting(key string) object { return object{"key": text(key)} }

func serializable(key string) object { return object{"key": text(key), "serializable": true} }

func leasing(key string, lease int64) object {
	return object{"key": text(key), "value": text("v"), "lease": digits(lease)}
}

// TestClusterServes: what one client writes at one server, another reads at another.
func TestClusterServes(t *testing.T) {
	for members := 1; members <= MostMembers; members++ {
		t.Run(fmt.Sprint(members), func(t *testing.T) {
			e := run(t, Options{Members: members}, func(e *clusterTest) {
				written := make(chan struct{})
				e.client(0, func(_ *sim.Process, c *client) {
					if _, err := c.unary("put", putting("a", "1")); err != nil {
						t.Error(err)
					}
					close(written)
				})
				e.client(members-1, func(_ *sim.Process, c *client) {
					<-written
					m, err := c.unary("range", getting("a"))
					e.note("%v %v", kvs(m), err)
				})
			})
			e.wants("read", e.log, []string{"[a=1] <nil>"})
			e.wants("committed", e.committed(), []string{"created a"})
		})
	}
}

// TestLeaderCrash: a write goes on with another leader; nothing that was committed is lost.
func TestLeaderCrash(t *testing.T) {
	e := run(t, Options{}, func(e *clusterTest) {
		e.at(time.Second, e.cluster.Nodes()[0].Crash)
		e.at(6*time.Second, e.cluster.Nodes()[0].Restart)
		e.client(1, func(_ *sim.Process, c *client) {
			for i := range 30 {
				_, err := c.unary("put", putting(fmt.Sprintf("a%02d", i), ""))
				if err != nil {
					e.note("%v", err)
				}
				c.sleep(100 * time.Millisecond)
			}
			m, err := c.unary("range", object{"key": text("a"), "range_end": text("b"), "count_only": true})
			e.note("%v %v", m["count"], err)
		})
	})
	// The write that the old leader took with it ends with the server's patience.
	e.wants("log", e.log, []string{"etcdserver: request timed out, possibly due to previous leader failure (14)", "29 <nil>"})
	if got := len(e.committed()); got != 29 {
		t.Errorf("%d keys were committed", got)
	}
	if !e.cluster.Healed() || e.cluster.Leader().Name() == "etcd1" {
		t.Errorf("it has not healed: %s leads", e.cluster.Leader().Name())
	}
}

// TestMinority: a leader that is cut off with a minority commits nothing; the majority elects
// another. What the old leader had appended alone is dropped. Reads of the minority fail, or
// are stale, as they ask to be.
func TestMinority(t *testing.T) {
	e := run(t, Options{}, func(e *clusterTest) {
		old := e.cluster.Nodes()[0]
		others := []*sim.Actor{e.cluster.Nodes()[1].Actor, e.cluster.Nodes()[2].Actor}
		part := sim.Partition{A: []*sim.Actor{old.Actor}, B: others}
		e.client(0, func(_ *sim.Process, c *client) {
			_, err := c.unary("put", putting("a", "before"))
			e.note("1 before: %v", err)
			c.until(e.world, 1500*time.Millisecond)
			_, err = c.unary("put", putting("a", "alone"))
			e.note("1 alone, at %v: %v", e.world.Now().Round(time.Second), err)
			m, err := c.unary("range", serializable("a"))
			e.note("1 stale: %v %v", kvs(m), err)
			_, err = c.unary("range", getting("a"))
			e.note("1 current, at %v: %v", e.world.Now().Round(time.Second), err)
			_, err = c.unary("grant", object{})
			e.note("1 grant, at %v: %v", e.world.Now().Round(time.Second), err)
			stream := c.beginAs("!"+apis["keepalive"].grpc, "keepalive", true)
			c.receive(time.Minute)
			e.note("1 keep alive: %v", c.ended[stream])
			c.until(e.world, 45*time.Second)
			m, err = c.unary("range", getting("a"))
			e.note("1 at the end: %v %v", kvs(m), err)
		})
		e.at(time.Second, func() { e.world.Network().Part(part, 39*time.Second) })
		e.at(40*time.Second, func() { e.world.Network().Unite(part) })
		e.client(1, func(_ *sim.Process, c *client) {
			c.until(e.world, 4*time.Second)
			_, err := c.unary("put", putting("a", "after"))
			e.note("2 after: %v, %s leads", err, e.cluster.Leader().Name())
		})
	})
	e.wants("log", e.log, []string{
		"1 before: <nil>",
		"2 after: <nil>, etcd3 leads",
		"1 alone, at 9s: etcdserver: request timed out (14)",
		"1 stale: [a=before] <nil>",
		"1 current, at 16s: etcdserver: request timed out (14)",
		"1 grant, at 23s: etcdserver: request timed out (14)",
		"1 keep alive: etcdserver: no leader (14)",
		"1 at the end: [a=after] <nil>",
	})
	e.wants("committed", e.committed(), []string{"created a", "changed a"})
	if !e.cluster.Healed() {
		t.Error("it has not healed")
	}
}

// TestLeaderChanged: a linearizable read that waits for a leader fails when there is one, so
// that the client asks again.
func TestLeaderChanged(t *testing.T) {
	e := run(t, Options{}, func(e *clusterTest) {
		e.at(time.Second, e.cluster.Nodes()[0].Crash)
		e.client(1, func(_ *sim.Process, c *client) {
			c.until(e.world, 1500*time.Millisecond)
			_, err := c.unary("range", getting("a"))
			e.note("%v, at %v", err, e.world.Now().Round(100*time.Millisecond))
			_, err = c.unary("range", getting("a"))
			e.note("%v", err)
		})
	})
	e.wants("log", e.log, []string{"etcdserver: leader changed (14), at 2.2s", "<nil>"})
}

// TestWatchGoesOn: a watch of a follower goes on while it has no leader, and is told what was
// committed meanwhile when it has one again. It ends with its connection.
func TestWatchGoesOn(t *testing.T) {
	e := run(t, Options{}, func(e *clusterTest) {
		nodes := e.cluster.Nodes()
		part := sim.Partition{A: []*sim.Actor{nodes[2].Actor}, B: []*sim.Actor{nodes[0].Actor, nodes[1].Actor}}
		e.at(time.Second, func() { e.world.Network().Part(part, 5*time.Second) })
		e.at(6*time.Second, func() { e.world.Network().Unite(part) })
		e.client(2, func(_ *sim.Process, c *client) {
			stream := c.begin("watch", false, object{"create_request": object{"key": text("a")}})
			for range 2 {
				c.receive(time.Minute)
				m := c.take(stream)[0]
				e.note("created %v, events %t, at %v", m["created"], m["events"] != nil, e.world.Now().Round(100*time.Millisecond))
			}
			_ = c.conn.Close()
			c.until(e.world, 8*time.Second)
			if open := len(nodes[2].calls); open > 0 {
				t.Errorf("%d calls are open", open)
			}
		})
		e.client(0, func(_ *sim.Process, c *client) {
			c.until(e.world, 3*time.Second)
			if _, err := c.unary("put", putting("a", "1")); err != nil {
				t.Error(err)
			}
		})
	})
	e.wants("log", e.log, []string{"created true, events false, at 0s", "created <nil>, events true, at 6s"})
}

// TestLonelyCalls: at a server that has lost its leader, a watch that needs one ends after three
// election time-outs, and others go on. A call that is no stream is looked at when it begins and
// not again: it waits until the server's patience ends.
func TestLonelyCalls(t *testing.T) {
	e := run(t, Options{}, func(e *clusterTest) {
		nodes := e.cluster.Nodes()
		part := sim.Partition{A: []*sim.Actor{nodes[2].Actor}, B: []*sim.Actor{nodes[0].Actor, nodes[1].Actor}}
		e.at(time.Second, func() { e.world.Network().Part(part, 20*time.Second) })
		e.at(21*time.Second, func() { e.world.Network().Unite(part) })
		e.client(2, func(_ *sim.Process, c *client) {
			create := object{"create_request": object{"key": text("a")}}
			patient := c.begin("watch", false, create)
			lonely := c.beginAs("!"+apis["watch"].grpc, "watch", false, create)
			for c.ended[lonely] == nil {
				c.receive(time.Minute)
			}
			e.note("%v at %v", c.ended[lonely], e.world.Now().Round(100*time.Millisecond))
			c.until(e.world, 20*time.Second)
			e.note("the other has ended: %v", c.ended[patient] != nil)
		})
		e.client(2, func(_ *sim.Process, c *client) {
			for _, at := range []time.Duration{1500 * time.Millisecond, 10 * time.Second} {
				c.until(e.world, at)
				write := c.beginAs("!"+apis["put"].grpc, "put", true, putting("a", ""))
				for c.ended[write] == nil {
					c.receive(time.Minute)
				}
				e.note("put at %v: %v at %v", at, c.ended[write], e.world.Now().Round(100*time.Millisecond))
			}
		})
	})
	e.wants("log", e.log, []string{
		"etcdserver: no leader (14) at 5s",
		"put at 1.5s: etcdserver: request timed out (14) at 8.5s",
		"put at 10s: etcdserver: no leader (14) at 10s",
		"the other has ended: false",
	})
}

// TestRefusals: what is not served is refused with gRPC's or etcd's own words.
func TestRefusals(t *testing.T) {
	e := run(t, Options{Members: 1}, func(e *clusterTest) {
		e.client(0, func(_ *sim.Process, c *client) {
			for _, path := range []string{"/etcdserverpb.KV/Nothing", "/etcdserverpb.Auth/AuthEnable", "/v3lockpb.Lock/Lock", "x"} {
				stream := c.beginAs(path, "put", true)
				c.receive(time.Minute)
				e.note("%v", c.ended[stream])
			}
			_, err := c.unary("authenticate", object{"name": "root"})
			e.note("%v", err)
			stream := c.begin("put", false)
			c.write(frame(frameMessage, stream, []byte("\x0a\x05abc")))
			c.receive(time.Minute)
			e.note("%v", c.ended[stream])
		})
	})
	e.wants("log", e.log, []string{
		"unknown method Nothing for service etcdserverpb.KV (12)",
		"unknown method AuthEnable for service etcdserverpb.Auth (12)",
		"unknown service v3lockpb.Lock (12)",
		"unknown service x (12)",
		"etcdserver: authentication is not enabled (9)",
		"grpc: error unmarshalling request (13)",
	})
}

// TestMembership: who the members are, and what one says of itself with a leader and without.
func TestMembership(t *testing.T) {
	e := run(t, Options{}, func(e *clusterTest) {
		nodes := e.cluster.Nodes()
		part := sim.Partition{A: []*sim.Actor{nodes[2].Actor}, B: []*sim.Actor{nodes[0].Actor, nodes[1].Actor}}
		e.at(time.Second, func() { e.world.Network().Part(part, 5*time.Second) })
		e.at(6*time.Second, func() { e.world.Network().Unite(part) })
		e.client(2, func(_ *sim.Process, c *client) {
			list, err := c.unary("members", object{"linearizable": true})
			members, _ := list["members"].([]any)
			ids := map[any]string{nil: "nobody"}
			for _, m := range members {
				ids[m.(object)["ID"]] = m.(object)["name"].(string)
				e.note("%v %v %v", m.(object)["name"], m.(object)["clientURLs"], err)
			}
			for _, at := range []time.Duration{500 * time.Millisecond, 4 * time.Second} {
				c.until(e.world, at)
				m, err := c.unary("status", object{})
				e.note("%s leads, says %s %v; errors %v %v", ids[m["leader"]], ids[m["header"].(object)["member_id"]], m["version"], m["errors"], err)
			}
		})
	})
	e.wants("log", e.log, []string{
		"etcd1 [http://10.0.2.1:2379] <nil>", "etcd2 [http://10.0.2.2:2379] <nil>", "etcd3 [http://10.0.2.3:2379] <nil>",
		"etcd1 leads, says etcd3 3.5.21; errors <nil> <nil>",
		"nobody leads, says etcd3 3.5.21; errors [etcdserver: no leader] <nil>",
	})
}

// TestRestart: a single server comes back with all that it had. Its leases are extended.
func TestRestart(t *testing.T) {
	e := run(t, Options{Members: 1}, func(e *clusterTest) {
		n := e.cluster.Nodes()[0]
		e.client(0, func(p *sim.Process, c *client) {
			_, _ = c.unary("grant", object{"ID": "7", "TTL": "5"})
			_, _ = c.unary("put", leasing("a", 7))
			c.until(e.world, 4*time.Second)
			_, err := c.unary("range", getting("a"))
			e.note("connection: %v", err != nil)
			c, err = dial(p, n.Address())
			if err != nil {
				t.Error(err)
				return
			}
			m, err := c.unary("timetolive", object{"ID": "7", "keys": true})
			e.note("%v s, %d key, %v", m["TTL"], len(m["keys"].([]any)), err)
		})
		e.at(time.Second, func() {
			n.Crash()
			if !n.Down() || n.Leads() {
				t.Error("it is not down")
			}
		})
		e.at(3*time.Second, n.Restart)
	})
	// Elected at 3.2 s, with an election time-out on top.
	e.wants("log", e.log, []string{"connection: true", "5 s, 1 key, <nil>"})
}

// TestPromote: the preferred server leads if it has the votes of a majority, and at once.
func TestPromote(t *testing.T) {
	e := run(t, Options{}, func(e *clusterTest) {
		nodes := e.cluster.Nodes()
		e.at(time.Second, nodes[0].Crash)
		e.at(2050*time.Millisecond, func() {
			e.cluster.Promote(nodes[1])
			e.cluster.Promote(nodes[2])
		})
		e.at(2100*time.Millisecond, func() {
			if e.cluster.Leader() != nodes[1] || !nodes[1].Leads() {
				t.Errorf("%s leads", e.cluster.Leader().Name())
			}
		})
		e.at(3*time.Second, nodes[0].Restart)
		e.at(4*time.Second, func() {
			if !e.cluster.Healed() {
				t.Error("it has not healed")
			}
		})
	})
	e.wants("log", e.log, nil)
}

// TestLaterTerm: an entry that its leader has committed in a later term than it was
// appended in is not lost to an entry of a term in between, which no other server has (figure 8
// of Ongaro and Ousterhout, 2014).
func TestLaterTerm(t *testing.T) {
	e := run(t, Options{}, func(e *clusterTest) {
		a, b, c := e.cluster.Nodes()[0], e.cluster.Nodes()[1], e.cluster.Nodes()[2]
		apart := func(one, other *Node) sim.Partition {
			return sim.Partition{A: []*sim.Actor{one.Actor}, B: []*sim.Actor{other.Actor}}
		}
		part := func(one, other *Node) { e.world.Network().Part(apart(one, other), 0) }
		unite := func(one, other *Node) { e.world.Network().Unite(apart(one, other)) }
		put := func(server int, key string, at time.Duration) {
			e.client(server, func(_ *sim.Process, c *client) {
				c.until(e.world, at)
				_, _ = c.unary("put", putting(key, "v"))
			})
		}
		e.at(time.Second, func() { part(a, b); part(a, c) })
		put(0, "x", 1100*time.Millisecond)                    // which only the first server has
		e.at(2200050*time.Microsecond, func() { part(b, c) }) // just after the third was elected
		put(2, "y", 2300*time.Millisecond)                    // which only that one has
		e.at(2400*time.Millisecond, c.Crash)
		e.at(2500*time.Millisecond, func() { unite(a, b) })
		e.at(6*time.Second, a.Crash)
		e.at(7*time.Second, func() { unite(b, c); unite(a, c); c.Restart() })
		e.at(9*time.Second, a.Restart)
		e.at(10*time.Second, func() {
			if e.cluster.Leader() != b || !e.cluster.Healed() {
				t.Errorf("%s leads", e.cluster.Leader().Name())
			}
		})
	})
	e.wants("committed", e.committed(), []string{"created x"})
}
