package zookeeper_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/storetest"
	"github.com/lockpick-dev/lockpick/traces/render"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

// library is zk.Lock, the lock of the client library.
type library struct {
	conn *zk.Conn
	path string
}

func newLibrary(c *cell.Client) lock.Locker {
	conn, _ := zookeeper.Connect(c)
	return &library{conn, "/" + c.LockName()}
}

func (l *library) Acquire(context.Context) (lock.Lease, error) {
	k := zk.NewLock(l.conn, l.path, zk.WorldACL(zk.PermAll))
	if err := k.Lock(); err != nil {
		return nil, err
	}
	return held{k}, nil
}

type held struct{ *zk.Lock }

func (h held) Release(context.Context) error { return h.Unlock() }

var queue = model.SequenceOwnership{Prefix: "/" + cell.LockName + "/"}

// TestLibrary: the library's lock leaves its znode behind when an answer is lost. The case is
// made small, and told in ZooKeeper's words.
func TestLibrary(t *testing.T) {
	r := locktest.Explore(t, newLibrary, locktest.On(zookeeper.Store), locktest.Ownership(queue),
		locktest.Only("lost-reply"), locktest.Properties(checker.NoOrphan), locktest.Runs(200))
	if len(r.Findings) != 1 || r.Findings[0].Limit {
		t.Fatalf("%d findings: %v", len(r.Findings), r.Results[0])
	}
	tr := r.Findings[0].Trace
	if tr.Shrunk == nil || tr.Shrunk.To != 1 {
		t.Errorf("it is not small: %+v", tr.Shrunk)
	}
	var text strings.Builder
	if err := render.Explain(&text, tr, render.Style{}); err != nil {
		t.Fatal(err)
	}
	if word := regexp.MustCompile(`(?i)redis|\bkeys?\b|primary|replica`).FindString(text.String()); word != "" || !strings.Contains(text.String(), "znode") {
		t.Errorf("%q is of another store, or no word of a znode:\n%s", word, &text)
	}
}

// TestScenariosThatDoNotApply: there is nothing that an ensemble cannot suffer, but for what is about transactions and pools.
func TestScenariosThatDoNotApply(t *testing.T) {
	locks := []cell.Lock{{ID: "library", Store: zookeeper.Store, Subject: cell.Mutex(newLibrary), Reading: cell.Reading{Ownership: queue}}}
	storetest.Lacks(t, locks[0],
		"ZooKeeper has no transactions that clients commit",
		"clients of ZooKeeper take no connections from a pool",
		"transactions of ZooKeeper do not wait for each other",
		"two servers never serve at once",
		"the znodes of ZooKeeper do not move from one server to another",
		"the simulation of ZooKeeper has no errors that requests have not caused")
	for _, s := range scenarios.All() {
		if c, err := scenarios.Registry(locks).Cell(s.ID, "library", nil); err != nil || c.Params.Followers < 2 {
			t.Errorf("%s: %d followers make no majority without a leader: %v", s.ID, c.Params.Followers, err)
		}
	}
}

// TestVersion: traces that a test binary records say which client library it was.
func TestVersion(t *testing.T) {
	if v := zookeeper.Store.Versions()["go-zookeeper/zk"]; !regexp.MustCompile(`^v\d+\.\d+\.\d+`).MatchString(v) {
		t.Errorf("the version is %q", v)
	}
}
