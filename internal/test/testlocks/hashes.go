package testlocks

import (
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
)

// The hashes are leases that are kept as a field of a hash, and so need somebody
// to read who has the lock: the two sides of [locktest.Ownership].
var hashes = []cell.Lock{
	{ID: "test-hash", Summary: "is the field of a hash: sound", Reading: cell.Reading{Ownership: model.HashOwnership{}}, Subject: cell.Mutex(leaseWith(vices{kept: asHash}))},
	{ID: "test-hash-unread", Summary: "test-hash without an ownership", Subject: cell.Mutex(leaseWith(vices{kept: asHash}))},
	{ID: "test-hash-of-process", Summary: "has one field for all threads of a process", Reading: cell.Reading{Ownership: model.HashOwnership{}}, Subject: cell.Mutex(leaseWith(vices{kept: asHash, processValue: true}))},
	{ID: "test-hash-counts-late", Summary: "counts its validity from the answer on", Reading: cell.Reading{Ownership: model.HashOwnership{}}, Subject: cell.Mutex(leaseWith(vices{kept: asHash, countsLate: true}))},
	{ID: "test-hash-lies-in-release", Summary: "reports a release of a lock that it had lost", Reading: cell.Reading{Ownership: model.HashOwnership{}}, Subject: cell.Mutex(leaseWith(vices{kept: asHash, liesInRelease: true}))},
	{ID: "test-hash-lies-in-extend", Summary: "reports an extension of a lock that it had lost", Reading: cell.Reading{Ownership: model.HashOwnership{}}, Subject: cell.Mutex(leaseWith(vices{kept: asHash, liesInExtend: true}))},
	{ID: "test-hash-deletes", Summary: "releases whatever there is", Reading: cell.Reading{Ownership: model.HashOwnership{}}, Subject: cell.Mutex(leaseWith(vices{kept: asCarelessHash}))},
	{ID: "test-hash-no-clean-up", Summary: "does not clean up after an Acquire of unknown outcome", Reading: cell.Reading{Ownership: model.HashOwnership{}}, Subject: cell.Mutex(leaseWith(vices{kept: asHash, noCleanUp: true}))},
	{ID: "test-hash-sleeps", Summary: "sleeps until the lock would expire", Reading: cell.Reading{Ownership: model.HashOwnership{}}, Subject: cell.Mutex(leaseWith(vices{kept: asHash, sleeps: true}))},
}

var asHash = &kept{
	take: redis.NewScript(`
if redis.call("EXISTS", KEYS[1]) == 1 and redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call("HSET", KEYS[1], ARGV[1], 1)
return redis.call("PEXPIRE", KEYS[1], ARGV[2])`),
	give: redis.NewScript(`return redis.call("HDEL", KEYS[1], ARGV[1])`),
	prolong: redis.NewScript(`
if redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0 then return 0 end
return redis.call("PEXPIRE", KEYS[1], ARGV[2])`),
}

var asCarelessHash = &kept{
	take: asHash.take, prolong: asHash.prolong,
	give: redis.NewScript(`return redis.call("DEL", KEYS[1])`),
}

// pushingIn puts the waiters into a queue, and gives the lock to the first client
// to ask when it is free.
var pushingIn = &kept{
	take: redis.NewScript(`
local queue = "{" .. KEYS[1] .. "}:queue"
if redis.call("EXISTS", KEYS[1]) == 1 and redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0 then
	for _, waiting in ipairs(redis.call("LRANGE", queue, 0, -1)) do
		if waiting == ARGV[1] then return 0 end
	end
	redis.call("RPUSH", queue, ARGV[1])
	return 0
end
redis.call("LREM", queue, 0, ARGV[1])
redis.call("HSET", KEYS[1], ARGV[1], 1)
return redis.call("PEXPIRE", KEYS[1], ARGV[2])`),
	give: asHash.give, prolong: asHash.prolong,
}
