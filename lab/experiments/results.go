package experiments

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
)

// Results are the results of an experiment's runs.
type Results struct {
	Experiment *Experiment
	Values     Values
	Variants   []Variant
	// Samples are the samples of each variant, one for each seed, in the order of the seeds.
	Samples [][]*lab.Sample
	// Real are the samples of each variant on real servers, empty without them, and Alike those of a simulation over the same
	// network.
	Real, Alike [][]*lab.Sample
}

// Measure is a quantity of a sample, as a column of a table. It is NaN if the sample does not have it.
type Measure struct {
	Name, Unit string
	Of         func(*lab.Sample) float64
}

// Notes returns the notes of every experiment.
func (r Results) Notes() (notes []string) {
	cut := 0
	for _, samples := range r.Samples {
		for _, s := range samples {
			if s.Cut != "" {
				cut++
			}
		}
	}
	if cut > 0 {
		notes = append(notes, fmt.Sprintf("%s cut before all was done: the figures are of what came before.", wording.Form(cut, "One run was", fmt.Sprintf("%d runs were", cut))))
	}
	return notes
}

// Usual reports whether all parameters have their defaults, so that figures can be compared
// with published ones.
func (r Results) Usual() bool {
	for _, s := range r.Experiment.Settings {
		if r.Values[s.Name] != s.Default {
			return false
		}
	}
	return true
}

// Table returns a table with a row for each variant, with the median of each measure over the seeds.
func (r Results) Table(title, rows string, measures []Measure) labreport.Table {
	t := labreport.Table{Title: title, What: rows}
	for _, m := range measures {
		t.Columns = append(t.Columns, labreport.Column{Name: m.Name, Unit: m.Unit})
	}
	for i, v := range r.Variants {
		row := labreport.Row{Name: v.Name}
		for _, m := range measures {
			row.Cells = append(row.Cells, r.Figure(i, m.Of))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Figure returns the median of a measure of one variant, with that on real servers.
func (r Results) Figure(variant int, of func(*lab.Sample) float64) labreport.Figure {
	f := labreport.Median(each(r.Samples[variant], of))
	if len(r.Real) > variant {
		f.Real = labreport.Median(each(r.Real[variant], of)).Median
	}
	if len(r.Alike) > variant {
		f.Alike = labreport.Median(each(r.Alike[variant], of)).Median
	}
	return f
}

func each(samples []*lab.Sample, of func(*lab.Sample) float64) (list []float64) {
	for _, s := range samples {
		list = append(list, of(s))
	}
	return list
}

// Claim counts in how many seeds a sentence is true. Holds gets the sample of each variant,
// all of one seed.
func (r Results) Claim(sentence string, holds func(samples []*lab.Sample) bool) labreport.Claim {
	return r.ClaimWhere(sentence, func([]*lab.Sample) bool { return true }, holds)
}

// ClaimWhere is [Results.Claim] for a sentence that not every seed can test: only seeds for which tests returns true
// count.
func (r Results) ClaimWhere(sentence string, tests, holds func(samples []*lab.Sample) bool) labreport.Claim {
	c := labreport.Claim{Sentence: sentence}
	for seed := range r.Samples[0] {
		var samples []*lab.Sample
		for variant := range r.Samples {
			samples = append(samples, r.Samples[variant][seed])
		}
		if !tests(samples) {
			continue
		}
		c.Of++
		if holds(samples) {
			c.Holds++
		}
	}
	return c
}

// WaitPlot returns the distribution of the waits of each variant, over all seeds.
func (r Results) WaitPlot() labreport.Plot {
	return r.DistributionPlot("How long successful tries waited", "wait", (*lab.Sample).Waits)
}

// DistributionPlot returns the distribution of times in milliseconds, over all seeds.
func (r Results) DistributionPlot(title, axis string, of func(*lab.Sample) []float64) labreport.Plot {
	p := labreport.Plot{
		Title: title, Kind: labreport.Steps,
		X: labreport.Axis{Name: axis, Unit: "ms", Log: true}, Y: labreport.Axis{Name: "of all, at most", Unit: "%"},
	}
	for i, v := range r.Variants {
		var all []float64
		for _, s := range r.Samples[i] {
			all = append(all, of(s)...)
		}
		slices.Sort(all)
		p.Series = append(p.Series, labreport.Series{Name: v.Name, Points: distribution(all)})
	}
	return p
}

// distribution returns the cumulative distribution of sorted values, at 200 places.
func distribution(sorted []float64) (points []labreport.Point) {
	const places = 200
	for i := range places + 1 {
		if len(sorted) == 0 {
			break
		}
		q := float64(i) / places
		y := 100 * q
		points = append(points, labreport.Point{X: labreport.Quantile(sorted, q), Y: y, Low: y, High: y})
	}
	return points
}

// count returns a function that counts the tries with a result.
func count(result lab.Result) func(*lab.Sample) float64 {
	return func(s *lab.Sample) float64 { return float64(s.Count(result)) }
}

// triesAt returns a function that returns the times at which tries ended with a result.
func triesAt(result lab.Result) func(*lab.Sample) []time.Duration {
	return func(s *lab.Sample) (at []time.Duration) {
		for i := range s.Tries {
			if s.Tries[i].Result == result {
				at = append(at, s.Tries[i].Return)
			}
		}
		return at
	}
}

// wait returns a quantile of the waits of successful tries, in milliseconds.
func wait(q float64) func(*lab.Sample) float64 {
	return func(s *lab.Sample) float64 { return labreport.Quantile(s.Waits(), q) }
}

// rate returns how many tries succeeded in a second.
func rate(s *lab.Sample) float64 {
	return ratio(float64(s.Count(lab.Acquired)), (s.Elapsed - s.From).Seconds())
}

// ratio returns a quotient, NaN without a divisor.
func ratio(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}
