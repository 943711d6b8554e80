package checker

import (
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// TestReplacedActs: when a node acts as the one that serves although another has been promoted.
func TestReplacedActs(t *testing.T) {
	world := func(kind model.ObservationKind, node, authority string) func(*script) {
		return func(s *script) { s.see(model.Observation{Kind: kind, Node: node, Authority: authority}) }
	}
	promoted, crashed, demoted := world(model.Promoted, "r2", "r2"), world(model.Crashed, "r1", "r1"), world(model.Returned, "r1", "")
	restarted := world(model.Returned, "r1", "r1")
	for _, test := range []struct {
		name          string
		before, after []func(*script)
		want          bool
	}{
		{"nothing", nil, nil, false},
		{"promoted beside the other", nil, []func(*script){promoted}, true},
		{"it was before, and still is", []func(*script){promoted}, nil, true},
		{"made a follower before", []func(*script){promoted, demoted}, nil, false},
		{"made a follower meanwhile", []func(*script){promoted}, []func(*script){demoted}, true},
		{"crashed before", []func(*script){crashed, promoted}, nil, false},
		{"crashed before, and restarted as what it was", []func(*script){crashed, promoted}, []func(*script){restarted}, true},
		{"restarted before another was promoted", []func(*script){crashed, restarted}, nil, false},
		{"a leader that speaks for all", nil, []func(*script){world(model.Promoted, "r2", "ensemble")}, false},
		{"promoted in vain: the first serves again, and the other follows it", []func(*script){
			promoted, world(model.Promoted, "r1", "r1"), world(model.Returned, "r2", ""),
		}, nil, false},
		{"of another server", nil, []func(*script){world(model.Promoted, "other", "other")}, false},
	} {
		s := &script{}
		for _, f := range test.before {
			f(s)
		}
		from := s.tick()
		for _, f := range test.after {
			f(s)
		}
		j := newJudge(&s.h, Options{Servers: [][]string{{"r1", "r2"}, {"other"}}})
		if got := j.ReplacedActs("r1", from, s.tick()); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// TestNoOrphanOfTwoPrimaries: beside an old primary a client may release its lock at the one, and have its
// key at the other, which no lock can help. Once the old one follows, a key that stays is the lock's fault.
func TestNoOrphanOfTwoPrimaries(t *testing.T) {
	for _, old := range []bool{true, false} {
		s := &script{}
		s.free("c1", s.granted("c1"))
		s.see(model.Observation{Kind: model.Promoted, Node: "r2", Authority: "r2"})
		if !old {
			s.see(model.Observation{Kind: model.Returned, Node: "r1"})
		}
		at := func(o *model.Observation) { o.Node, o.Authority = "r2", "r2" }
		a := s.acquire("c1")
		s.key(model.RecordCreated, a, a, at)
		s.ok(a)
		s.free("c1", a)
		s.acquire("c2")
		s.sleep(100 * ms)
		s.tick()
		want := model.Violated
		if old {
			want = model.Holds
		}
		v := Check(&s.h, Options{OrphanBound: 50 * ms, Servers: [][]string{{"r1", "r2"}}}, NoOrphan)[0]
		if v.Status != want {
			t.Errorf("with the old primary at work %t: %s, %s", old, v.Status, v.Sentence)
		}
	}
}

// TestNoOrphanOfARefusal: who cannot release its lock because the node that has it refuses everything is not blamed. What is left
// otherwise is the lock's fault: if another node refused, if that was over before, or if it began when the clean-up could have been done.
func TestNoOrphanOfARefusal(t *testing.T) {
	type moment int
	const (
		before    moment = iota // the acquisition is called
		meanwhile               // it has the lock
		releasing               // its Release is under way
		after                   // for more than a round trip after that
	)
	closed := func(node string) func(*script) {
		return func(s *script) { s.see(model.Observation{Kind: model.Closed, Node: node, Authority: node}) }
	}
	opened := func(s *script) { s.see(model.Observation{Kind: model.Opened, Node: "r1", Authority: "r1"}) }
	for _, test := range []struct {
		name string
		does map[moment]func(*script)
		want model.Status
	}{
		{"nobody refuses", nil, model.Violated},
		{"its node does, from then on", map[moment]func(*script){meanwhile: closed("r1")}, model.Holds},
		{"while it releases", map[moment]func(*script){meanwhile: closed("r1"), after: opened}, model.Holds},
		{"until it has nearly released", map[moment]func(*script){meanwhile: closed("r1"), releasing: opened}, model.Holds},
		{"since before", map[moment]func(*script){before: closed("r1"), releasing: opened}, model.Holds},
		{"another node does", map[moment]func(*script){meanwhile: closed("r3")}, model.Violated},
		{"that was over before", map[moment]func(*script){before: func(s *script) { closed("r1")(s); opened(s) }}, model.Violated},
		{"it was back before", map[moment]func(*script){before: func(s *script) {
			closed("r1")(s)
			s.see(model.Observation{Kind: model.Returned, Node: "r1", Authority: "r1"})
		}}, model.Violated},
		{"it begins later", map[moment]func(*script){after: closed("r1")}, model.Violated},
	} {
		s := &script{}
		do := func(m moment) {
			if f := test.does[m]; f != nil {
				f(s)
			}
		}
		s.tick()
		do(before)
		a := s.acquire("c1")
		s.key(model.RecordCreated, a, a, func(o *model.Observation) { o.Authority = "r1" })
		s.ok(a)
		do(meanwhile)
		r := s.release("c1", a)
		do(releasing)
		s.ok(r)
		s.acquire("c2")
		s.sleep(20 * ms)
		do(after)
		s.sleep(100 * ms)
		s.tick()
		v := Check(&s.h, Options{OrphanBound: 50 * ms, Servers: [][]string{{"r1", "r2"}, {"r3", "r4"}}}, NoOrphan)[0]
		if v.Status != test.want {
			t.Errorf("%s: %s, %s", test.name, v.Status, v.Sentence)
		}
	}
}

// TestNoOrphanOfALostRelease: a key that an acquisition's own Release had removed, and that comes back with a failover, is no fault, also if the
// thread releases another entry later. One that its Release had left is.
func TestNoOrphanOfALostRelease(t *testing.T) {
	for _, removed := range []bool{true, false} {
		s := &script{}
		follower := func(o *model.Observation) { o.Node, o.Authority = "r2", "" }
		a := s.acquire("c1")
		s.key(model.RecordCreated, a, a)
		s.key(model.RecordCreated, a, a, follower)
		s.ok(a)
		b := s.acquire("c1")
		s.ok(b)
		r := s.release("c1", a)
		if removed {
			s.key(model.RecordDeleted, a, r)
		}
		s.ok(r)
		s.see(model.Observation{Kind: model.Crashed, Node: "r1"})
		s.see(model.Observation{Kind: model.Promoted, Node: "r2", Authority: "r2"})
		s.ok(s.release("c1", b))
		s.acquire("c2")
		s.sleep(100 * ms)
		s.tick()
		want := model.Violated
		if removed {
			want = model.Holds
		}
		v := Check(&s.h, Options{OrphanBound: 50 * ms, Servers: [][]string{{"r1", "r2"}}}, NoOrphan)[0]
		if v.Status != want {
			t.Errorf("with the key removed %t: %s, %s", removed, v.Status, v.Sentence)
		}
	}
}
