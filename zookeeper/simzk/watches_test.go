package simzk

import (
	"fmt"
	"slices"
	"testing"
)

// watchedState is a state with the watches of one server on it.
type watchedState struct {
	*tree
	watches *watches[string]
}

func newWatchedState(t *testing.T) *watchedState {
	return &watchedState{newTree(t), newWatches[string]()}
}

// read carries out a read that leaves a watch behind.
func (x *watchedState) read(op opcode, path, watcher string) {
	r := &request{op: op, path: path, watch: true}
	c, _ := x.state.read(r)
	x.watches.after(r, c, watcher)
}

// wants carries out a write and compares what watchers get.
func (x *watchedState) wants(r *request, want ...string) {
	x.t.Helper()
	var got []string
	for _, c := range x.write(1, r) {
		got = append(got, told(x.watches.trigger(c))...)
	}
	if !slices.Equal(got, want) {
		x.t.Errorf("%v: told %q, want %q", r, got, want)
	}
}

func told(notices []notice[string]) (list []string) {
	kinds := map[int32]string{eventCreated: "created", eventDeleted: "deleted", eventDataChanged: "data", eventChildrenChanged: "children"}
	for _, n := range notices {
		list = append(list, fmt.Sprintf("%s: %s %s", n.to, kinds[n.kind], n.path))
	}
	return list
}

// TestWatchesFire: a watch fires once, for what it is for.
func TestWatchesFire(t *testing.T) {
	x := newWatchedState(t)
	x.read(opExists, "/a", "w")
	x.read(opGetData, "/a", "w")     // fails, and leaves no watch
	x.read(opGetChildren, "/a", "w") // fails, and leaves no watch
	x.wants(create("/a", 0), "w: created /a")
	x.wants(set("/a", -1))

	x.read(opGetData, "/a", "w")
	x.read(opExists, "/a", "w")
	x.wants(create("/a/b", 0))
	x.wants(set("/a", -1), "w: data /a")
	x.wants(set("/a", -1))

	x.read(opGetChildren, "/a", "w")
	x.wants(set("/a/b", -1))
	x.wants(create("/a/b/c", 0))
	x.wants(remove("/a/b/c"))
	x.wants(remove("/a/b"), "w: children /a")
	x.read(opGetChildren2, "/a", "w")
	x.wants(create("/a/b", 0), "w: children /a")

	x.read(opExists, "/a/b", "w")
	x.wants(remove("/a/b"), "w: deleted /a/b")
	x.wants(create("/a/b", 0))
}

// TestWatchesOfSeveral: watchers are told in the order in which they came, each
// once of what it asked for in several ways.
func TestWatchesOfSeveral(t *testing.T) {
	x := newWatchedState(t)
	x.write(1, create("/a", 0))
	for _, w := range []string{"w2", "w1", "w2"} {
		x.read(opGetData, "/a", w)
	}
	x.read(opGetChildren, "/a", "w3")
	x.read(opGetChildren, "/a", "w1")
	x.read(opGetChildren, "/", "w1")
	x.wants(remove("/a"), "w2: deleted /a", "w1: deleted /a", "w3: deleted /a", "w1: children /")
	x.wants(create("/a", 0))
}

func TestWatchesForget(t *testing.T) {
	x := newWatchedState(t)
	x.write(1, create("/a", 0))
	for _, w := range []string{"w1", "w2", "w3"} {
		x.read(opGetData, "/a", w)
		x.read(opGetChildren, "/a", w)
	}
	x.watches.forget("w2")
	x.wants(set("/a", -1), "w1: data /a", "w3: data /a")
	x.watches.forget("w1")
	x.watches.forget("w3")
	if len(x.watches.set) != 0 {
		t.Errorf("there are watches left: %v", x.watches.set)
	}
}

// TestWatchesOfMulti: all parts of a multi fire, in their order, and none of
// one that fails.
func TestWatchesOfMulti(t *testing.T) {
	x := newWatchedState(t)
	x.read(opGetChildren, "/", "w")
	x.read(opExists, "/a", "w")
	x.wants(multi(create("/a", 0), check("/a", 3)))
	x.wants(multi(create("/a", 0), set("/a", 0), create("/b", 0)), "w: created /a", "w: children /")
}

// TestWatchesOfUnreadable: who may not read a znode is not told of it, and its
// watch is gone.
func TestWatchesOfUnreadable(t *testing.T) {
	x := newWatchedState(t)
	x.write(1, create("/a", 0))
	x.read(opExists, "/a", "w")
	x.write(1, setACL("/a", permAll&^permRead))
	x.wants(set("/a", -1))
	x.write(1, setACL("/a", permAll))
	x.wants(set("/a", -1))
}

// TestWatchesRestored: a client that reconnects is told at once of what it
// missed, and its other watches are set.
func TestWatchesRestored(t *testing.T) {
	x := newWatchedState(t)
	for _, path := range []string{"/same", "/changed", "/gone", "/back", "/last"} {
		x.write(1, create(path, 0))
	}
	seen := x.state.lastZxid
	x.write(1, set("/changed", -1))
	x.write(1, create("/changed/child", 0))
	x.write(1, remove("/gone"))
	x.write(1, remove("/back"))
	x.write(1, create("/back", 0))
	x.write(1, create("/new", 0))
	x.write(1, create("/passing", 0))
	x.write(1, remove("/passing"))
	again, missed := x.watches.restore(x.state, &request{
		lastZxid:     seen,
		dataWatches:  []string{"/same", "/changed", "/gone", "/back", "/last"},
		existWatches: []string{"/new", "/passing", "/never"},
		childWatches: []string{"/same", "/changed", "/gone", "/changed/child", "/last"},
	}, "w")
	if want := []watched{
		{dataWatch, "/same"}, {dataWatch, "/last"}, {dataWatch, "/passing"}, {dataWatch, "/never"}, {childWatch, "/same"}, {childWatch, "/last"},
	}; !slices.Equal(again, want) {
		t.Errorf("set %v, want %v", again, want)
	}
	got := told(missed)
	want := []string{
		"w: data /changed", "w: deleted /gone", "w: data /back",
		"w: created /new",
		"w: children /changed", "w: deleted /gone", "w: children /changed/child",
	}
	if !slices.Equal(got, want) {
		t.Errorf("told at once %q, want %q", got, want)
	}
	x.wants(create("/same/child", 0), "w: children /same")
	x.wants(set("/same", -1), "w: data /same")
	x.wants(create("/last/child", 0), "w: children /last")
	x.wants(set("/last", -1), "w: data /last")
	x.wants(create("/passing", 0), "w: created /passing")
	x.wants(set("/changed", -1))
	x.wants(create("/changed/other", 0))
}
