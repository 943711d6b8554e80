package envelope

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// TestBisect: of a predicate with one border between the ends, the values beside it are found, as near as was asked.
func TestBisect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grain := rapid.Int64Range(1, 50).Draw(t, "grain")
		low := rapid.Int64Range(0, 1000).Draw(t, "low")
		high := low + rapid.Int64Range(1, 100_000).Draw(t, "length")
		within := rapid.Int64Range(grain, 5000).Draw(t, "within")
		border := rapid.Int64Range(low-10, high+10).Draw(t, "border")
		below := rapid.Bool().Draw(t, "below")
		is := func(v int64) bool { return (v < border) == below }
		b, err := Bisect(low, high, within, grain, func(v int64) (bool, error) {
			if v < low || v > high || v != low && v != high && v%grain != 0 {
				t.Fatalf("it tries %d", v)
			}
			return is(v), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if exists := is(low) != is(high); b.Exists != exists || !exists && b.Everywhere != is(low) {
			t.Fatalf("%+v for a border at %d", b, border)
		}
		if !b.Exists {
			return
		}
		near, far := min(b.Found, b.None), max(b.Found, b.None)
		if !is(b.Found) || is(b.None) || near >= border || far < border || b.LowFound() != below {
			t.Fatalf("%+v for a border at %d", b, border)
		}
		if apart := far - near; apart > within && apart > 2*grain {
			t.Fatalf("%d and %d are %d apart, more than %d", near, far, apart, within)
		}
		if most := 2 + 18; len(b.Tried) > most {
			t.Fatalf("it tries %d values", len(b.Tried))
		}
	})
}

// TestBisectFails: an error ends it.
func TestBisectFails(t *testing.T) {
	broken := errors.New("broken")
	for n := range 4 {
		tried := 0
		b, err := Bisect(0, 1000, 1, 1, func(v int64) (bool, error) {
			if tried++; tried > n {
				return false, broken
			}
			return v < 500, nil
		})
		if !errors.Is(err, broken) || tried != n+1 || b.Everywhere {
			t.Errorf("after %d: %v, %d tries, %+v", n, err, tried, b)
		}
	}
}
