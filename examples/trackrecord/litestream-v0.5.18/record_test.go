package litestream_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/s3"
)

// TestTrackRecord: a PUT with If-None-Match or If-Match is executed and its answer is lost. The library for S3 repeats
// it, and S3 refuses that with 412, since the object is there, or is another version. The leaser takes its own object for
// another's: a renewal says that the lease is not held, a release then finds an ETag that it does not know, and the
// lease keeps the others waiting until it ends.
func TestTrackRecord(t *testing.T) {
	r := locktest.Explore(t, newLock, locktest.On(s3.Store), locktest.Ownership(view), locktest.Only("lost-reply"), locktest.Properties(checker.NoOrphan), locktest.Runs(300))
	if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Property == checker.NoOrphan && !f.Limit }) {
		t.Error("no lease is left behind")
	}
}

// TestRepaired: the failure is not there if the leaser's client knows an object of its own.
func TestRepaired(t *testing.T) {
	repaired := func(c *cell.Client) lock.Locker { return locker{recognizing{s3.Connect(c)}, c.LockName(), c.TTL()} }
	locktest.Check(t, repaired, locktest.On(s3.Store), locktest.Ownership(view), locktest.Only("lost-reply"), locktest.Properties(checker.NoOrphan), locktest.Runs(300))
}
