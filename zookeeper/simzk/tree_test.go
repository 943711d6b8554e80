package simzk

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// tree is a state to which requests are made, by sessions 1 and 2.
type tree struct {
	t     *testing.T
	state *state
}

func newTree(t *testing.T) *tree {
	x := &tree{t, newState()}
	for id := range int64(2) {
		x.state.apply(newSessionTxn(id+1, time.Second, nil, id+1, 1000))
	}
	return x
}

// write makes a request that writes, and returns what it changed.
func (x *tree) write(session int64, r *request) []change {
	s := x.state
	return s.apply(s.prepare(session, r, s.lastZxid+1, 1000*(s.lastZxid+1)))
}

// do makes a request and returns the answer in words.
func (x *tree) do(session int64, r *request) string {
	s := x.state
	var c code
	var body []byte
	if r.writes() {
		t := s.prepare(session, r, s.lastZxid+1, 1000*(s.lastZxid+1))
		c, body = t.answer(s.apply(t))
	} else {
		c, body = s.read(r)
	}
	if c != codeOK {
		return strings.TrimSpace(c.String() + string(body))
	}
	words := teller{sessions: map[int64]string{}}
	return strings.TrimSpace(words.body(r.op, body))
}

// wants makes a request and compares the answer.
func (x *tree) wants(r *request, want string) {
	x.t.Helper()
	if got := x.do(1, r); got != want {
		x.t.Errorf("%v: %s, want %s", r, got, want)
	}
}

func create(path string, flags createFlags) *request {
	return &request{op: opCreate, path: path, data: []byte("data"), acl: world(permAll), flags: flags}
}

func remove(path string) *request { return &request{op: opDelete, path: path, version: -1} }

func set(path string, version int32) *request {
	return &request{op: opSetData, path: path, data: []byte("new"), version: version}
}

func setACL(path string, perms int32) *request {
	return &request{op: opSetACL, path: path, acl: world(perms), version: -1}
}

func check(path string, version int32) *request {
	return &request{op: opCheck, path: path, version: version}
}

func multi(ops ...*request) *request { return &request{op: opMulti, ops: ops} }

func read(op opcode, path string) *request { return &request{op: op, path: path} }

// TestCreate is what becomes of creations, in a tree with /a, the ephemeral /e
// and /closed, below which nothing can be created.
func TestCreate(t *testing.T) {
	closed := create("/closed", 0)
	closed.acl = world(permAll &^ permCreate)
	with := func(list []acl) *request {
		r := create("/new", 0)
		r.acl = list
		return r
	}
	for _, test := range []struct {
		request *request
		want    string
	}{
		{create("/new", 0), `"/new"`},
		{create("/new", flagSequential), `"/new0000000003"`},
		{create("/a/new-", flagEphemeral|flagSequential), `"/a/new-0000000000"`},
		{create("/a/", flagSequential), `"/a/0000000000"`},
		{create("/", flagSequential), `"/0000000003"`},
		{create("/a", 0), "NodeExists"},
		{create("/", 0), "NodeExists"},
		{create("/none/new", 0), "NoNode"},
		{create("none/new", 0), "NoNode"},
		{create("/e/new", 0), "NoChildrenForEphemerals"},
		{create("/closed/new", 0), "NoAuth"},
		{create("/zookeeper/config/new", 0), "NoAuth"},
		{create("", 0), "BadArguments"},
		{create("new", 0), "BadArguments"},
		{create("/a/", 0), "BadArguments"},
		{create("/a//new", 0), "NoNode"},
		{create("/..", 0), "BadArguments"},
		{create("/a/.", 0), "BadArguments"},
		{create("/...", 0), `"/..."`},
		{create("/new\x00", 0), "BadArguments"},
		{create("/new\x7f", 0), "BadArguments"},
		{create("/\ue000", 0), "BadArguments"},
		{create("/😀", 0), "BadArguments"},
		{create("/neu-ü", 0), `"/neu-ü"`},
		{create("/new", 4), "Unimplemented"},
		{create("/new", 5), "Unimplemented"},
		{create("/new", 7), "BadArguments"},
		{create("/new", -1), "BadArguments"},
		{with(nil), "InvalidACL"},
		{with([]acl{{permAll, "digest", "a:b"}}), "InvalidACL"},
		{with([]acl{{permAll, "world", "all"}}), "InvalidACL"},
		{with(append(world(permRead), acl{permAll, "auth", ""})), "InvalidACL"},
		{with(world(permRead)), `"/new"`},
		{&request{op: opCreateContainer, path: "/new", acl: world(permAll)}, "Unimplemented"},
		{&request{op: opCreateTTL, path: "/new", acl: world(permAll)}, "Unimplemented"},
		{&request{op: opCreate, malformed: true}, "MarshallingError"},
	} {
		x := newTree(t)
		for _, r := range []*request{create("/a", 0), create("/e", flagEphemeral), closed} {
			x.write(1, r)
		}
		x.wants(test.request, test.want)
	}
}

// TestDelete is what becomes of deletions.
func TestDelete(t *testing.T) {
	x := newTree(t)
	x.write(1, create("/a", 0))
	x.write(1, create("/a/b", 0))
	x.write(1, set("/a/b", -1))
	x.wants(remove("/a"), "NotEmpty")
	x.wants(&request{op: opDelete, path: "/a/b", version: 0}, "BadVersion")
	x.wants(remove("/a/c"), "NoNode")
	x.wants(remove("/b/c"), "NoNode")
	x.wants(remove("/a/"), "NoNode")
	x.wants(remove("a"), "BadArguments")
	for _, path := range []string{"/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"} {
		x.wants(remove(path), "BadArguments")
	}
	x.write(1, setACL("/a", permAll&^permDelete))
	x.wants(remove("/a/b"), "NoAuth")
	x.write(1, setACL("/a", permAll))
	x.wants(&request{op: opDelete, path: "/a/b", version: 1}, "")
	x.wants(remove("/a"), "")
	x.wants(read(opExists, "/a"), "NoNode")
}

// TestStat follows the stat of a znode and its parent.
func TestStat(t *testing.T) {
	x := newTree(t) // the last zxid is 2
	x.write(1, create("/a", 0))
	x.wants(read(opExists, "/a"), "{z+3 z+3 z+3 times version 0 cversion 0 aversion 0 owner - length 4 children 0}")
	x.wants(set("/a", 0), "{z+3 z+4 z+3 times version 1 cversion 0 aversion 0 owner - length 3 children 0}")
	x.wants(set("/a", 0), "BadVersion")
	x.wants(&request{op: opCreate2, path: "/a/e", acl: world(permAll), flags: flagEphemeral},
		`"/a/e" {z+6 z+6 z+6 times version 0 cversion 0 aversion 0 owner session1 length 0 children 0}`)
	x.wants(read(opExists, "/a"), "{z+3 z+4 z+6 times version 1 cversion 1 aversion 0 owner - length 3 children 1}")
	x.write(1, remove("/a/e"))
	x.wants(read(opExists, "/a"), "{z+3 z+4 z+7 times version 1 cversion 2 aversion 0 owner - length 3 children 0}")
	x.wants(setACL("/a", permRead|permAdmin), "{z+3 z+4 z+7 times version 1 cversion 2 aversion 1 owner - length 3 children 0}")
	x.wants(set("/a", -1), "NoAuth")
	x.wants(read(opGetACL, "/a"), "[{17 world anyone}] {z+3 z+4 z+7 times version 1 cversion 2 aversion 1 owner - length 3 children 0}")
	x.wants(&request{op: opSetACL, path: "/a", acl: world(permAll), version: 0}, "BadVersion")
}

// TestNewEnsemble is what every ensemble has.
func TestNewEnsemble(t *testing.T) {
	x := newTree(t)
	x.wants(read(opGetChildren, "/"), `["zookeeper"]`)
	x.wants(read(opGetChildren, ""), `["zookeeper"]`)
	x.wants(read(opExists, "/"), "{none none none times version 0 cversion -1 aversion 0 owner - length 0 children 1}")
	x.wants(read(opGetChildren2, "/zookeeper"), `["config" "quota"] {none none none times version 0 cversion -2 aversion 0 owner - length 0 children 2}`)
	x.wants(read(opGetACL, "/zookeeper/config"), "[{1 world anyone}] {none none none times version 0 cversion 0 aversion -1 owner - length 0 children 0}")
	x.wants(set("/zookeeper/config", -1), "NoAuth")
}

// TestReads is what reads answer to what they cannot read, and about what is
// no znode.
func TestReads(t *testing.T) {
	x := newTree(t)
	x.write(1, create("/hidden", 0))
	x.write(1, setACL("/hidden", permWrite))
	for _, test := range []struct {
		request *request
		want    string
	}{
		{read(opExists, "/none"), "NoNode"},
		{read(opGetData, "/none"), "NoNode"},
		{read(opGetChildren2, "/none"), "NoNode"},
		{read(opGetACL, "/none"), "NoNode"},
		{read(opExists, "/\x00"), "BadArguments"},
		{read(opGetData, "/\x00"), "NoNode"},
		{read(opExists, "/hidden"), "{z+3 z+3 z+3 times version 0 cversion 0 aversion 1 owner - length 4 children 0}"},
		{read(opGetData, "/hidden"), "NoAuth"},
		{read(opGetChildren, "/hidden"), "NoAuth"},
		{read(opGetACL, "/hidden"), "NoAuth"},
		{read(opSync, "/none"), `"/none"`},
		{read(opPing, ""), ""},
		{read(opSetAuth, ""), "AuthFailed"},
		{read(opCheck, "/hidden"), "Unimplemented"},
		{read(opReconfig, ""), "Unimplemented"},
		{read(opAddWatch, "/"), "Unimplemented"},
		{read(77, ""), "Unimplemented"},
		{read(opSetWatches, ""), ""},
		{read(opSetWatches2, ""), ""},
		{&request{op: opSetWatches2, persistentWatches: []string{"/"}}, "Unimplemented"},
		{&request{op: opGetData, malformed: true}, "MarshallingError"},
	} {
		x.wants(test.request, test.want)
	}
}

// TestMulti: all operations of a multi happen, or none.
func TestMulti(t *testing.T) {
	x := newTree(t)
	x.write(1, create("/a", 0))
	x.wants(multi(), "error true SystemError")
	x.wants(multi(check("/a", 0), set("/a", 0), check("/a", 1), create("/a/n-", flagSequential), create("/a/n-", flagSequential), remove("/a/n-0000000000")),
		`check false OK; setData false OK {z+3 z+5 z+3 times version 1 cversion 0 aversion 0 owner - length 3 children 0}; `+
			`check false OK; create false OK "/a/n-0000000000"; create false OK "/a/n-0000000001"; delete false OK; error true SystemError`)
	before := x.state.clone()
	x.wants(multi(create("/b", 0), remove("/a/n-0000000001"), remove("/a"), create("/b", 0), remove("/none")),
		"error false OK OK; error false OK OK; error false OK OK; error false NodeExists NodeExists; "+
			"error false RuntimeInconsistency RuntimeInconsistency; error true SystemError")
	if !reflect.DeepEqual(x.state.nodes, before.nodes) {
		t.Error("a multi that fails has changed something")
	}
	x.wants(multi(create("/e", flagEphemeral), create("/e/f", 0)), "error false OK OK; error false NoChildrenForEphemerals NoChildrenForEphemerals; error true SystemError")
	x.wants(multi(&request{op: opCreateTTL, path: "/b"}), "error false Unimplemented Unimplemented; error true SystemError")
}

// TestSequence: numbers go on when znodes are deleted, are those of the parent
// and count all children.
func TestSequence(t *testing.T) {
	x := newTree(t)
	x.write(1, create("/a", 0))
	x.wants(create("/a/n-", flagSequential), `"/a/n-0000000000"`)
	x.wants(create("/a/other", 0), `"/a/other"`)
	x.wants(remove("/a/n-0000000000"), "")
	x.wants(create("/a/n-", flagSequential), `"/a/n-0000000002"`)
	x.wants(create("/a/", flagSequential), `"/a/0000000003"`)
}

// TestSequenceOverflows: the counter does not pass its largest value, except
// for what is created in the same multi.
func TestSequenceOverflows(t *testing.T) {
	x := newTree(t)
	x.write(1, create("/a", 0))
	x.state.nodes["/a"].cversion = math.MaxInt32 - 1
	x.wants(create("/a/n-", flagSequential), `"/a/n-2147483646"`)
	x.wants(multi(create("/a/n-", flagSequential), create("/a/n-", flagSequential), create("/a/n-", flagSequential)),
		`create false OK "/a/n-2147483647"; create false OK "/a/n--2147483648"; create false OK "/a/n--2147483647"; error true SystemError`)
	x.wants(create("/a/n-", flagSequential), "NodeExists")
	x.wants(remove("/a/n-2147483647"), "")
	x.wants(create("/a/n-", flagSequential), `"/a/n-2147483647"`)
}

// TestSessionCloses: a session takes its ephemeral znodes along, and nobody
// else's, and can do nothing from then on.
func TestSessionCloses(t *testing.T) {
	x := newTree(t)
	x.write(1, create("/a", 0))
	x.write(1, create("/a/1", flagEphemeral))
	x.write(2, create("/a/2", flagEphemeral))
	x.write(1, create("/a/3", flagEphemeral))
	x.write(1, remove("/a/3"))
	x.write(1, create("/a/4", flagEphemeral))
	var gone []string
	for _, c := range x.write(1, &request{op: opClose}) {
		gone = append(gone, fmt.Sprintf("%t %s of %d by %d", c.kind == deleted, c.path, c.node.ephemeralOwner, c.session))
	}
	if want := []string{"true /a/4 of 1 by 1", "true /a/1 of 1 by 1"}; !slices.Equal(gone, want) {
		t.Errorf("changed %q, want %q", gone, want)
	}
	x.wants(read(opGetChildren, "/a"), `["2"]`)
	x.wants(create("/b", 0), "SessionExpired")
	x.wants(multi(create("/b", 0)), "error false SessionExpired SessionExpired; error true SystemError")
	x.wants(&request{op: opClose}, "")
	if _, open := x.state.sessions[1]; open {
		t.Error("the session is still there")
	}
}

// draws is a random sequence of writes of two sessions, the last of which may
// close them.
func draws(rt *rapid.T) (writes []*request) {
	for _, c := range below("/r", drawScript(rt, 40, 2)) {
		for _, r := range c.requests {
			if r.writes() {
				writes = append(writes, r)
			}
		}
		if c.what == finish {
			writes = append(writes, &request{op: opClose})
		}
	}
	return writes
}

// TestACL: a znode keeps each entry once.
func TestACL(t *testing.T) {
	x := newTree(t)
	r := create("/a", 0)
	r.acl = []acl{{permAll, "world", "anyone"}, {permRead, "world", "anyone"}, {permAll, "world", "anyone"}}
	x.write(1, r)
	x.wants(read(opGetACL, "/a"), "[{31 world anyone} {1 world anyone}] {z+3 z+3 z+3 times version 0 cversion 0 aversion 0 owner - length 4 children 0}")
}

// transactions are those of random writes, prepared one after the other, with
// the state that they lead to.
func transactions(rt *rapid.T) (list []*txn, last *state) {
	last = newState()
	propose := func(t *txn) {
		last.apply(t)
		list = append(list, t)
	}
	propose(newSessionTxn(1, time.Second, nil, 1, 1))
	propose(newSessionTxn(2, time.Second, nil, 2, 1))
	for i, r := range append([]*request{create("/r", 0)}, draws(rt)...) {
		propose(last.prepare(rapid.Int64Range(1, 2).Draw(rt, "session"), r, last.lastZxid+1, int64(i)))
	}
	return list, last
}

// TestServersAgree: servers that apply the same transactions have the same
// state, whether a server began with them or with another's copy.
func TestServersAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list, want := transactions(rt)
		split := rapid.IntRange(0, len(list)).Draw(rt, "split")
		first := newState()
		for _, t := range list[:split] {
			first.apply(t)
		}
		second, third := first.clone(), first.clone()
		for _, t := range list[split:] {
			if a, b := first.apply(t), second.apply(t); !reflect.DeepEqual(a, b) {
				rt.Errorf("%v changes %v at one server and %v at another", t, a, b)
			}
		}
		alone := newState()
		for _, t := range list[:split] {
			alone.apply(t)
		}
		if !reflect.DeepEqual(third, alone) {
			rt.Error("what others apply changes a copy")
		}
		for _, t := range list[split:] {
			third.apply(t)
		}
		for _, s := range []*state{first, second, third} {
			if !reflect.DeepEqual(s, want) {
				rt.Error("servers do not agree")
			}
		}
	})
}

// TestTreeHolds: after any writes each znode has a parent that lists it and is
// not ephemeral, no list has another name, and sessions list their own
// ephemeral znodes.
func TestTreeHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		_, s := transactions(rt)
		children, ephemerals := 0, 0
		for path, n := range s.nodes { // unordered: each by itself
			children += n.children.len()
			if n.path != path || !valid(path) {
				rt.Errorf("%q is at %q", n.path, path)
			}
			if n.ephemeralOwner != 0 {
				ephemerals++
				if n.children.len() > 0 || !slices.Contains(s.ephemerals[n.ephemeralOwner].inserted, path) {
					rt.Errorf("the ephemeral %s has %d children, and session %d has %q", path, n.children.len(), n.ephemeralOwner, s.ephemerals[n.ephemeralOwner].inserted)
				}
			}
			if path == rootPath {
				continue
			}
			parent, name := split(path)
			if p := s.nodes[parent]; p == nil || !slices.Contains(p.children.inserted, name) || p.pzxid < n.czxid {
				rt.Errorf("%s is not below its parent", path)
			}
		}
		owned := 0
		for _, paths := range s.ephemerals { // unordered: a sum
			owned += paths.len()
		}
		if children != len(s.nodes)-1 || owned != ephemerals {
			rt.Errorf("%d znodes are children of others, of %d; sessions have %d ephemeral ones of %d", children, len(s.nodes), owned, ephemerals)
		}
	})
}

// TestFailuresChangeNothing: what fails changes nothing but the zxid.
func TestFailuresChangeNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newState()
		s.apply(newSessionTxn(1, time.Second, nil, 1, 1))
		for _, r := range append([]*request{create("/r", 0)}, draws(rt)...) {
			before := s.clone()
			x := s.prepare(1, r, s.lastZxid+1, 1)
			if changes := s.apply(x); x.failed() {
				before.lastZxid = x.zxid
				if len(changes) > 0 || !reflect.DeepEqual(s, before) {
					rt.Errorf("%v failed and changed %v", r, changes)
				}
			}
		}
	})
}
