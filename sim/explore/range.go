package explore

// Range is the blocks First to End-1 of a search. The zero value is all of them.
type Range struct{ First, End int }

// Has reports whether the range has a block.
func (r Range) Has(n int) bool { return r.End == 0 || r.First <= n && n < r.End }

// of returns the range in a search of the given number of blocks.
func (r Range) of(blocks int) (first, end int) {
	if r.End == 0 {
		return 0, blocks
	}
	return max(r.First, 0), min(r.End, blocks)
}
