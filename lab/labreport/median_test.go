package labreport

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestCoverage: published tables of the confidence interval of the median, of 95 %, by the
// ranks of the values at its ends (Conover, Practical Nonparametric Statistics).
func TestCoverage(t *testing.T) {
	for n, first := range map[int]int{ // unordered: each is tested by itself
		6: 1, 8: 1, 9: 2, 10: 2, 12: 3, 15: 4, 20: 6, 25: 8, 30: 10, 50: 18,
	} {
		if got := coverage(n) + 1; got != first {
			t.Errorf("of %d values the interval begins with number %d; tables say %d", n, got, first)
		}
	}
	for n := 1; n < enough; n++ {
		if got := coverage(n); got != 0 {
			t.Errorf("of %d values %d are left out at each end", n, got)
		}
	}
}

// TestCoverageIsTheLeast: the interval misses the median with a probability of at most 5 %,
// and the next smaller one with more. The probability is counted with exact numbers.
func TestCoverageIsTheLeast(t *testing.T) {
	for n := enough; n <= 60; n++ {
		missed := func(outside int) float64 { // fewer than outside+1 values on one side
			sum, choose := 0.0, 1.0
			for k := 0; k <= outside; k++ {
				sum += choose
				choose = choose * float64(n-k) / float64(k+1)
			}
			return 2 * sum / math.Exp2(float64(n))
		}
		below := coverage(n)
		if missed(below) > 0.05 {
			t.Errorf("n = %d: the interval from number %d misses the median with probability %.3f", n, below+1, missed(below))
		}
		if missed(below+1) <= 0.05 {
			t.Errorf("n = %d: the interval could begin with number %d", n, below+2)
		}
	}
}

// TestMedian: the median is between the ends of its interval, both of which are values;
// neither the order of the values nor NaNs among them matter.
func TestMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 80).Draw(t, "values")
		f := Median(values)
		if f.Low > f.Median || f.Median > f.High {
			t.Fatalf("%+v", f)
		}
		if !slices.Contains(values, f.Low) || !slices.Contains(values, f.High) {
			t.Fatalf("%+v are no values", f)
		}
		less, greater := 0, 0
		for _, v := range values {
			if v < f.Median {
				less++
			}
			if v > f.Median {
				greater++
			}
		}
		if 2*less > len(values) || 2*greater > len(values) {
			t.Fatalf("%d values are less than the median %v, and %d are greater", less, f.Median, greater)
		}
		mixed := rapid.Permutation(append(slices.Clone(values), math.NaN(), math.NaN())).Draw(t, "mixed")
		if g := Median(mixed); g.Median != f.Median || g.Low != f.Low || g.High != f.High {
			t.Fatalf("%+v, and in another order %+v", f, g)
		}
	})
	if f := Median([]float64{math.NaN()}); !math.IsNaN(f.Median) || !math.IsNaN(f.Low) {
		t.Errorf("the median of nothing is %+v", f)
	}
}

func TestQuantile(t *testing.T) {
	sorted := []float64{1, 2, 3, 4}
	for q, want := range map[float64]float64{0: 1, 0.25: 1, 0.26: 2, 0.5: 2, 0.99: 4, 1: 4} { // unordered: each by itself
		if got := Quantile(sorted, q); got != want {
			t.Errorf("the %v-quantile is %v, not %v", q, got, want)
		}
	}
	if got := Quantile(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("%v", got)
	}
}
