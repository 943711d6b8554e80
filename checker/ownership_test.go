package checker

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// recipe is a lock of which each client that wants it has a record of its own, with a
// session, at one authority.
type recipe struct {
	name, authority string
	view            model.Ownership
	// path is the key of the n-th record, whose revision is n if it is numbered.
	path     func(n int) string
	numbered bool
}

// recipes are those of the manuals: of ZooKeeper's, clients may have put a name of
// their own before the number; of etcd's, keys are in the order of nothing.
var recipes = []recipe{
	{name: "zookeeper", authority: "zk", view: model.SequenceOwnership{Prefix: "/lock/"}, path: func(n int) string {
		return fmt.Sprintf("/lock/_c_%x-n-%010d", 1000-n, n)
	}},
	{name: "etcd", authority: "etcd", numbered: true, view: model.SequenceOwnership{Prefix: "lock/", ByRevision: true}, path: func(n int) string {
		return fmt.Sprintf("lock/%x", 1000-n)
	}},
}

// queueing is a history of such a lock.
type queueing struct {
	*script
	recipe
	number map[int]int // of the record, by the acquisition
}

// ask calls Acquire and has the authority create its record.
func (q *queueing) ask(client string) int {
	q.h.TTL = lease
	id := q.acquire(client)
	q.number[id] = len(q.number) + 10
	q.happens(model.RecordCreated, id, id)
	return id
}

// gets asks and is told of success at once.
func (q *queueing) gets(client string, with ...func(*model.Operation)) int {
	id := q.ask(client)
	q.ok(id, with...)
	return id
}

// happens is what befalls the record of an acquisition, by an operation.
func (q *queueing) happens(kind model.ObservationKind, acquisition, by int) {
	q.see(q.told(kind, acquisition, by))
}

// copied is what befalls the record on a replica.
func (q *queueing) copied(kind model.ObservationKind, acquisition int) {
	o := q.told(kind, acquisition, acquisition)
	o.Node, o.Authority = q.authority+"2", ""
	q.see(o)
}

func (q *queueing) told(kind model.ObservationKind, acquisition, by int) model.Observation {
	n := q.number[acquisition]
	o := model.Observation{
		Kind: kind, Node: q.authority + "1", Authority: q.authority, Key: q.path(n), Value: "host",
		Session: fmt.Sprint("session ", acquisition), Owner: q.origin(acquisition), By: q.origin(by),
	}
	if q.numbered {
		o.Revision = int64(n)
	}
	return o
}

// leaves releases at once, and its record is deleted.
func (q *queueing) leaves(client string, acquisition int) {
	r := q.release(client, acquisition)
	q.happens(model.RecordDeleted, acquisition, r)
	q.ok(r)
}

// leads is the election of another leader.
func (q *queueing) leads(node string) {
	q.see(model.Observation{Kind: model.Promoted, Node: node, Authority: q.authority})
}

// sessionEnds ends the session of an acquisition a lease after its client was heard of.
func (q *queueing) sessionEnds(acquisition int) {
	q.sleep(lease)
	q.happens(model.RecordExpired, acquisition, 0)
}

// recipeCase is a history, and the cause of the violation of each property that is
// violated in it.
type recipeCase struct {
	name  string
	write func(q *queueing)
	want  map[string]string
	// why is the end of what is said of mutual-exclusion; of NODE, the leader.
	why string
}

var recipeCases = []recipeCase{
	{"in turn", func(q *queueing) {
		a := q.gets("c1")
		b, c := q.ask("c2"), q.ask("c3")
		q.leaves("c1", a)
		q.ok(b)
		q.leaves("c2", b)
		q.ok(c)
		q.leaves("c3", c)
	}, nil, ""},
	{"in turn, with tokens", func(q *queueing) {
		a, b := q.ask("c1"), q.ask("c2")
		q.ok(a, token(1))
		q.leaves("c1", a)
		q.ok(b, token(2))
		q.leaves("c2", b)
	}, nil, ""},
	{"in turn, with tokens that fall", func(q *queueing) {
		a, b := q.ask("c1"), q.ask("c2")
		q.ok(a, token(2))
		q.leaves("c1", a)
		q.ok(b, token(1))
		q.leaves("c2", b)
	}, map[string]string{Fencing: model.TokenApart, Linearizable: model.TokenApart}, ""},
	{"by a session that ends", func(q *queueing) {
		a := q.gets("c1")
		b := q.ask("c2")
		q.world(model.Crashed, "c1")
		q.sessionEnds(a)
		q.ok(b)
		q.leaves("c2", b)
	}, nil, ""},
	{"to the third, when the second has given up", func(q *queueing) {
		a := q.gets("c1")
		b, c := q.ask("c2"), q.ask("c3")
		q.happens(model.RecordDeleted, b, b)
		q.failed(b)
		q.leaves("c1", a)
		q.ok(c)
		q.leaves("c3", c)
	}, nil, ""},
	{"while the first stands", func(q *queueing) {
		a := q.gets("c1")
		b := q.ask("c2")
		q.ok(b)
		q.leaves("c1", a)
		q.leaves("c2", b)
	}, map[string]string{MutualExclusion: model.NeverGranted, TruthfulAcquire: model.NeverGranted, Linearizable: model.NeverGranted}, "the store had not granted it to c2, but to c1."},
	{"to the third, when the second goes and the first stands", func(q *queueing) {
		a := q.gets("c1")
		b, c := q.ask("c2"), q.ask("c3")
		q.happens(model.RecordDeleted, b, b)
		q.failed(b)
		q.ok(c)
		q.leaves("c1", a)
		q.leaves("c3", c)
	}, map[string]string{MutualExclusion: model.NeverGranted, TruthfulAcquire: model.NeverGranted, Linearizable: model.NeverGranted}, "the store had not granted it to c3, but to c1."},
	{"by a replica that has missed the first", func(q *queueing) {
		a := q.gets("c1")
		b := q.ask("c2")
		q.copied(model.RecordCreated, b)
		q.ok(b)
		q.leaves("c1", a)
		q.leaves("c2", b)
	}, map[string]string{MutualExclusion: model.NeverGranted, TruthfulAcquire: model.NeverGranted, Linearizable: model.NeverGranted}, ""},
	{"by a replica that has lost the first", func(q *queueing) {
		a := q.gets("c1")
		q.copied(model.RecordCreated, a)
		b := q.ask("c2")
		q.copied(model.RecordCreated, b)
		q.copied(model.RecordDropped, a)
		q.ok(b)
		q.leaves("c1", a)
		q.leaves("c2", b)
	}, map[string]string{MutualExclusion: model.NeverGranted, TruthfulAcquire: model.NeverGranted, Linearizable: model.NeverGranted}, ""},
	{"without a record", func(q *queueing) {
		a := q.gets("c1")
		b := q.hold("c2")
		q.leaves("c1", a)
		q.free("c2", b)
	}, map[string]string{MutualExclusion: model.NeverGranted, TruthfulAcquire: model.NeverGranted, TruthfulRelease: model.Untrue, Linearizable: model.NeverGranted}, "c2 never had the record in the store, which c1 had."},
	{"too soon, and then in truth", func(q *queueing) {
		a := q.gets("c1")
		b := q.ask("c2")
		q.ok(b)
		q.leaves("c1", a)
		q.sleep(lease)
		q.leaves("c2", b) // its record is the first by now
	}, map[string]string{MutualExclusion: model.NeverGranted, TruthfulAcquire: model.NeverGranted, Linearizable: model.NeverGranted}, ""},
	{"of who is paused", func(q *queueing) {
		a := q.gets("c1")
		b := q.ask("c2")
		q.paused("c1", 2*lease)
		q.sessionEnds(a)
		q.ok(b)
		q.sleep(lease)
		q.world(model.Resumed, "c1")
		q.lost(a)
		q.leaves("c2", b)
	}, map[string]string{MutualExclusion: model.HolderStopped}, "c1's session expired on NODE while c1 was paused."},
	{"of who was paused long before", func(q *queueing) {
		a := q.gets("c1")
		b := q.ask("c2")
		q.paused("c1", lease)
		q.sleep(lease)
		q.world(model.Resumed, "c1")
		q.sleep(9 * lease)
		q.sessionEnds(a)
		q.ok(b)
		q.sleep(lossBound / 2)
		q.lost(a)
		q.leaves("c2", b)
	}, map[string]string{MutualExclusion: model.HeldTooLong}, ""},
	{"of who runs on and is not told", func(q *queueing) {
		a := q.gets("c1")
		b := q.ask("c2")
		q.sessionEnds(a)
		q.ok(b)
		q.sleep(lease)
		q.free("c1", a)
		q.leaves("c2", b)
	}, map[string]string{MutualExclusion: model.NotTold, TimelyLoss: model.NotTold, TruthfulRelease: model.Untrue, Linearizable: model.NotTold}, ""},
	{"deleted by another", func(q *queueing) {
		a := q.gets("c1")
		b := q.ask("c2")
		q.happens(model.RecordDeleted, a, b)
		q.ok(b)
		q.lost(a)
		q.leaves("c2", b)
	}, map[string]string{MutualExclusion: model.RemovedByAnother, OwnerOnlyRelease: model.RemovedByAnother}, "c1's record was deleted on NODE by c2's acquire."},
	{"of who has crashed, deleted by another", func(q *queueing) {
		a := q.gets("c1")
		b := q.ask("c2")
		q.world(model.Crashed, "c1")
		q.happens(model.RecordDeleted, a, b)
		q.ok(b)
		q.leaves("c2", b)
	}, map[string]string{OwnerOnlyRelease: model.RemovedByAnother}, ""},
	{"deleted by another when a lease has passed", func(q *queueing) {
		a := q.gets("c1")
		b := q.ask("c2")
		q.paused("c1", 2*lease)
		q.sleep(3 * lease / 2) // its session is kept alive by another thread
		q.happens(model.RecordDeleted, a, b)
		q.ok(b)
		q.sleep(lease)
		q.lost(a)
		q.leaves("c2", b)
	}, map[string]string{MutualExclusion: model.RemovedByAnother, OwnerOnlyRelease: model.RemovedByAnother}, ""},
	{"overtaken by another's record", func(q *queueing) {
		a := q.gets("c1")
		b := q.acquire("c2")
		q.number[b] = 5
		q.happens(model.RecordCreated, b, b)
		q.ok(b)
		q.lost(a)
		q.leaves("c2", b)
	}, map[string]string{MutualExclusion: model.RemovedByAnother, OwnerOnlyRelease: model.RemovedByAnother}, "c1's record was overtaken on NODE by c2's acquire."},
	{"deleted by itself", func(q *queueing) {
		a := q.ask("c1")
		q.happens(model.RecordDeleted, a, a)
		q.ok(a)
		b := q.gets("c2")
		q.lost(a)
		q.leaves("c2", b)
	}, map[string]string{MutualExclusion: model.RemovedByItself, TruthfulAcquire: model.RemovedByItself}, "c1's record was deleted on NODE by c1's acquire, before c1 had its answer."},
	{"forgotten by another leader", func(q *queueing) {
		a := q.gets("c1")
		b := q.ask("c2")
		q.leads(q.authority + "2")
		q.happens(model.RecordDropped, a, 0)
		q.ok(b)
		q.lost(a)
		q.leaves("c2", b)
	}, map[string]string{MutualExclusion: model.StoreForgot}, "NODE dropped c1's record."},
	{"kept by another leader", func(q *queueing) {
		a := q.gets("c1", until(time.Hour))
		b := q.ask("c2")
		q.leads(q.authority + "2")
		q.leaves("c1", a)
		q.ok(b)
		q.leaves("c2", b)
	}, nil, ""},
	{"left behind, and in the way when its turn comes", func(q *queueing) {
		a := q.gets("c1")
		b := q.ask("c2")
		q.failed(b)
		c := q.ask("c3")
		q.leaves("c1", a)
		q.sleep(lease)
		q.happens(model.RecordExpired, b, 0)
		q.ok(c)
		q.leaves("c3", c)
	}, map[string]string{NoOrphan: model.LeftBehind}, ""},
}

// lossBound is how soon a holder is to be told in these histories.
const lossBound = lease / 10

// TestRecipes: with a record for each client, who has the lock is the one who is first,
// and what becomes of the records says whose fault it is that two believe so.
func TestRecipes(t *testing.T) {
	for _, r := range recipes {
		o := Options{Ownership: r.view, ProgressBound: 20 * lease, OrphanBound: lease / 2, WakeupBound: lease / 2}
		for _, c := range recipeCases {
			t.Run(r.name+"/"+c.name, func(t *testing.T) {
				var s script
				c.write(&queueing{script: &s, recipe: r, number: map[int]int{}})
				h := s.history()
				judgeAll(t, h, o, c.want)
				why := strings.ReplaceAll(c.why, "NODE", r.authority+"1")
				if v := Check(h, o, MutualExclusion)[0]; !strings.HasSuffix(v.Sentence, why) {
					t.Errorf("%s want %s", v.Sentence, why)
				}
			})
		}
	}
}

// judgeAll checks of all properties which are violated, and why.
func judgeAll(t *testing.T, h *model.History, o Options, want map[string]string) {
	t.Helper()
	for _, v := range Check(h, o, IDs()...) {
		if v.Cause != want[v.Property] || (v.Status == model.Violated) != (v.Cause != "") {
			t.Errorf("%s: %s, cause %q (%s), want %q", v.Property, v.Status, v.Cause, v.Sentence, want[v.Property])
		}
		if v.Status == model.Undecided {
			t.Errorf("%s: %s", v.Property, v.Sentence)
		}
		wellFormed(t, h, v)
	}
}

// TestHashOfHolders: of a hash with a field for each holder, who is not in it has nothing.
func TestHashOfHolders(t *testing.T) {
	o := Options{Ownership: model.HashOwnership{Key: lockName}}
	t.Run("in turn", func(t *testing.T) {
		var s script
		s.h.TTL = lease
		a := s.acquire("c1")
		s.key(model.RecordCreated, a, a, members("a", "1"))
		s.ok(a)
		b := s.acquire("c2")
		r := s.release("c1", a)
		s.key(model.RecordDeleted, a, r, members("a", "1"))
		s.ok(r)
		s.key(model.RecordCreated, b, b, members("b", "1"))
		s.ok(b)
		judgeAll(t, s.history(), o, nil)
	})
	t.Run("to two, of which one is in it", func(t *testing.T) {
		var s script
		s.h.TTL = lease
		a := s.acquire("c1")
		s.key(model.RecordCreated, a, a, members("a", "1"))
		s.ok(a)
		s.hold("c2")
		judgeAll(t, s.history(), o, map[string]string{MutualExclusion: model.NeverGranted, TruthfulAcquire: model.NeverGranted, Linearizable: model.NeverGranted})
	})
}

// TestQuorumOfRecords: of five servers with a replica each, three have to have the
// lock for somebody, whatever the replicas say.
func TestQuorumOfRecords(t *testing.T) {
	o := Options{Nodes: 5, Ownership: model.HashOwnership{Key: lockName}}
	for i := range 5 {
		o.Servers = append(o.Servers, []string{fmt.Sprint("r", i+1), fmt.Sprint("s", i+1)})
	}
	// grants has so many servers, from one on, and their replicas, give the lock away.
	grants := func(s *script, id, first, n int) {
		field := members(fmt.Sprint("h", id), "1")
		for i := first; i < first+n; i++ {
			s.key(model.RecordCreated, id, id, on(fmt.Sprint("r", i)), field)
			s.key(model.RecordCreated, id, id, on(fmt.Sprint("s", i)), field, func(o *model.Observation) { o.Authority = "" })
		}
	}
	takes := func(s *script, id, by, first, n int) {
		for i := first; i < first+n; i++ {
			s.key(model.RecordDeleted, id, by, on(fmt.Sprint("r", i)), members(fmt.Sprint("h", id), "1"))
		}
	}
	t.Run("in turn", func(t *testing.T) {
		var s script
		s.h.TTL = lease
		a := s.acquire("c1")
		grants(&s, a, 1, 3)
		s.ok(a)
		b := s.acquire("c2")
		grants(&s, b, 4, 2)
		r := s.release("c1", a)
		takes(&s, a, r, 1, 3)
		s.ok(r)
		grants(&s, b, 1, 1)
		s.ok(b)
		judgeAll(t, s.history(), o, nil)
	})
	t.Run("to two, of which one has the majority", func(t *testing.T) {
		var s script
		s.h.TTL = lease
		a := s.acquire("c1")
		grants(&s, a, 1, 3)
		s.ok(a)
		b := s.acquire("c2")
		grants(&s, b, 4, 2)
		s.ok(b)
		judgeAll(t, s.history(), o, map[string]string{MutualExclusion: model.NeverGranted, TruthfulAcquire: model.NeverGranted, Linearizable: model.NeverGranted})
	})
}

// TestUnreadableRecords: what rests on nothing, or cannot be read, decides nothing.
func TestUnreadableRecords(t *testing.T) {
	for _, c := range []struct {
		name, want string
		view       model.Ownership
	}{
		{"no number", `Who has the lock could not be read: record "lock" does not end with a number.`, model.SequenceOwnership{}},
		{"no revision", `Who has the lock could not be read: record "lock" has no revision.`, model.SequenceOwnership{ByRevision: true}},
		{"no record", `Who has the lock could not be read: a share of "c1" rests on "other", which is no record.`,
			model.OwnershipFunc(func([]model.Record) ([]model.Share, error) { return []model.Share{{Key: "other", Holder: "c1"}}, nil })},
	} {
		var s script
		s.granted("c1")
		v := Check(s.history(), Options{Ownership: c.view}, TruthfulAcquire)[0]
		if v.Status != model.Undecided || v.Sentence != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, v.Status, v.Sentence, c.want)
		}
	}
}
