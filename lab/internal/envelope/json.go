package envelope

// Object is a map as JSON. Durations are texts as on the command line, and so is the error of a clock. Fields are only ever added.
type Object struct {
	Type  string  `json:"type"` // map
	Y     string  `json:"y"`
	X     string  `json:"x"`
	Fixed []Value `json:"fixed"`
	// Formula is the lock's, empty if it has none.
	Formula string         `json:"formula,omitempty"`
	Columns []ObjectColumn `json:"columns"`
	Points  []ObjectPoint  `json:"points"`
	// Monotone is set if no point contradicts that each column has one border.
	Monotone bool     `json:"monotone"`
	Verdict  []string `json:"verdict"`
}

// Value is the value of an axis.
type Value struct {
	Axis  string `json:"axis"`
	Value string `json:"value"`
}

// ObjectColumn has the values beside the border of a column, empty if there is no border.
type ObjectColumn struct {
	X        string `json:"x"`
	Violated string `json:"violated,omitempty"`
	None     string `json:"none,omitempty"`
	// Ends is what was found at both ends of a column without a border: violated or none-found.
	Ends    string `json:"ends,omitempty"`
	Formula string `json:"formula,omitempty"`
	Trace   string `json:"trace,omitempty"`
}

// ObjectPoint is a searched point.
type ObjectPoint struct {
	Y string `json:"y"`
	X string `json:"x"`
	// Result is violation, none-found or vacuous.
	Result   string `json:"result"`
	Property string `json:"property,omitempty"`
	Limit    bool   `json:"limit,omitempty"`
	Schedule int    `json:"schedule,omitempty"`
	// Expected is set for a random point: violation or none-found.
	Expected string `json:"expected,omitempty"`
}

// Object returns the map as an object. Paths are the files of the counterexamples.
func (m *Map) Object(s *Search, rule *Rule, paths map[*Result]string) *Object {
	o := &Object{Type: "map", Y: m.Y.String(), X: m.X.String(), Monotone: len(m.Wrong())+len(m.Twisted()) == 0, Verdict: m.Verdict(s, rule)}
	shown, _ := s.Axes() // the cells have been made before
	for _, a := range shown {
		if !m.Has(a) {
			o.Fixed = append(o.Fixed, Value{a.String(), a.Text(m.At[a])})
		}
	}
	ruled := rule != nil && m.Y == Lease
	if ruled {
		o.Formula = rule.Text()
	}
	for _, c := range m.Lines {
		column := ObjectColumn{X: m.X.Text(c.X)}
		switch {
		case c.Exists:
			column.Violated, column.None, column.Trace = m.Y.Text(c.Found), m.Y.Text(c.None), paths[c.Wrong]
		default:
			column.Ends = word(c.Everywhere, false)
		}
		if ruled {
			column.Formula = Lease.Text(Lease.rounded(rule.Lease(m.point(c.X, 0))))
		}
		o.Columns = append(o.Columns, column)
	}
	random := map[*Result]string{}
	for _, c := range m.Random {
		random[c.Result] = word(c.Expected, false)
	}
	for _, r := range m.Results() {
		o.Points = append(o.Points, ObjectPoint{
			Y: m.Y.Text(r.Point[m.Y]), X: m.X.Text(r.Point[m.X]), Result: word(r.Found(), r.Vacuous),
			Property: r.Violation.Property, Limit: r.Violation.Limit, Schedule: r.Schedule, Expected: random[r],
		})
	}
	return o
}

// word names a result.
func word(found, vacuous bool) string {
	switch {
	case found:
		return "violation"
	case vacuous:
		return "vacuous"
	}
	return "none-found"
}

// NeedsObject is the answer of Needs as JSON.
type NeedsObject struct {
	Type     string  `json:"type"` // needs
	Have     []Value `json:"have"`
	Violated string  `json:"violated,omitempty"`
	None     string  `json:"none,omitempty"`
	// Lease is the lease that the lock needs, empty if none is known.
	Lease    string `json:"lease,omitempty"`
	Fenced   bool   `json:"fenced"`
	Sentence string `json:"sentence"`
	Trace    string `json:"trace,omitempty"`
}

// Object returns the answer as an object with the path of its trace.
func (n *Needs) Object(path string) NeedsObject {
	o := NeedsObject{Type: "needs", Fenced: n.Fenced, Sentence: n.Sentence(), Trace: path}
	shown, _ := n.search.Axes() // the cell has been made before
	for _, a := range shown {
		if a != Lease {
			o.Have = append(o.Have, Value{a.String(), a.Text(n.At[a])})
		}
	}
	if n.Exists {
		o.Violated, o.None = Lease.Text(n.Found), Lease.Text(n.None)
	}
	if least := n.Lease(); least > 0 {
		o.Lease = Lease.Text(least)
	}
	return o
}
