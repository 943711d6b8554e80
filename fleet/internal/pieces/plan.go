package pieces

import "github.com/lockpick-dev/lockpick/sim/explore"

// The limits of plans.
const (
	// Exact is the maximum number of blocks of a search whose result is that of one machine, byte by byte. The blocks of a
	// longer search are joined within their piece, and classes of outcomes are estimated: a set of classes takes some 40 bytes
	// a schedule in memory and 11 on disk.
	Exact = 1 << 12
	// most is the default maximum size of a piece in blocks: at 500 schedules a second, a minute.
	most = 128
	// many is the number of pieces of a long search, so that a thousand workers can share it. few is that of a search of
	// middle length, whose pieces have up to usual blocks, which take some seconds, since a piece costs three requests to a
	// bucket that may be distant. Pieces of short searches also have several blocks if there are at least fewest pieces.
	many   = 1 << 10
	few    = 1 << 8
	usual  = 16
	some   = 4
	fewest = 16
)

// Plan is the division of a search into pieces.
type Plan struct {
	// Blocks is the number of blocks of the search, and Size that of a piece; the last piece may have fewer.
	Blocks int `json:"blocks"`
	Size   int `json:"size"`
	// Joined is set if the blocks of a piece are joined.
	Joined bool `json:"joined,omitempty"`
}

// NewPlan divides a search of blocks blocks. Size is the requested size of the pieces, 0 for the default.
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
