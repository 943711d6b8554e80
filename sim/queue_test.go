package sim

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/sim/internal/digest"
	"github.com/lockpick-dev/lockpick/sim/internal/streams"
)

// TestQueue compares the heap with a sorted list.
func TestQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var model []*pending
		order, actors := int64(0), []*Actor{{id: 0}, {id: 1}}
		earlier := func(a, b *pending) int {
			return cmp.Or(
				cmp.Compare(a.at, b.at), cmp.Compare(a.actor.id, b.actor.id),
				cmp.Compare(a.from.id, b.from.id), cmp.Compare(a.order, b.order),
			)
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				order++
				p := &pending{
					at: time.Duration(rapid.IntRange(0, 9).Draw(t, "at")), order: order,
					actor: rapid.SampledFrom(actors).Draw(t, "actor"), from: rapid.SampledFrom(actors).Draw(t, "from"),
				}
				q.add(p)
				model = append(model, p)
				slices.SortFunc(model, earlier)
			},
			"remove": func(t *rapid.T) {
				if len(model) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(model)-1).Draw(t, "which")
				q.remove(model[i])
				q.remove(model[i]) // once more does no harm
				if model[i].index >= 0 {
					t.Fatal("it was removed and does not know")
				}
				model = slices.Delete(model, i, i+1)
			},
			"cancel": func(t *rapid.T) {
				if len(model) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(model)-1).Draw(t, "which")
				model[i].cancel()
				model = slices.Delete(model, i, i+1)
			},
			"": func(t *rapid.T) {
				first := q.first()
				if len(model) == 0 {
					if first != nil {
						t.Fatalf("an event at %v in an empty queue", first.at)
					}
					return
				}
				if first != model[0] {
					t.Fatalf("the first is at %v, want %v", first.at, model[0].at)
				}
				for at := range time.Duration(10) {
					if len(model) > 1 && model[1].at <= at && !q.crowded(at) {
						t.Fatalf("not crowded at %v, with one at %v", at, model[1].at)
					}
					if len(q) == len(model) && q.crowded(at) && (len(model) < 2 || model[1].at > at) {
						t.Fatalf("crowded at %v", at)
					}
				}
			},
		})
	})
}

// TestSlots: every actor has a nanosecond of its own in every microsecond.
func TestSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Actor{id: rapid.IntRange(0, slots-1).Draw(t, "id")}
		at := time.Duration(rapid.Int64Range(0, int64(forEver)).Draw(t, "at"))
		s := a.slot(at)
		if s < at || s >= at+time.Microsecond || int(s%time.Microsecond) != a.id {
			t.Fatalf("the slot after %d is %d", at, s)
		}
		if a.slot(s) != s {
			t.Fatalf("%d is a slot, and the one after it is %d", s, a.slot(s))
		}
	})
}

// TestEmissionOrder: a total order, and n only decides where nothing else can.
func TestEmissionOrder(t *testing.T) {
	actors := []*Actor{{id: 0}, {id: 1}}
	extreme := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{math.MinInt64, -1, 0, 1, math.MaxInt64}))
	emission := rapid.Custom(func(t *rapid.T) emission {
		return emission{
			actor: rapid.SampledFrom(actors).Draw(t, "actor"),
			lane:  extreme.Draw(t, "lane"), key: extreme.Draw(t, "key"), n: int64(rapid.IntRange(0, 3).Draw(t, "n")),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := emission.Draw(t, "a"), emission.Draw(t, "b"), emission.Draw(t, "c")
		if compareEmissions(a, b) != -compareEmissions(b, a) {
			t.Fatal("not antisymmetric")
		}
		if compareEmissions(a, b) <= 0 && compareEmissions(b, c) <= 0 && compareEmissions(a, c) > 0 {
			t.Fatal("not transitive")
		}
		b.n = a.n
		first := compareEmissions(a, b)
		a.n, b.n = b.n+1, a.n
		if first != 0 && compareEmissions(a, b) != first {
			t.Fatal("the scheduler's order decides over the canonical one")
		}
	})
	if laneFailure >= laneMark || laneMark+1<<31 >= laneStep || laneStep >= laneDial || laneDial >= 0 {
		t.Error("the lanes are out of order")
	}
}

// TestScale compares with exact arithmetic.
func TestScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.Int64Range(-1<<62, 1<<62).Draw(t, "d")
		num, den := rapid.Int64Range(1, 1<<40).Draw(t, "num"), rapid.Int64Range(1, 1<<40).Draw(t, "den")
		up := rapid.Bool().Draw(t, "up")
		product := new(big.Int).Mul(big.NewInt(d), big.NewInt(num))
		want, rest := new(big.Int).DivMod(product, big.NewInt(den), new(big.Int)) // rounds down
		if up && rest.Sign() != 0 {
			want.Add(want, big.NewInt(1))
		}
		if limit := big.NewInt(int64(forEver)); want.CmpAbs(limit) > 0 {
			want.Mul(limit, big.NewInt(int64(want.Sign())))
		}
		if got := scale(time.Duration(d), num, den, up); big.NewInt(int64(got)).Cmp(want) != 0 {
			t.Fatalf("%d*%d/%d is %d, want %d", d, num, den, got, want)
		}
	})
}

func TestLater(t *testing.T) {
	for _, test := range [][3]time.Duration{
		{1, 2, 3}, {5, -2, 3}, {0, forEver, forEver}, {1, forEver, forEver}, {forEver, 1, forEver},
		{1, math.MaxInt64, forEver}, {forEver, math.MaxInt64, forEver}, {forEver, -1, forEver - 1},
	} {
		if got := later(test[0], test[1]); got != test[2] {
			t.Errorf("%d later than %d is %d, want %d", test[1], test[0], got, test[2])
		}
	}
}

// TestStream: random bytes come in the same order, however they are asked for
// in whole words, and streams of different names differ.
func TestStream(t *testing.T) {
	read := func(name string, sizes ...int) (all []byte) {
		s := streams.Reader(1, name)
		for _, n := range sizes {
			p := make([]byte, n)
			if got, err := s.Read(p); got != n || err != nil {
				t.Errorf("Read of %d: %d, %v", n, got, err)
			}
			all = append(all, p...)
		}
		return all
	}
	whole := read("a", 32)
	if !slices.Equal(whole, read("a", 8, 16, 0, 8)) {
		t.Error("the parts are not the whole")
	}
	if !slices.Equal(whole[:3], read("a", 3)) {
		t.Error("a part of a word is not its beginning")
	}
	if slices.Equal(whole, read("b", 32)) {
		t.Error("two streams are the same")
	}
}

func TestDigest(t *testing.T) {
	sum := func(f func(*Digest)) uint64 {
		var d Digest
		f(&d)
		return d.Sum()
	}
	seen := map[uint64]int{}
	for i, f := range []func(*Digest){
		func(*Digest) {},
		func(d *Digest) { d.Uint(0) },
		func(d *Digest) { d.Uint(1) },
		func(d *Digest) { d.String("ab"); d.String("c") },
		func(d *Digest) { d.String("a"); d.String("bc") },
	} {
		if j, ok := seen[sum(f)]; ok {
			t.Errorf("%d and %d have the same sum", j, i)
		}
		seen[sum(f)] = i
		if again := sum(f); again != sum(f) {
			t.Errorf("%d has two sums", i)
		}
	}
}

// TestHash: all of a text counts, wherever it is cut into words, and every bit.
func TestHash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "bytes")
		h := digest.Bytes(digest.Offset, b)
		bit := rapid.IntRange(0, len(b)*8-1).Draw(t, "bit")
		b[bit/8] ^= 1 << (bit % 8)
		if digest.Bytes(digest.Offset, b) == h {
			t.Fatalf("bit %d does not count", bit)
		}
		b[bit/8] ^= 1 << (bit % 8)
		if digest.Bytes(digest.Offset, append(b, 0)) == h || digest.Bytes(h, nil) == h {
			t.Fatal("the length does not count")
		}
	})
}

// TestSound has one event that may happen, and those that may not.
func TestSound(t *testing.T) {
	for _, test := range []struct {
		name, want string
		spoil      func(w *World, p *pending)
	}{
		{"sound", "", func(*World, *pending) {}},
		{"early", "is due at", func(_ *World, p *pending) { p.at = 6 }},
		{"second of an instant", "the event before it at", func(w *World, _ *pending) { w.last = 5 }},
		{"clock ahead", "the clock shows", func(w *World, _ *pending) { w.now = 6 }},
		{"cancelled", "cancelled", func(_ *World, p *pending) { p.cancel() }},
		{"of a paused process", "paused", func(_ *World, p *pending) { p.gated, p.actor.process = true, &Process{paused: true} }},
		{"overtakes", "lane 7", func(_ *World, p *pending) { p.order = 3 }},
		{"overtakes another lane", "", func(_ *World, p *pending) { p.lane, p.order = 8, 3 }},
	} {
		w := &World{moment: 5, now: 4, last: 4}
		p := &pending{at: 4, order: 1, lane: 7, actor: &Actor{}}
		w.queue = queue{p, {at: 4, order: 2, lane: 7, actor: p.actor}}
		test.spoil(w, p)
		if err := w.sound(p); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
