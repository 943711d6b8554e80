package s3

import (
	"encoding/json"
	"fmt"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/s3/s3locks"
)

// ObjectOwnership is the view of a lock that is an object with the lock's name ([cell.Client.LockName]) as its key: its
// content names the holder, as long as it exists. Pass it to locktest.Ownership. It is safe for concurrent use.
func ObjectOwnership() model.Ownership {
	return model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
		if r.Key != cell.LockName {
			return nil, nil
		}
		return []model.Share{{Holder: r.Value.Text, Count: 1}}, nil
	})
}

// LeaseOwnership is the view of an [s3locks.Lease] with the lock's name as its key: the owner has it until its end by S3's
// clock.
func LeaseOwnership() model.Ownership {
	return model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
		if r.Key != cell.LockName {
			return nil, nil
		}
		var l s3locks.Record
		if err := json.Unmarshal([]byte(r.Value.Text), &l); err != nil {
			return nil, fmt.Errorf("object %q is no lease: %w", r.Key, err)
		}
		if l.Owner == "" {
			return nil, nil
		}
		return []model.Share{{Holder: l.Owner, Count: 1, Until: l.End.Sub(cell.Epoch)}}, nil
	})
}
