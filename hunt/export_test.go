package hunt

import (
	"context"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// RemedyExcept is why a remedy of the cell does not apply to a counterexample of a property.
func RemedyExcept(ctx context.Context, h *explore.Hand, c cell.Cell, r Remedied, property string) (string, error) {
	return r.excepted(ctx, h, c, property)
}

// RemedyNote is what is said beside a remedy that helps by construction.
func RemedyNote(r Remedied) string { return r.note() }

// DistinctRemedies are those of [Remedies] that are tried.
func DistinctRemedies(ctx context.Context, c cell.Cell, o AttributeOptions) ([]Remedied, error) {
	return distinct(ctx, c, o, Remedies(c, o.Property, o.Locks))
}
