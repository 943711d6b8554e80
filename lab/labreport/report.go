package labreport

import "math"

// Report is the result of an experiment.
type Report struct {
	Experiment string `json:"experiment"`
	// Question is the question of the experiment, in one sentence, and Source is where it was published.
	Question string `json:"question"`
	Source   string `json:"source,omitempty"`
	// Command is the command that runs it again, with the same figures.
	Command string `json:"command"`
	// Look is the command that draws one of its runs.
	Look     string    `json:"look,omitempty"`
	Settings []Setting `json:"settings"`
	Seed     uint64    `json:"seed"`
	Seeds    int       `json:"seeds"`
	Claims   []Claim   `json:"claims,omitempty"`
	Tables   []Table   `json:"tables"`
	Plots    []Plot    `json:"plots,omitempty"`
	// Leaders are the best variants, those of one setting together.
	Leaders []Leader `json:"leaders,omitempty"`
	// Notes explain the figures: paragraphs of plain text.
	Notes []string `json:"notes,omitempty"`
}

// Setting is a parameter of the experiment with its value.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	About string `json:"about"`
}

// Claim is a sentence that was published, or that Lockpick claims, and the number of seeds for which it is true.
type Claim struct {
	Sentence string `json:"sentence"`
	Holds    int    `json:"holds"`
	// Of is the number of seeds that test the claim. If it is 0 the claim was not tested.
	Of int `json:"of"`
	// Note is a correction, or a reason.
	Note string `json:"note,omitempty"`
}

// Table has a row for each variant, such as a lock or a strategy, and a column for each
// measure.
type Table struct {
	Title string `json:"title"`
	// What is the noun of the rows, such as "lock".
	What    string   `json:"what"`
	Columns []Column `json:"columns"`
	Rows    []Row    `json:"rows"`
}

// Column is a measure with its unit: "ms", "1/s", "%", or none for a number of things.
type Column struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
}

// Row is the figures of one variant, one for each column.
type Row struct {
	Name  string   `json:"name"`
	Cells []Figure `json:"cells"`
}

// Figure is one measure of one variant.
type Figure struct {
	// Median is the median of the seeds. Low and High are a confidence interval of it, of 95 % or a little more; equal to it
	// for one seed. They are NaN, and null in JSON, if there is nothing to measure.
	Median, Low, High float64
	// Published is the document's figure, and Real the one measured on real servers; NaN if there is none.
	Published, Real float64
	// Alike is the simulated figure over the network on which Real was measured; NaN if there
	// is none.
	Alike float64
}

// RealRatio returns the ratio of the simulated figure to the real one over the same network, as text, like [Figure.Ratio].
func (f Figure) RealRatio() string {
	if known(f.Alike) {
		f.Median = f.Alike
	}
	return f.Ratio(f.Real)
}

// None returns a missing figure.
func None() Figure {
	n := math.NaN()
	return Figure{n, n, n, n, n, n}
}

// Plot is a diagram with a line for each series.
type Plot struct {
	Title string `json:"title"`
	X     Axis   `json:"x"`
	Y     Axis   `json:"y"`
	// Kind determines how the points of a series are joined.
	Kind   Kind     `json:"kind"`
	Series []Series `json:"series"`
}

// Axis is a direction of a plot.
type Axis struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
	// Log is set for a logarithmic scale; values of 0 and less are then left out.
	Log bool `json:"log,omitempty"`
}

// Kind is the way in which a series is drawn.
type Kind string

// The kinds of plots: straight lines between points, and steps, as of a distribution.
const (
	Lines Kind = "lines"
	Steps Kind = "steps"
)

// Series is a line of a plot, with points in the order of X.
type Series struct {
	Name   string  `json:"name"`
	Points []Point `json:"points"`
}

// Point is a point of a series. Low and High are a confidence interval of Y; equal to it if
// there is none.
type Point struct {
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}
