package sim

// Digest is a small deterministic hash to which values are added one by one.
// The zero value is ready to use.
type Digest struct{ h uint64 }

// Uint adds a number.
func (d *Digest) Uint(v uint64) { d.h = hashUint(d.start(), v) }

// String adds a text.
func (d *Digest) String(s string) { d.h = hashString(d.start(), s) }

// Sum is the hash of all that was added.
func (d *Digest) Sum() uint64 { return d.start() }

func (d *Digest) start() uint64 {
	if d.h == 0 {
		return fnvOffset
	}
	return d.h
}
