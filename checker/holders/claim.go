package holders

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// claimsOf returns the claims of the history, in the order in which they begin.
func claimsOf(h *model.History) []model.Claim {
	claims := model.Claims(h)
	slices.SortStableFunc(claims, func(a, b model.Claim) int { return cmp.Compare(a.Start.Seq, b.Start.Seq) })
	return claims
}

// ClaimAt returns the acquisition's claim that is active at a stamp, or nil.
func (hs *Holders) ClaimAt(acquisition *model.Operation, at model.Stamp) *model.Claim {
	for _, i := range hs.ClaimsOf(acquisition.ID) {
		if c := &hs.claims[i]; c.Stands(at) {
			return c
		}
	}
	return nil
}

// ClaimEnd returns the end of a claim. If the clock ended it, the stamp has the number of the last event before. If nothing
// did, it is the end of the history.
func (hs *Holders) ClaimEnd(c *model.Claim) model.Stamp {
	end := c.Stop
	if !end.Happened() {
		end = hs.h.End
	}
	if c.Timed && c.Until < end.At {
		return hs.StampAt(c.Until)
	}
	return end
}
