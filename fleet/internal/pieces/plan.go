package pieces

import "github.com/lockpick-dev/lockpick/sim/explore"

// The limits of plans.
const (
	// Exact is the most blocks of a search whose result is that of one machine, byte by byte. The blocks of a longer search
	// are joined within their piece, and classes of outcomes are estimated: a set of classes takes some 40 bytes a
	// schedule in memory and 11 on disk.
	Exact = 1 << 12
	// most is the largest piece in blocks, unless the user asks for another: with 500 schedules a second, a minute.
	most = 128
	// many is how many pieces a long search is cut into, so that a thousand workers share it, and few how many one of middle length:
	// its pieces have up to usual blocks, which are some seconds, since a piece costs three requests to a bucket that may be far away.
	// Pieces of short searches have some blocks as well, if these are at least fewest pieces.
	many   = 1 << 10
	few    = 1 << 8
	usual  = 16
	some   = 4
	fewest = 16
)

// Plan is how a search is cut into pieces.
type Plan struct {
	// Blocks is the number of blocks of the search, and Size that of a piece; the last one may have less.
	Blocks int `json:"blocks"`
	Size   int `json:"size"`
	// Joined is set if the blocks of a piece are joined.
	Joined bool `json:"joined,omitempty"`
}

// NewPlan cuts a search of so many blocks. Size is the size of the pieces that is asked for, 0 for the usual one.
func NewPlan(blocks, size int) Plan {
	if size == 0 {
		size = min(max(blocks/many, min(blocks/few, usual), min(blocks/fewest, some), 1), most)
	}
	return Plan{Blocks: blocks, Size: size, Joined: blocks > Exact}
}

// MaxBlocks is more blocks than any search has.
const MaxBlocks = 1 << 32

// Valid reports whether a plan can be that of a search: it may come from a bucket or a queue.
func (p Plan) Valid() bool {
	return p.Size >= 1 && p.Size <= MaxBlocks && p.Blocks >= 0 && p.Blocks <= MaxBlocks
}

// Pieces returns the number of pieces.
func (p Plan) Pieces() int { return (p.Blocks + p.Size - 1) / p.Size }

// Range returns the range of a piece, from 0.
func (p Plan) Range(piece int) explore.Range {
	return explore.Range{First: piece * p.Size, End: min((piece+1)*p.Size, p.Blocks)}
}

// Has reports whether a range is a piece of the plan.
func (p Plan) Has(r explore.Range) bool {
	return r.First >= 0 && r.First < p.Blocks && r.First%p.Size == 0 && r == p.Range(r.First/p.Size)
}
