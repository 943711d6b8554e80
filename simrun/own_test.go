package simrun

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

// TestUsable: what is wrong with the locks of a program is said before it does anything.
func TestUsable(t *testing.T) {
	made := func(id string) cell.Lock {
		return cell.Lock{ID: id, Store: redis.Store, Subject: cell.Mutex(func(*cell.Client) lock.Locker { return nil })}
	}
	for want, list := range map[string][]cell.Lock{
		"":                                {made("a"), made("b")},
		"has no locks":                    nil,
		`two locks with the ID "a"`:       {made("a"), made("b"), made("a")},
		"has no ID":                       {made("")},
		`"a" has no Subject`:              {{ID: "a", Store: redis.Store}},
		"lock a: its constructor is nil":  {{ID: "a", Store: redis.Store, Subject: cell.Mutex(nil)}},
		"lock a: the lock names no store": {{ID: "a", Subject: made("a").Subject}},
	} {
		a := new(app)
		Locks(list...)(a)
		err := a.usable()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("it says %v, want %q", err, want)
		}
	}
}

// TestDefaultLock: without setpx it is the first one.
func TestDefaultLock(t *testing.T) {
	for want, ids := range map[string][]string{"mine": {"mine", "other"}, "setpx": {"mine", "setpx"}} {
		a := new(app)
		for _, id := range ids {
			Locks(cell.Lock{ID: id})(a)
		}
		if got := a.defaultLock(); got != want {
			t.Errorf("of %q it is %s", ids, got)
		}
	}
}

// TestElsewhere: the error about a lock or a store of another program says how to get that program, and the error about a lock that
// no program has does not.
func TestElsewhere(t *testing.T) {
	for _, test := range []struct {
		args   []string
		hinted bool
	}{
		{[]string{"run", "gc-pause", "--lock", "etcd"}, true},
		{[]string{"run", "gc-pause", "--lock", "etcd-mutex"}, true},
		{[]string{"matrix", "--store", "etcd"}, true},
		{[]string{"run", "gc-pause", "--lock", "etcdx"}, false},
		{[]string{"run", "gc-pause", "--lock", "nonsense"}, false},
	} {
		var out, errs bytes.Buffer
		a := &app{name: "simrun", out: &out, err: &errs, locks: locks(), families: families()}
		Elsewhere(map[string]string{"etcd": "see there"})(a)
		code := a.main(t.Context(), test.args)
		if hinted := strings.Contains(errs.String(), "see there"); code != exitUsage || hinted != test.hinted {
			t.Errorf("%q: exit code %d, hinted %v:\n%s", test.args, code, hinted, &errs)
		}
	}
}

// TestMeantByName: what is said of a wrong command line names the program as it is called.
func TestMeantByName(t *testing.T) {
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"run"}, "; go tool simrun help run says more"},
		{[]string{"list", "foo"}, "unexpected argument foo; it is go tool simrun list"},
		{[]string{"view"}, "a trace; go tool simrun run writes them to "},
		{[]string{"merge"}, "or their directories; go tool simrun run --shard writes them to "},
	} {
		var out, errs bytes.Buffer
		a := &app{name: "go tool simrun", out: &out, err: &errs, locks: locks(), families: families()}
		if code := a.main(t.Context(), test.args); code != exitUsage || !strings.Contains(errs.String(), test.says) {
			t.Errorf("%q: exit code %d, want %q in\n%s", test.args, code, test.says, &errs)
		}
	}
}
