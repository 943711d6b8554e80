package file

import (
	"strings"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/simfile"
)

// Locked returns the ownership of a lock that is the lock of the file with the name: its holder is the owner that
// has locked the file. Pass it to locktest.Ownership. It is safe for concurrent use.
func Locked(name string) model.Ownership {
	return ofRecords(func(r model.Record) bool { return strings.HasPrefix(r.Key, simfile.LockPrefix(name)) })
}

// Created returns the ownership of a lock that is a file: the client that made the file has the
// lock as long as the file exists. Other files do not belong to the lock. It is safe for concurrent
// use.
func Created(name string) model.Ownership {
	return ofRecords(func(r model.Record) bool { return r.Key == name })
}

// ofRecords returns an ownership in which the value of each selected record names a
// holder.
func ofRecords(ours func(model.Record) bool) model.Ownership {
	return model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
		if !ours(r) {
			return nil, nil
		}
		return []model.Share{{Holder: r.Value.Text, Count: 1}}, nil
	})
}
