package main

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/real/confirm"
)

// exception is the expected result of a trace that is not confirmed.
type exception struct {
	result confirm.Result
	// sometimes is set if some of many tries may confirm it.
	sometimes bool
	why       string
}

// exceptions are the traces that are not confirmed, with the reasons. All others must be, also those of lost-wakeup, which
// take longer than the limit of make confirm (64 s and 92 s). The keys are file names for the corpus, and for the track
// record the module's directory, the subtest and the file.
var exceptions = map[string]exception{
	"watchdog-late_watchdog_overrun": {confirm.NotConfirmed, true, "the access comes 40 µs after the end of the lease, which is shorter than a message: real times decide, and they are others"},

	"examples/adoption/dead_Unlock/server-clock-jump_progress":      {confirm.NotForced, false, "the clock of a member jumps: ZooKeeper measures sessions by the monotonic clock, which nobody can set"},
	"examples/trackrecord/etcd-v3.4.3/gc-pause_truthful-acquire":    {confirm.NotForced, false, "the module has an old client, with which the real members cannot be asked"},
	"examples/trackrecord/go-sql-driver-v1.3.0/lost-reply_progress": {confirm.NotForced, false, "the module has an old driver, with which the real server cannot be asked"},
	"etcd/builtin/unlock/gc-pause_truthful-release":                 {confirm.NotConfirmed, true, leaseEnds},
	"etcd/builtin/waiter_not_woken/watchdog-late_vain-wait":         {confirm.NotConfirmed, true, leaseEnds},
	"examples/trackrecord/go-redis-v9.7.3/contention_progress":      {confirm.NotForced, false, sentinels},
	"examples/trackrecord/go-redis-v9.17.3/failover-loss_progress":  {confirm.NotForced, false, sentinels},
	"examples/trackrecord/go-redis-v9.23.0/failover-loss_progress":  {confirm.NotForced, false, sentinels},
}

// leaseEnds is why some rows of etcd are not confirmed.
const leaseEnds = "the real members end the lease later than the trace waits for: they look for such every half a second, counted from when they started"

// sentinels is why the rows of go-redis are not confirmed.
const sentinels = "real sentinels are not deployed: [docs/reports](reports/README.md) shows it on real ones"

// surprise returns how an outcome differs from what is expected, empty if it does not.
func surprise(name string, o *confirm.Outcome) string {
	e, listed := exceptions[name]
	switch {
	case !listed && o.Result == confirm.Confirmed, listed && o.Result == e.result, listed && e.sometimes && o.Result == confirm.Confirmed:
		return ""
	case !listed:
		e.result = confirm.Confirmed
	}
	return fmt.Sprintf("%s: %s, and expected is: %s", name, o.Result, e.result)
}
