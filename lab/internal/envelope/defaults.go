package envelope

// Usual are the values of the axes that a command line does not set.
var Usual = Point{Pause: second, Trip: 24 * ms / 10, Drift: 0, Hold: 100 * ms}

// UsualTrip is the round trip that the bounds of its axis are about, where the command line sets none.
const UsualTrip = 40 * ms

// BoundsOf returns the usual bounds of a map's axes. Those of leases begin where a client has time for its work, and not below the
// shortest lease of the store; they end well above what the fullest formula asks for.
func BoundsOf(p Plane, at Point, tripSet bool, shortest int64) (x, y Bounds) {
	x = boundsOf(p.X, at, tripSet)
	far := at.With(p.X, x.High)
	if p.Y != Lease {
		return x, boundsOf(p.Y, at, tripSet)
	}
	return x, LeasesOf(far, shortest)
}

// LeasesOf returns the bounds of leases for a point.
func LeasesOf(p Point, shortest int64) Bounds {
	rule := Rule{Claims: true}
	low := max(2*p[Hold]+4*p[Trip], shortest, kinds[Lease].least)
	high := max(rule.Lease(p)*4/3, 2*low)
	return Bounds{roundedTo(low, 10*ms), min(roundedTo(high, 100*ms), kinds[Lease].most)}
}

// boundsOf returns the usual bounds of another axis.
func boundsOf(a Axis, at Point, tripSet bool) Bounds {
	v := at[a]
	switch a {
	case Lease:
		return LeasesOf(at, 0)
	case Trip:
		if !tripSet {
			v = UsualTrip
		}
		return Bounds{a.rounded(v / 4), a.rounded(2 * v)}
	case Drift:
		return Bounds{0, 210_000}
	case Pause:
		return Bounds{a.rounded(v / 4), a.rounded(2 * v)}
	}
	return Bounds{a.rounded(v / 2), a.rounded(4 * v)}
}

// roundedTo returns a value as a multiple of a grain.
func roundedTo(v, grain int64) int64 { return (v + grain/2) / grain * grain }
