package pieces

import (
	"testing"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestPlan: the pieces of a search have each block once, in order, and are of the size that its length asks for.
func TestPlan(t *testing.T) {
	for _, test := range []struct{ blocks, size, want int }{
		{1, 0, 1}, {31, 0, 1}, {64, 0, 4}, {1024, 0, 4}, {4096, 0, 16}, {16_384, 0, 16}, {39_063, 0, 38}, {390_625, 0, 128}, {3_906_250, 0, 128}, {100, 7, 7}, {5, 9, 9},
	} {
		p := NewPlan(test.blocks, test.size)
		if p.Size != test.want || p.Joined != (test.blocks > Exact) {
			t.Errorf("%d blocks: %+v, want pieces of %d", test.blocks, p, test.want)
		}
		next := 0
		for n := range p.Pieces() {
			r := p.Range(n)
			if r.First != next || r.End <= r.First || r.End-r.First > p.Size || !p.Has(r) {
				t.Fatalf("piece %d of %+v is %+v after block %d", n, p, r, next)
			}
			next = r.End
		}
		if next != p.Blocks || p.Has(explore.Range{First: next, End: next + 1}) || p.Has(explore.Range{First: 0, End: p.Size + 1}) {
			t.Errorf("%+v ends with block %d, or has what is none of it", p, next)
		}
	}
}
