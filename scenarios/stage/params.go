package stage

import (
	"cmp"
	"slices"
	"time"
)

// Params are what can be set of a run: its size, its time, and how many faults of
// each kind may strike.
type Params struct {
	// Clients is the number of client processes, and Rounds how many critical
	// sections each goes through.
	Clients, Rounds int
	// Threads is how many threads each client process has, that share its Locker;
	// 0 is one. Rounds are those of each thread.
	Threads int
	// Servers is how many independent servers the store has, for locks by quorum; 0 is
	// one. Each has so many Followers beside the node that serves.
	Servers, Followers int
	// TTL is what everything is measured by: how long clients work, how long
	// faults last, and the lease that the locks are told to ask for unless
	// Lease is set.
	TTL time.Duration
	// Lease is the lease that the locks are told to ask for, zero for TTL.
	Lease time.Duration
	// Again says which holds of a client are released a second time: every Again-th,
	// 0 for none.
	Again int
	// LongHolds is for how many leases more clients work with a lock that renews
	// its leases; 0 is as long as with others.
	LongHolds int
	// Checks, if not 0, lets clients ask the store before each access whether they
	// still hold the lock, where its leases can.
	Checks int
	// Weak, if not 0, has the weaker properties judged as well.
	Weak int
	// Events, if not 0, is after how many events a run is cut; 0 is after as many as
	// a run of this size may need.
	Events int
	// Faults are how many of each kind may strike in a run.
	Faults Budget
}

// LeaseAsked is the lease that the locks are told to ask for.
func (p Params) LeaseAsked() time.Duration {
	if p.Lease == 0 {
		return p.TTL
	}
	return p.Lease
}

// ThreadCount is how many threads each client process has.
func (p Params) ThreadCount() int { return max(p.Threads, 1) }

// ServerCount is how many independent servers there are.
func (p Params) ServerCount() int { return max(p.Servers, 1) }

// Outage is how long it takes to promote another node, or to start one.
func (p Params) Outage() time.Duration { return p.TTL / 40 }

// Budget is how many faults of each kind may strike in a run, in the order of
// their names. It is not changed: With makes another.
type Budget []Allowed

// Allowed is how many faults of one kind may strike, at least one.
type Allowed struct {
	Fault *Fault
	Times int
}

// Of is how many faults of a kind may strike.
func (b Budget) Of(f *Fault) int {
	for _, a := range b {
		if a.Fault == f {
			return a.Times
		}
	}
	return 0
}

// With is the budget with another number of faults of a kind.
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

// Once is a budget of one fault of each of the kinds.
func Once(faults ...*Fault) (b Budget) {
	for _, f := range faults {
		b = b.With(f, 1)
	}
	return b
}

// Times is a budget of so many faults of one kind.
func Times(n int, f *Fault) Budget { return Budget(nil).With(f, n) }
