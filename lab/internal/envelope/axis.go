package envelope

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// Axis is what a map can vary.
type Axis int

// The axes. Values are in nanoseconds, those of Drift in parts per million.
const (
	Lease Axis = iota // the lease that clients ask for
	Pause             // how long a pause of a client lasts
	Trip              // the longest round trip
	Drift             // how slow or fast a clock runs
	Hold              // how long a client works between its first and its last access
	axes
)

// Point has a value for each axis.
type Point [axes]int64

// With returns the point with another value of one axis.
func (p Point) With(a Axis, v int64) Point {
	p[a] = v
	return p
}

// kind describes an axis.
type kind struct {
	name, title string
	// Values are multiples of grain from least to most: nanoseconds, or parts per million for an error of a clock.
	least, most, grain int64
}

const (
	ms     = int64(time.Millisecond)
	second = int64(time.Second)
)

var kinds = [axes]kind{
	Lease: {"lease", "lease", 100 * ms, 60 * second, ms},
	Pause: {"pause", "longest pause", ms, 20 * second, ms},
	Trip:  {"rtt", "longest round trip", ms, 2 * second, ms / 10},
	Drift: {"drift", "error of a clock's rate", 0, 500_000, 100},
	Hold:  {"hold", "hold", 20 * ms, 3 * second, ms},
}

// String returns the name of the axis on the command line.
func (a Axis) String() string { return kinds[a].name }

// Title returns the name of the axis in pictures.
func (a Axis) Title() string { return kinds[a].title }

// Text returns a value as it is written on the command line.
func (a Axis) Text(v int64) string {
	if a == Drift {
		return strconv.FormatFloat(float64(v)/10_000, 'f', -1, 64) + "%"
	}
	return time.Duration(v).String()
}

// rounded returns a value as a multiple of the axis's grain, within its limits.
func (a Axis) rounded(v int64) int64 {
	k := kinds[a]
	return min(max((v+k.grain/2)/k.grain*k.grain, k.least), k.most)
}

// AxisNamed returns the axis with a name.
func AxisNamed(name string) (Axis, error) {
	var names []string
	for a := range axes {
		if kinds[a].name == name {
			return a, nil
		}
		names = append(names, kinds[a].name)
	}
	return 0, fmt.Errorf("%s", wording.Unknown("axis", name, names))
}

// Parse reads a value of the axis. The value must be within the limits of the axis.
func (a Axis) Parse(text string) (int64, error) {
	k := kinds[a]
	var v int64
	var err error
	if a == Drift {
		var percent float64
		percent, err = strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
		v = int64(percent*10_000 + 0.5)
	} else {
		var d time.Duration
		d, err = time.ParseDuration(text)
		v = int64(d)
	}
	if err != nil || v < k.least || v > k.most {
		return 0, fmt.Errorf("%s=%q: want a value from %s to %s", k.name, text, a.Text(k.least), a.Text(k.most))
	}
	return a.rounded(v), nil
}

// Bounds are the ends of an axis in a map.
type Bounds struct{ Low, High int64 }

// ParseBounds reads bounds such as lease=200ms..3s.
func ParseBounds(text string) (a Axis, b Bounds, err error) {
	name, values, cut := strings.Cut(text, "=")
	low, high, two := strings.Cut(values, "..")
	if !cut || !two {
		return a, b, fmt.Errorf("%q: want an axis with its bounds, such as lease=200ms..3s", text)
	}
	if a, err = AxisNamed(name); err != nil {
		return a, b, err
	}
	if b.Low, err = a.Parse(low); err != nil {
		return a, b, err
	}
	if b.High, err = a.Parse(high); err != nil {
		return a, b, err
	}
	if b.Low >= b.High {
		return a, b, fmt.Errorf("%q: the bounds cross: the first must be below the second", text)
	}
	return a, b, nil
}

// Plane is the vertical and the horizontal axis of a map.
type Plane struct{ Y, X Axis }

// ParsePlane reads two axes such as lease,pause: the vertical one first.
func ParsePlane(text string) (p Plane, err error) {
	names := strings.Split(text, ",")
	if len(names) != 2 {
		return p, fmt.Errorf("%q: want two axes, the vertical one first, such as lease,pause", text)
	}
	if p.Y, err = AxisNamed(names[0]); err != nil {
		return p, err
	}
	if p.X, err = AxisNamed(names[1]); err != nil {
		return p, err
	}
	if p.X == p.Y {
		return p, fmt.Errorf("%q: want two different axes", text)
	}
	return p, nil
}

// Planes are those of the usual maps.
func Planes() []Plane { return []Plane{{Lease, Pause}, {Lease, Trip}, {Lease, Drift}} }

// Has reports whether the axis is one of the plane.
func (p Plane) Has(a Axis) bool { return p.X == a || p.Y == a }

func (p Plane) String() string { return p.Y.String() + "," + p.X.String() }

// others returns the axes that have one value in the map, as words such as pause=1s.
func (p Plane) others(at Point, shown []Axis) (words []string) {
	for a := range axes {
		if !p.Has(a) && slices.Contains(shown, a) {
			words = append(words, a.String()+"="+a.Text(at[a]))
		}
	}
	return words
}
