package scripts

// The scripts of Redisson's family.
var (
	ReentrantAcquire = script("reentrant_acquire")
	ReentrantRelease = script("reentrant_release")
	ReentrantRenew   = script("reentrant_renew")
	ReentrantHas     = script("reentrant_has")
	FairAcquire      = script("fair_acquire")
	FairRelease      = script("fair_release")
	RWRead           = script("rw", "rw_read")
	RWWrite          = script("rw", "rw_write")
	RWRelease        = script("rw", "rw_release")
	RWRenew          = script("rw", "rw_renew")
	RWHas            = script("rw_has")
	SemaphoreAcquire = script("semaphore_acquire")
	SemaphoreRelease = script("semaphore_release")
	SemaphoreUsed    = script("semaphore_used")
	PermitsAcquire   = script("permits", "permits_acquire")
	PermitsRelease   = script("permits", "permits_release")
	PermitsRenew     = script("permits", "permits_renew")
	PermitsUsed      = script("permits", "permits_used")
	LatchSet         = script("latch_set")
	LatchCountDown   = script("latch_count_down")
	LatchCount       = script("latch_count")
	BarrierAwait     = script("barrier_await")
	BarrierLeave     = script("barrier_leave")
	SegmentTake      = script("segment_take")
	SegmentLeft      = script("segment_left")
	SegmentFill      = script("segment_fill")
)

// Had is the answer of a script that has taken the lock for the caller. PTTL never
// answers that. Redisson's scripts answer nil, which go-redis has for an error: looking
// whether to send the request again took it a tenth of the client's whole time for an
// acquisition.
const Had = -3
