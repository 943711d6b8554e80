package lab

import (
	"fmt"
	"math"
	"time"
)

// Latency is a log-normal distribution of times, like that of round trips within a data centre, with a median and a 99.9th
// percentile. If P999 is 0 it is constant.
type Latency struct {
	Median, P999 time.Duration
}

// p999 is the 99.9th percentile of the standard normal distribution.
const p999 = 3.090232306167813

// Quantile returns the inverse of the distribution, for 0 < q < 1.
func (l Latency) Quantile(q float64) time.Duration {
	if l.P999 <= l.Median {
		return l.Median
	}
	sigma := math.Log(float64(l.P999)/float64(l.Median)) / p999
	return time.Duration(float64(l.Median) * math.Exp(sigma*math.Sqrt2*math.Erfinv(2*q-1)))
}

// String returns both figures.
func (l Latency) String() string {
	if l.P999 <= l.Median {
		return l.Median.String()
	}
	return fmt.Sprintf("%v, 99.9 %% within %v", l.Median, l.P999)
}
