package model_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// TestLockKeys: which keys are the lock's, as far as a history shows it.
func TestLockKeys(t *testing.T) {
	// Operations 1 and 3 are Acquires of c1 and c2, and 2 and 4 their Releases.
	seen := func(kind model.ObservationKind, key, value string, owner, by int) model.Observation {
		client := func(op int) string { return []string{"", "c1", "c1", "c2", "c2"}[op] }
		return model.Observation{
			Node: "r1", Authority: "r1", Kind: kind, Key: key, Value: value,
			Owner: model.Origin{Client: client(owner), Op: owner}, By: model.Origin{Client: client(by), Op: by},
		}
	}
	created := func(key, value string, by int) model.Observation {
		return seen(model.RecordCreated, key, value, by, by)
	}
	changed := func(key, value string, by int) model.Observation {
		return seen(model.RecordChanged, key, value, by, by)
	}
	as := func(typ string, o model.Observation, items ...string) model.Observation {
		o.Type, o.Items = typ, items
		return o
	}
	after := func(seq int64, o model.Observation) model.Observation {
		o.Seq = seq
		return o
	}
	expiring := func(o model.Observation) model.Observation {
		o.ExpiresAt = 1
		return o
	}
	for _, test := range []struct {
		name string
		seen []model.Observation
		want []string
	}{
		{"none", nil, nil},
		{"its name", []model.Observation{created("other", "a", 1), created("lock", "a", 1)}, []string{"lock"}},
		{"its name, never removed", []model.Observation{created("lock", "a", 1), changed("lock", "b", 2)}, []string{"lock"}},
		{"another that its release removes", []model.Observation{created("lock", "a", 1), created("b", "a", 1), seen(model.RecordDeleted, "b", "a", 1, 2)}, []string{"lock", "b"}},
		{"another that somebody else's release removes", []model.Observation{created("lock", "a", 1), created("b", "a", 1), seen(model.RecordDeleted, "b", "a", 1, 4)}, []string{"lock"}},
		{"a counter beside it", []model.Observation{created("fence", "1", 1), created("lock", "a", 1)}, []string{"lock"}},
		{"its name is a counter", []model.Observation{created("lock", "1", 1), created("holder", "a", 1), changed("lock", "2", 3)}, []string{"holder"}},
		{"its name is a number that its owner counts up", []model.Observation{created("lock", "1", 1), changed("lock", "2", 1)}, []string{"lock"}},
		{"its name is a time", []model.Observation{created("lock", "946684800001", 1), changed("lock", "946684800002", 3)}, []string{"lock"}},
		{"its name is taken over", []model.Observation{created("lock", "a", 1), changed("lock", "b", 3)}, []string{"lock"}},
		{"several are in it", []model.Observation{as("hash", created("lock", "", 1), "a", "1"), as("hash", changed("lock", "", 3), "a", "1", "b", "1")}, nil},
		{"a hash of one's own", []model.Observation{as("hash", created("lock", "", 1), "a", "1"), as("hash", changed("lock", "", 3), "b", "1")}, []string{"lock"}},
		{"a sorted set", []model.Observation{as("zset", created("lock", "", 1), "a", "1")}, nil},
		{"a queue", []model.Observation{as("list", created("lock", "", 1), "a")}, nil},
		{"who releases creates it", []model.Observation{created("lock", "a", 1), seen(model.RecordDeleted, "lock", "a", 1, 1), created("lock", "free", 2)}, nil},
		{"what a release wrote comes back", []model.Observation{created("lock", "b", 1), after(1, changed("lock", "a", 2)), after(2, created("lock", "a", 2))}, []string{"lock"}},
		{"another name, removed", []model.Observation{created("fence", "1", 1), expiring(created("a", "a", 1)), created("b", "a", 1), seen(model.RecordDeleted, "b", "a", 1, 2)}, []string{"b"}},
		{"another name, with an expiry", []model.Observation{created("fence", "1", 1), expiring(created("a", "a", 1))}, []string{"a"}},
		{"another name, for ever", []model.Observation{created("a", "a", 1)}, []string{"a"}},
	} {
		h := model.History{LockName: "lock", Operations: []model.Operation{
			{ID: 1, Client: "c1", Kind: model.Acquire, Acquisition: 1}, {ID: 2, Client: "c1", Kind: model.Release, Acquisition: 1},
			{ID: 3, Client: "c2", Kind: model.Acquire, Acquisition: 3}, {ID: 4, Client: "c2", Kind: model.Release, Acquisition: 3},
		}, Observations: test.seen}
		if got := h.LockKeys(nil); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestLockKeysOfOwnership: of a lock that can be read, the keys that shares rest on are
// the lock's, and of one of which they were named, those.
func TestLockKeysOfOwnership(t *testing.T) {
	h := model.History{LockName: "lock"}
	for i, o := range []model.Observation{
		{Kind: model.RecordCreated, Authority: "zk", Key: "/n-2"},
		{Kind: model.RecordCreated, Authority: "zk", Key: "lock"},
		{Kind: model.RecordCreated, Key: "/n-1"}, // on a replica
		{Kind: model.RecordCreated, Authority: "zk", Key: "/n-4"},
		{Kind: model.RecordCreated, Authority: "zk", Key: "/n-3"},
		{Kind: model.RecordDeleted, Authority: "zk", Key: "/n-2"},
	} {
		o.Node, o.Seq = "zk1", int64(i+1)
		h.Observations = append(h.Observations, o)
	}
	view := model.SequenceOwnership{Prefix: "/n-"}
	if got, want := h.LockKeys(view), []string{"/n-2", "/n-3"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	h.Keys = []string{"/n-2"}
	if got := h.LockKeys(nil); !slices.Equal(got, h.Keys) {
		t.Errorf("%q, want those that are named", got)
	}
	if got := h.LockKeys(view); len(got) != 2 {
		t.Errorf("%q, want those that the view reads", got)
	}
}
