package labreport

import (
	"math"
	"slices"
)

// Median returns the median of the values, each of one seed, with a confidence interval of at least 95 %: the order
// statistics between which the median of the distribution lies with that probability, whatever the distribution is. With
// less than six values there is no such interval, and it spans all of them. NaNs are left out.
func Median(values []float64) Figure {
	v := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	n := len(v)
	if n == 0 {
		return None()
	}
	slices.Sort(v)
	f := None()
	f.Median = (v[(n-1)/2] + v[n/2]) / 2
	below := coverage(n)
	f.Low, f.High = v[below], v[n-1-below]
	return f
}

// enough is the minimum number of values with an interval of 95 %.
const enough = 6

// coverage returns how many of n sorted values are outside of the interval at each end.
func coverage(n int) (below int) {
	// The number of values below the true median is binomial with p = 1/2: an interval with
	// k values outside at each end misses it if there are k or less on one of its sides.
	// Of many values the probabilities at the ends are too small for a float64; they are 0.
	probability, missed := -float64(n)*math.Ln2, 0.0 // the first as its logarithm
	for k := 0; k <= (n-1)/2; k++ {
		if missed += math.Exp(probability); 2*missed > 0.05 {
			return max(0, k-1)
		}
		probability += math.Log(float64(n-k) / float64(k+1))
	}
	return 0
}

// Quantile returns the q-quantile of sorted values, for q between 0 and 1: the least value that is not exceeded by at
// least that fraction of them. It is NaN without values.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}
