package pull

import (
	"context"
	"fmt"
)

// checkedLease is a lease that can ask whether it is still held.
type checkedLease struct {
	*lease
	reader Reader
}

// Held asks the store whether the record is still this acquisition's, unless the lease
// is known to be over. The answer may be out of date when it arrives: it makes work
// without the lock rarer, not impossible. If the record is not this acquisition's, the
// lease is lost.
func (h *checkedLease) Held(ctx context.Context) (bool, error) {
	if !h.valid(h.locker.options.Clock.Now()) {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, h.locker.options.IOTimeout)
	defer cancel()
	has, err := h.reader.Has(ctx, h.a.Name, h.a.Value)
	if err != nil {
		return false, fmt.Errorf("pull: held %q: %w", h.a.Name, err)
	}
	if !has {
		h.lose()
	}
	return has && h.valid(h.locker.options.Clock.Now()), nil
}
