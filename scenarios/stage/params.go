package stage

import (
	"cmp"
	"slices"
	"time"
)

// Params are the parameters of a run: its size, its times and its fault budget.
type Params struct {
	// Clients is the number of client processes, and Rounds the number of critical sections of each thread.
	Clients, Rounds int
	// Threads is the number of threads of each client process, which share its Locker; 0 is one.
	Threads int
	// Servers is the number of independent servers, for quorum locks; 0 is one. Followers
	// is the number of nodes of each server beside the serving node.
	Servers, Followers int
	// TTL scales hold times and lengths of faults. It is also the lease that locks should ask for, unless Lease is set.
	TTL time.Duration
	// Lease is the lease that locks should ask for, zero for TTL.
	Lease time.Duration
	// Pause is how long pauses of clients last, and Trip the longest round trip of a segment and its answer that no
	// fault delays; zero for the usual lengths. Drift is by how many parts per million the clocks of faults.Skews
	// are slow or fast, zero for their usual errors.
	Pause, Trip time.Duration
	Drift       int
	// Again makes clients release every n-th hold twice (0: never).
	Again int
	// LongHolds is the number of further leases for which clients hold a lock that is kept alive: one that renews its
	// leases, or lives with a session that the client library keeps alive.
	LongHolds int
	// Sizes selects the parts of a run's size that the tape may vary: none if it is 0, or [AllSizes] or [SizesButLease].
	Sizes int
	// Checks, if not 0, lets clients ask the store before each access whether they still
	// hold the lock, if the lease is a lock.Checker.
	Checks int
	// Weak, if not 0, adds the weak properties to the judged ones.
	Weak int
	// Events is the number of events after which a run is cut, whatever it has shown. If it is 0, a run of very many
	// events is cut when virtual time has decided it, or hardly passes.
	Events int
	// Faults is the fault budget.
	Faults Budget
	// Own are the settings that are specific to the store: those of its Shape without a Field.
	Own Own
}

// The values of Params.Sizes that vary something.
const (
	// AllSizes varies the number of rounds, the number of threads, the length of the lease, and the length of holds.
	AllSizes = 3
	// SizesButLease varies the same, except the lease.
	SizesButLease = 4
	// Traces of older versions have these. With them threads do not vary, and only holds of a lock that is kept alive do.
	earlierSizes         = 1
	earlierSizesButLease = 2
)

// LeaseVaries reports whether the tape may vary the length of the lease.
func (p Params) LeaseVaries() bool { return p.Sizes == AllSizes || p.Sizes == earlierSizes }

// WorkVaries reports whether the tape may vary the number of threads, and how long each client works.
func (p Params) WorkVaries() bool { return p.Sizes > earlierSizesButLease }

// Own are settings by name, sorted, without those that are 0. It is immutable: With makes another.
type Own []OwnSetting

// OwnSetting is the value of a setting of one store, not 0.
type OwnSetting struct {
	Name  string
	Value int
}

// Of returns the value of a setting, 0 if it has none.
func (o Own) Of(name string) int {
	for _, s := range o {
		if s.Name == name {
			return s.Value
		}
	}
	return 0
}

// With returns the settings with a value for one name; 0 removes it.
func (o Own) With(name string, value int) Own {
	var list Own
	for _, s := range o {
		if s.Name != name {
			list = append(list, s)
		}
	}
	if value != 0 {
		list = append(list, OwnSetting{name, value})
	}
	slices.SortFunc(list, func(a, b OwnSetting) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// LeaseAsked returns the lease that locks should ask for.
func (p Params) LeaseAsked() time.Duration {
	if p.Lease == 0 {
		return p.TTL
	}
	return p.Lease
}

// Jitter returns by how much the latency of a segment that no fault delays may exceed BaseLatency.
func (p Params) Jitter() time.Duration {
	if p.Trip == 0 {
		return jitter
	}
	return p.Trip/2 - BaseLatency
}

// ThreadCount returns the number of threads of each client process.
func (p Params) ThreadCount() int { return max(p.Threads, 1) }

// Often returns how often a fault may strike in a run: its parameter, for each independent server if the fault is [Fault.EachServer].
func (p Params) Often(f *Fault) int {
	if f.EachServer {
		return p.Faults.Of(f) * p.ServerCount()
	}
	return p.Faults.Of(f)
}

// ServerCount returns the number of independent servers.
func (p Params) ServerCount() int { return max(p.Servers, 1) }

// Outage returns the time until another node is promoted, or a crashed one restarts.
func (p Params) Outage() time.Duration { return p.TTL / 40 }

// Budget is the number of faults of each kind that may strike in a run, sorted by name. It is immutable: With makes another.
type Budget []Allowed

// Allowed is the number of faults of one kind that may strike, at least one.
type Allowed struct {
	Fault *Fault
	Times int
}

// Of returns the number of faults of a kind that may strike.
func (b Budget) Of(f *Fault) int {
	for _, a := range b {
		if a.Fault == f {
			return a.Times
		}
	}
	return 0
}

// With returns the budget with a number of faults of one kind; 0 removes it.
func (b Budget) With(f *Fault, times int) Budget {
	list := slices.DeleteFunc(slices.Clone(b), func(a Allowed) bool { return a.Fault == f })
	switch {
	case times == 0 && len(list) == 0:
		return nil
	case times == 0:
		return list
	}
	list = append(list, Allowed{f, times})
	slices.SortFunc(list, func(a, b Allowed) int { return cmp.Compare(a.Fault.Name, b.Fault.Name) })
	return list
}

// Once returns a budget of one fault of each of the kinds.
func Once(faults ...*Fault) (b Budget) {
	for _, f := range faults {
		b = b.With(f, 1)
	}
	return b
}

// Times returns a budget of n faults of one kind.
func Times(n int, f *Fault) Budget { return Budget(nil).With(f, n) }
