package builtin

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/model"
)

// readersOrWriter is the view of recipe.RWMutex: the readers that came before the first writer
// have the lock, or the writer if it is the first.
type readersOrWriter struct{}

// Shares returns the shares of the readers, or of the writer.
func (readersOrWriter) Shares(records []model.Record) (shares []model.Share, err error) {
	var queue []model.Record
	for _, r := range records {
		if strings.HasPrefix(r.Key, prefix+"/") {
			queue = append(queue, r)
		}
	}
	slices.SortStableFunc(queue, func(a, b model.Record) int { return cmp.Compare(a.Revision, b.Revision) })
	for i, r := range queue {
		writes := strings.HasPrefix(r.Key, prefix+"/write/")
		if !writes || i == 0 {
			shares = append(shares, model.Share{Key: r.Key, Holder: r.Key, Count: 1, Write: writes})
		}
		if writes {
			break
		}
	}
	return shares, nil
}
