package labreport

import (
	"encoding/json"
	"io"
	"math"
)

// JSON writes the report as one JSON object on a line. Missing figures are null.
func (r *Report) JSON(w io.Writer) error { return json.NewEncoder(w).Encode(r) }

// number is a float64 that is null in JSON if it is NaN or infinite.
type number float64

// MarshalJSON encodes the number.
func (n number) MarshalJSON() ([]byte, error) {
	if x := float64(n); math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// MarshalJSON encodes the figure, with null for missing values.
func (f Figure) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Median    number `json:"median"`
		Low       number `json:"low"`
		High      number `json:"high"`
		Published number `json:"published"`
		Real      number `json:"real"`
		Alike     number `json:"loopback"`
	}{number(f.Median), number(f.Low), number(f.High), number(f.Published), number(f.Real), number(f.Alike)})
}

// MarshalJSON encodes the point, with null for missing values.
func (p Point) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		X    number `json:"x"`
		Y    number `json:"y"`
		Low  number `json:"low"`
		High number `json:"high"`
	}{number(p.X), number(p.Y), number(p.Low), number(p.High)})
}
