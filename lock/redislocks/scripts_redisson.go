package redislocks

import (
	_ "embed"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed scripts/reentrant_acquire.lua
	reentrantAcquireSource string
	//go:embed scripts/reentrant_release.lua
	reentrantReleaseSource string
	//go:embed scripts/reentrant_renew.lua
	reentrantRenewSource string
	//go:embed scripts/fair_acquire.lua
	fairAcquireSource string
	//go:embed scripts/fair_release.lua
	fairReleaseSource string
	//go:embed scripts/rw.lua
	rwSource string
	//go:embed scripts/rw_read.lua
	rwReadSource string
	//go:embed scripts/rw_write.lua
	rwWriteSource string
	//go:embed scripts/rw_release.lua
	rwReleaseSource string
	//go:embed scripts/rw_renew.lua
	rwRenewSource string
	//go:embed scripts/semaphore_acquire.lua
	semaphoreAcquireSource string
	//go:embed scripts/semaphore_release.lua
	semaphoreReleaseSource string
	//go:embed scripts/semaphore_used.lua
	semaphoreUsedSource string
	//go:embed scripts/permits.lua
	permitsSource string
	//go:embed scripts/permits_acquire.lua
	permitsAcquireSource string
	//go:embed scripts/permits_release.lua
	permitsReleaseSource string
	//go:embed scripts/permits_renew.lua
	permitsRenewSource string
	//go:embed scripts/permits_used.lua
	permitsUsedSource string
	//go:embed scripts/latch_set.lua
	latchSetSource string
	//go:embed scripts/latch_count_down.lua
	latchCountDownSource string
	//go:embed scripts/latch_count.lua
	latchCountSource string
	//go:embed scripts/barrier_await.lua
	barrierAwaitSource string
	//go:embed scripts/barrier_leave.lua
	barrierLeaveSource string
	//go:embed scripts/acquire_own.lua
	acquireOwnSource string
	//go:embed scripts/extend_own.lua
	extendOwnSource string
	//go:embed scripts/segment_take.lua
	segmentTakeSource string
	//go:embed scripts/segment_left.lua
	segmentLeftSource string
	//go:embed scripts/segment_fill.lua
	segmentFillSource string

	reentrantAcquire = redis.NewScript(reentrantAcquireSource)
	reentrantRelease = redis.NewScript(reentrantReleaseSource)
	reentrantRenew   = redis.NewScript(reentrantRenewSource)
	fairAcquire      = redis.NewScript(fairAcquireSource)
	fairRelease      = redis.NewScript(fairReleaseSource)
	rwRead           = redis.NewScript(rwSource + rwReadSource)
	rwWrite          = redis.NewScript(rwSource + rwWriteSource)
	rwRelease        = redis.NewScript(rwSource + rwReleaseSource)
	rwRenew          = redis.NewScript(rwSource + rwRenewSource)
	semaphoreAcquire = redis.NewScript(semaphoreAcquireSource)
	semaphoreRelease = redis.NewScript(semaphoreReleaseSource)
	semaphoreUsed    = redis.NewScript(semaphoreUsedSource)
	permitsAcquire   = redis.NewScript(permitsSource + permitsAcquireSource)
	permitsRelease   = redis.NewScript(permitsSource + permitsReleaseSource)
	permitsRenew     = redis.NewScript(permitsSource + permitsRenewSource)
	permitsUsed      = redis.NewScript(permitsSource + permitsUsedSource)
	latchSet         = redis.NewScript(latchSetSource)
	latchCountDown   = redis.NewScript(latchCountDownSource)
	latchCount       = redis.NewScript(latchCountSource)
	barrierAwait     = redis.NewScript(barrierAwaitSource)
	barrierLeave     = redis.NewScript(barrierLeaveSource)
	acquireOwn       = redis.NewScript(acquireOwnSource)
	extendOwn        = redis.NewScript(extendOwnSource)
	segmentTake      = redis.NewScript(segmentTakeSource)
	segmentLeft      = redis.NewScript(segmentLeftSource)
	segmentFill      = redis.NewScript(segmentFillSource)
)
