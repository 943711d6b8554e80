package main

import (
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	list := []time.Duration{50, 10, 40, 20, 30}
	for _, test := range []struct {
		q    float64
		want time.Duration
	}{{0, 10}, {0.5, 30}, {0.99, 50}, {1, 50}} {
		if got := quantile(list, test.q); got != test.want {
			t.Errorf("the quantile %v of %v is %d, want %d", test.q, list, got, test.want)
		}
	}
	if got := quantile(nil, 0.5); got != 0 {
		t.Errorf("the quantile of nothing is %v", got)
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		list []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := median(test.list); got != test.want {
			t.Errorf("the median of %v is %v, want %v", test.list, got, test.want)
		}
	}
}

// TestRatio: a lock is compared with the library that is better by its median,
// each time with what was measured next to it.
func TestRatio(t *testing.T) {
	of := func(foreign bool, rates ...float64) *result {
		return &result{subject: subject{foreign: foreign}, alone: figures{rates: rates}}
	}
	mine := of(false, 50, 110, 400)
	all := []*result{of(true, 1000, 50, 10), of(true, 10, 100, 200), mine}
	if got := ratio(all, mine, func(r *result) *figures { return &r.alone }); got != 2 {
		t.Errorf("the ratio is %v, want 2", got)
	}
}

// TestInsert: what was measured before goes, and all else stays.
func TestInsert(t *testing.T) {
	page, err := insert([]byte("before\n"+begin+"\nold\n"+end+"\nafter\n"), "new\n")
	if want := "before\n" + begin + "\n\nnew\n\n" + end + "\nafter\n"; err != nil || string(page) != want {
		t.Errorf("the page is %q, %v; want %q", page, err, want)
	}
	if _, err := insert([]byte("no place"), "new"); err == nil {
		t.Error("a page without a place is no error")
	}
}
