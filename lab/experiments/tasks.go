package experiments

import (
	"math"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
)

// taskTimes returns how long tasks took from when they were due, in milliseconds, sorted.
func taskTimes(s *lab.Sample) (list []float64) {
	for _, k := range s.Tasks {
		list = append(list, lab.Milliseconds(k.Return-k.Due))
	}
	slices.Sort(list)
	return list
}

// failedTasks returns how many tasks failed.
func failedTasks(s *lab.Sample) int { return len(failures(s)) }

// failures returns when tasks failed.
func failures(s *lab.Sample) (at []time.Duration) {
	for _, k := range s.Tasks {
		if k.Failed {
			at = append(at, k.Return)
		}
	}
	return at
}

// taskRate returns the number of successful tasks in a second.
func taskRate(s *lab.Sample) float64 {
	if s.Elapsed == 0 {
		return math.NaN()
	}
	return float64(len(s.Tasks)-failedTasks(s)) / s.Elapsed.Seconds()
}

// mean returns the mean of the values, NaN without any.
func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// timePlot returns a plot of the number of events until each time, in the median of the seeds.
func (r Results) timePlot(title, what string, of func(*lab.Sample) []time.Duration) labreport.Plot {
	p := labreport.Plot{
		Title: title, Kind: labreport.Steps,
		X: labreport.Axis{Name: "time", Unit: "s"}, Y: labreport.Axis{Name: what},
	}
	for i, v := range r.Variants {
		end := time.Duration(0)
		for _, s := range r.Samples[i] {
			end = max(end, s.Elapsed)
		}
		p.Series = append(p.Series, labreport.Series{Name: v.Name, Points: overTime(r.Samples[i], end, of)})
	}
	return p
}

// overTime counts the events until 100 times, in each of the samples.
func overTime(samples []*lab.Sample, end time.Duration, of func(*lab.Sample) []time.Duration) (points []labreport.Point) {
	const places = 100
	sorted := make([][]time.Duration, len(samples))
	for i, s := range samples {
		sorted[i] = slices.Sorted(slices.Values(of(s)))
	}
	for i := range places + 1 {
		at := end * time.Duration(i) / places
		var counts []float64
		for _, times := range sorted {
			n, _ := slices.BinarySearch(times, at+1)
			counts = append(counts, float64(n))
		}
		f := labreport.Median(counts)
		points = append(points, labreport.Point{X: at.Seconds(), Y: f.Median, Low: f.Low, High: f.High})
	}
	return points
}

// logX returns the plot with a logarithmic X.
func logX(p labreport.Plot) labreport.Plot {
	p.X.Log = true
	return p
}
