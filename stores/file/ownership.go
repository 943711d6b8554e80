package file

import (
	"strings"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/simfile"
)

// Locked returns the view of a lock that is the lock of a file, by its name: the owner has it that has locked the
// file. Pass it to locktest.Ownership. It is safe for concurrent use.
func Locked(name string) model.Ownership {
	return ofRecords(func(r model.Record) bool { return strings.HasPrefix(r.Key, simfile.LockPrefix(name)) })
}

// Created returns the view of a lock that is a file: who has made it has the lock, as long as it is
// there. Other files are none of the lock's. It is safe for concurrent use.
func Created(name string) model.Ownership {
	return ofRecords(func(r model.Record) bool { return r.Key == name })
}

// ofRecords returns the view that each of these records names a holder by its value.
func ofRecords(ours func(model.Record) bool) model.Ownership {
	return model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
		if !ours(r) {
			return nil, nil
		}
		return []model.Share{{Holder: r.Value.Text, Count: 1}}, nil
	})
}
