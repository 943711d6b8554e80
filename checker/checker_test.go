package checker

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// TestProperties: everything is said of each property, and no two have the same id or letter.
func TestProperties(t *testing.T) {
	letters := map[string]string{}
	for _, p := range Properties() {
		d := p.Description
		if !Known(p.ID) || slices.Contains([]string{p.Letter, p.Legend, p.About, p.Doc, d.Asks, d.Window}, "") {
			t.Errorf("%s is not described: %+v", p.ID, p)
		}
		if other := letters[p.Letter]; other != "" {
			t.Errorf("%s: the letter %s is that of %s; taken are %s", p.ID, p.Letter, other, strings.Join(slices.Sorted(maps.Keys(letters)), ""))
		}
		if slices.Contains(slices.Collect(maps.Values(letters)), p.ID) {
			t.Errorf("the id %s is that of two properties", p.ID)
		}
		letters[p.Letter] = p.ID
		for _, id := range p.ImpliedBy {
			if !Known(id) {
				t.Errorf("%s is implied by %s, which there is not", p.ID, id)
			}
		}
	}
	if Known("fence") || Known("") {
		t.Errorf("knows what there is not")
	}
}

func TestCheckNames(t *testing.T) {
	h := &model.History{}
	names := func(vs []model.Verdict) (ids []string) {
		for _, v := range vs {
			ids = append(ids, v.Property)
		}
		return ids
	}
	var usual []string
	for _, p := range Properties() {
		if p.Usual() {
			usual = append(usual, p.ID)
		}
	}
	if got := names(Check(h, Options{})); !slices.Equal(got, usual) {
		t.Errorf("all: %v", got)
	}
	if got := names(Check(h, Options{}, "late-orphan")); !slices.Equal(got, []string{"late-orphan"}) {
		t.Errorf("a weak one that is named: %v", got)
	}
	vs := Check(h, Options{}, "progress", "typo", "fencing", "progress", "typo")
	if got := names(vs); !slices.Equal(got, []string{"fencing", "progress", "typo"}) {
		t.Fatalf("some: %v", got)
	}
	if vs[2].Status != model.Undecided {
		t.Errorf("an unknown property: %+v", vs[2])
	}
	for _, v := range Check(h, Options{ProgressBound: 1}) {
		if v.Status != model.NotApplicable || v.Sentence == "" {
			t.Errorf("an empty history: %+v", v)
		}
	}
}

func TestCheckChangesNothing(t *testing.T) {
	h, before := contention(20, true), contention(20, true)
	if vs := Check(h, Options{ProgressBound: time.Second}); vs[0].Status != model.Violated || vs[1].Status != model.Violated {
		t.Errorf("%+v", vs)
	}
	if !reflect.DeepEqual(h, before) {
		t.Errorf("the history was changed")
	}
}

// contention is the history of three clients which take turns at the lock,
// fenced, with n operations or a few more: the ordinary run of a search. If it
// is to fail, the last key but one expires under its holder.
func contention(n int, fail bool) *model.History {
	var s script
	for i := 0; len(s.h.Operations) < n; i++ {
		client := "c" + string(rune('1'+i%3))
		a := s.acquire(client)
		s.failed(s.acquire("c" + string(rune('1'+(i+1)%3))))
		s.key(model.RecordCreated, a, a)
		s.key(model.RecordCreated, a, a, replica)
		s.ok(a, token(int64(i+1)))
		s.read(client, a, int64(i))
		s.write(client, a, int64(i+1))
		if fail && len(s.h.Operations)+1 >= n {
			s.key(model.RecordExpired, a, 0)
			s.granted("c4", token(int64(i+2)))
		}
		r := s.release(client, a)
		s.key(model.RecordDeleted, a, r)
		s.key(model.RecordDeleted, a, r, replica)
		s.ok(r)
	}
	return s.history()
}

func BenchmarkCheck(b *testing.B) {
	for _, fail := range []bool{false, true} {
		for _, n := range []int{10, 60, 1000} {
			h := contention(n, fail)
			b.Run(fmt.Sprintf("violated=%v/operations=%d", fail, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					Check(h, Options{ProgressBound: time.Second})
				}
			})
		}
	}
}

// BenchmarkPorcupine is what the monitor spares a search.
func BenchmarkPorcupine(b *testing.B) {
	for _, n := range []int{10, 60, 1000} {
		h := contention(n, false)
		j := linearizableJudge{newJudge(h, Options{SearchSteps: defaultSearchSteps})}
		b.Run(fmt.Sprintf("operations=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				j.search(objects.FencedMutexModel(), nil, nil)
			}
		})
	}
}

// BenchmarkSizes is what an operation of a history costs to judge, by the size of that: with 64,000 operations not much more than with 1,000.
func BenchmarkSizes(b *testing.B) {
	o := Options{ProgressBound: time.Second, OrphanBound: time.Second, WakeupBound: time.Second}
	for _, n := range []int{1_000, 16_000, 64_000} {
		h := contention(n, false)
		b.Run(fmt.Sprintf("operations=%d", n), func(b *testing.B) {
			for b.Loop() {
				Check(h, o)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/operation")
		})
	}
}
