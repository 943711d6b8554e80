package envelope

// Border is the result of a bisection between two values, of which the lower and the higher are the ends of the column.
type Border struct {
	// Found and None are the values beside the border: the one at which something was found, and the one at which nothing was.
	// They are set if Exists is.
	Found, None int64
	Exists      bool
	// Everywhere is set if there is no border since something was found at both ends.
	Everywhere bool
	// Tried are the values that were tried, in that order.
	Tried []int64
}

// LowFound reports whether something was found below the border, and nothing above it.
func (b *Border) LowFound() bool { return b.Exists && b.Found < b.None }

// Bisect looks for the border of a predicate between low and high, which must be below high. It tries both ends, and then
// multiples of grain, which must be at least 1: it halves until the values beside the border are no further apart than within, or no multiple
// lies between them. It ends with the first error of found.
func Bisect(low, high, within, grain int64, found func(int64) (bool, error)) (b Border, err error) {
	try := func(v int64) (is bool) {
		if err == nil {
			b.Tried = append(b.Tried, v)
			is, err = found(v)
		}
		return is
	}
	atLow, atHigh := try(low), try(high)
	if err != nil || atLow == atHigh {
		b.Everywhere = err == nil && atLow
		return b, err
	}
	for high-low > within && err == nil {
		middle := (low + (high-low)/2) / grain * grain
		if middle <= low {
			if middle += grain; middle >= high {
				break
			}
		}
		if try(middle) == atLow {
			low = middle
		} else {
			high = middle
		}
	}
	b.Exists, b.Found, b.None = true, low, high
	if atHigh {
		b.Found, b.None = high, low
	}
	return b, err
}
