package simetcd

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// request reads a request of a script.
func request[R decodable](name string, m object, into R) R {
	if !unmarshal(string(apis[name].ask.encode(m)), into) {
		panic(fmt.Sprintf("%s: %v", name, m))
	}
	return into
}

// drawOperation draws an operation that a server would carry out, or nil.
func drawOperation(rt *rapid.T) operation {
	d := drawer{rt}
	var x operation
	switch rapid.IntRange(0, 9).Draw(rt, "operation") {
	case 0, 1, 2:
		x = request("put", d.putRequest(), &putRequest{})
	case 3:
		x = request("delete", d.deleteRequest(), &deleteRequest{})
	case 4:
		x = &grantRequest{ttl: 5, id: max(1, someLease.Draw(rt, "lease"))}
	case 5:
		x = &revokeRequest{id: someLease.Draw(rt, "lease")}
	default:
		x = request("txn", d.txnRequest(0), &txnRequest{})
	}
	if c, ok := x.(interface{ check() status }); ok && c.check() != (status{}) {
		return nil
	}
	return x
}

// image is all keys at a revision.
type image map[string]keyValue

func (s *state) image(revision int64) image {
	all := image{}
	for _, kv := range s.find("\x00", infinite, revision) {
		all[kv.key] = *kv
	}
	return all
}

// TestRevisions: whatever operations do, a revision stays what it was; an operation that fails,
// or changes nothing, makes none; the changes of a revision lead from the image before it to the
// image after it; and what a key says of its versions is true.
func TestRevisions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newState(2)
		images := []image{{}, {}} // of revisions 0 and 1
		for range 40 {
			x := drawOperation(rt)
			if x == nil {
				continue
			}
			before := len(s.changes)
			answer, err := x.apply(s)
			made := s.changes[before:]
			switch {
			case err != (status{}) && len(made) > 0:
				rt.Fatalf("%v failed with %v and changed %v", x, err, made)
			case len(made) > 0:
				images = append(images, s.image(s.revision))
			}
			if s.revision != int64(len(images)-1) {
				rt.Fatalf("revision %d after %d changes", s.revision, len(images)-2)
			}
			if err == (status{}) && answer.head().revision != s.revision {
				rt.Fatalf("%v answered revision %d at %d", x, answer.head().revision, s.revision)
			}
		}
		for revision := int64(1); revision <= s.revision; revision++ {
			if got, want := s.image(revision), images[revision]; !maps.Equal(got, want) {
				rt.Fatalf("revision %d is %v, and was %v", revision, got, want)
			}
			step := maps.Clone(images[revision-1])
			for _, kv := range s.since(revision) {
				if kv.mod == revision {
					step.follow(rt, kv, revision)
				}
			}
			if revision > 1 && !maps.Equal(step, images[revision]) {
				rt.Fatalf("the changes of revision %d lead to %v, not %v", revision, step, images[revision])
			}
		}
	})
}

// follow makes a change, and looks at what it says of itself.
func (m image) follow(rt *rapid.T, kv *keyValue, revision int64) {
	old, existed := m[kv.key]
	switch {
	case kv.deleted() && !existed:
		rt.Fatalf("revision %d deletes %q, which is not there", revision, kv.key)
	case kv.deleted():
		delete(m, kv.key)
		return
	case !existed && (kv.create != revision || kv.version != 1):
		rt.Fatalf("revision %d creates %+v", revision, kv)
	case existed && (kv.create != old.create || kv.version != old.version+1):
		rt.Fatalf("revision %d makes %+v of %+v", revision, kv, old)
	}
	m[kv.key] = *kv
}

// TestLeasesOfKeys: a key never has a lease that there is not, and the end of a lease deletes its
// keys in one revision and no others.
func TestLeasesOfKeys(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newState(2)
		for range 40 {
			x := drawOperation(rt)
			if x == nil {
				continue
			}
			r, ends := x.(*revokeRequest)
			var keys []string
			if ends && r.id != 0 {
				keys = s.attached(r.id)
			}
			before, revision := len(s.changes), s.revision
			_, err := x.apply(s)
			if ends && err == (status{}) {
				var gone []string
				for _, kv := range s.changes[before:] {
					gone = append(gone, kv.key)
				}
				if !slices.Equal(gone, keys) || len(keys) > 0 != (s.revision == revision+1) {
					rt.Fatalf("lease %d had %q, and with it went %q at %d", r.id, keys, gone, s.revision)
				}
			}
			for key, kv := range s.image(s.revision) {
				if s.lacks(kv.lease) {
					rt.Fatalf("%q has the lease %d, which is not there", key, kv.lease)
				}
			}
		}
	})
}

// TestMembersAgree: the same operations make the same state and the same answers.
func TestMembersAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := newState(2), newState(2)
		for range 30 {
			x := drawOperation(rt)
			if x == nil {
				continue
			}
			answer, err := x.apply(a)
			again, errAgain := x.apply(b)
			if err != errAgain || !reflect.DeepEqual(answer, again) {
				rt.Fatalf("%v: %v %v, and %v %v", x, answer, err, again, errAgain)
			}
		}
		if !reflect.DeepEqual(a, b) {
			rt.Fatal("the states differ")
		}
	})
}

// TestChecks: what is refused before it goes any further.
func TestChecks(t *testing.T) {
	put := func(key string) op { return op{put: &putRequest{key: key}} }
	remove := func(key, end string) op { return op{remove: &deleteRequest{key: key, end: end}} }
	txn := func(success, failure []op) op { return op{txn: &txnRequest{success: success, failure: failure}} }
	many := slices.Repeat([]op{{get: &rangeRequest{key: "a"}}}, maxOps)
	for _, test := range []struct {
		name string
		ops  []op
		want status
	}{
		{"nothing", nil, status{}},
		{"no key", []op{put("")}, errEmptyKey},
		{"no operation", []op{{}}, errKeyNotFound},
		{"as many as may be", many, status{}},
		{"too many", append(many, many[0]), errTooManyOps},
		{"too many within", append(many[:maxOps-1:maxOps-1], txn(many[:2], nil)), errTooManyOps},
		{"two puts", []op{put("a"), put("a")}, errDuplicateKey},
		{"put and delete", []op{put("a"), remove("a", "")}, errDuplicateKey},
		{"put in a range", []op{remove("a", "c"), put("b")}, errDuplicateKey},
		{"put at the end of a range", []op{remove("a", "b"), put("b")}, status{}},
		{"put in a range without an end, which etcd does not see", []op{remove("a", "\x00"), put("b")}, status{}},
		{"both branches", []op{txn([]op{put("a")}, []op{put("a")})}, status{}},
		{"a branch and the rest", []op{put("a"), txn(nil, []op{put("a")})}, errDuplicateKey},
		{"two transactions", []op{txn([]op{put("a")}, nil), txn(nil, []op{put("a")})}, errDuplicateKey},
		{"delete, and put in a branch", []op{remove("a", ""), txn(nil, []op{put("a")})}, errDuplicateKey},
		{"delete in a branch, and put", []op{put("a"), txn([]op{remove("a", "")}, nil)}, errDuplicateKey},
		{"put in a branch, and then delete in another", []op{txn([]op{put("a")}, nil), txn([]op{remove("a", "")}, nil)}, status{}},
		{"delete in a branch, and then put in another", []op{txn([]op{remove("a", "")}, nil), txn([]op{put("a")}, nil)}, errDuplicateKey},
		{"value that is kept and given", []op{{put: &putRequest{key: "a", value: "x", ignoreValue: true}}}, errValueProvided},
		{"lease that is kept and given", []op{{put: &putRequest{key: "a", lease: 1, ignoreLease: true}}}, errLeaseProvided},
		{"unknown order", []op{{get: &rangeRequest{key: "a", order: 3}}}, errInvalidSort},
	} {
		if got := (&txnRequest{success: test.ops}).check(); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestCompaction: up to which revision one may compact, and which can be read then.
func TestCompaction(t *testing.T) {
	s := newState(2)
	for range 4 {
		_, _ = (&putRequest{key: "a"}).apply(s)
	}
	for _, test := range []struct {
		revision int64
		want     status
	}{{3, status{}}, {3, errCompacted}, {2, errCompacted}, {6, errFutureRevision}, {4, status{}}} {
		if _, err := (&compactRequest{test.revision}).apply(s); err != test.want {
			t.Errorf("compact up to %d: %v, want %v", test.revision, err, test.want)
		}
	}
	for revision, want := range map[int64]status{0: {}, -1: {}, 3: errCompacted, 4: {}, 5: {}, 6: errFutureRevision} {
		if _, err := s.read(&rangeRequest{key: "a", revision: revision}, s.revision); err != want {
			t.Errorf("read at %d: %v, want %v", revision, err, want)
		}
	}
	if kv := s.before(s.changes[3]); kv == nil || kv.mod != 4 {
		t.Errorf("before revision 5 it was %+v", kv)
	}
	if kv := s.before(s.changes[2]); kv != nil {
		t.Errorf("before revision 4, which is compacted, it was %+v", kv)
	}
}

// TestRecipe plays the recipe of a lock: whoever has the lowest revision of creation has it.
func TestRecipe(t *testing.T) {
	s := newState(2)
	lock := func(lease int64) (create int64, owner string) {
		key := "l/" + leaseName(lease)
		_, _ = (&grantRequest{ttl: 9, id: lease}).apply(s)
		all := op{get: &rangeRequest{key: "l/", end: "l0", limit: 1, target: byCreate, order: ascending}}
		answer, err := (&txnRequest{
			compares: []compare{{key: key, target: targetCreate, given: targetCreate}},
			success:  []op{{put: &putRequest{key: key, lease: lease}}, all},
			failure:  []op{{get: &rangeRequest{key: key}}, all},
		}).apply(s)
		if err != (status{}) {
			t.Fatal(err)
		}
		list := answer.(*txnResponse).responses
		create = answer.head().revision
		if again, ok := list[0].(*rangeResponse); ok {
			create = again.kvs[0].create
		}
		return create, list[1].(*rangeResponse).kvs[0].key
	}
	var log []string
	for _, lease := range []int64{0xa, 0xb, 0xb, 0x2} {
		create, owner := lock(lease)
		log = append(log, fmt.Sprintf("%x at %d: %s", lease, create, owner))
	}
	_, _ = (&revokeRequest{0xa}).apply(s)
	_, owner := lock(0x2)
	log = append(log, owner)
	want := "a at 2: l/a; b at 3: l/a; b at 3: l/a; 2 at 4: l/a; l/b"
	if got := strings.Join(log, "; "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
