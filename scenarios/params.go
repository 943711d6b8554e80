package scenarios

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/traces"
)

// Params are what can be set of a scenario: its size and its budget of
// faults.
type Params struct {
	// Clients is the number of client processes, and Rounds how many critical
	// sections each goes through.
	Clients, Rounds int
	// Threads is how many threads each client process has, that share its Locker;
	// 0 is one. Rounds are those of each thread.
	Threads int
	// Nodes is how many independent Redis servers there are, for locks by
	// quorum; 0 is one. Each is a primary with replicas of its own.
	Nodes int
	// Replicas is how many replicas each primary has.
	Replicas int
	// TTL is what everything is measured by: how long clients work, how long
	// faults last, and the lease that the locks are told to ask for unless
	// Lease is set.
	TTL time.Duration
	// Lease is the lease that the locks are told to ask for, zero for TTL.
	Lease time.Duration
	// Failovers, Pauses, Delays (of segments) and Resets (of connections to
	// Redis) are how many of each may strike in a run.
	Failovers, Pauses, Delays, Resets int
	// Partitions (of the network) and Restarts (of nodes) are how many of each
	// may strike in a run.
	Partitions, Restarts int
	// Crashes are how many client processes may end for good.
	Crashes int
	// Skews are how many client processes may have a clock that is off, and
	// ClockJumps how often one may jump. ServerClockJumps is the same for the
	// clocks of Redis nodes.
	Skews, ClockJumps, ServerClockJumps int
	// LostReplies, LateReplies and LateRequests are how many segments may be
	// lost with their connection, or late, from or to Redis.
	LostReplies, LateReplies, LateRequests int
	// Hangs is how often a Redis node may do nothing for a while.
	Hangs int
	// Cancels is how many operations on the lock may have their context end before
	// they return.
	Cancels int
	// Again says which holds of a client are released a second time: every one
	// of so many, 0 for none.
	Again int
	// CleanRestarts is how often a primary may restart with all of its data.
	CleanRestarts int
	// LongHolds is for how many leases more clients work with a lock that renews
	// its leases ([Lock].Renews); 0 is as long as with others.
	LongHolds int
	// Checks, if not 0, lets clients ask the store before each access whether they
	// still hold the lock, where its leases can ([lock.Checker]).
	Checks int
	// Weak, if not 0, has the weaker properties judged as well ([checker.Weak]).
	Weak int
	// Events, if not 0, is after how many events a run is cut; 0 is after as many as
	// a run of this size may need.
	Events int
}

// param is one parameter by name.
type param struct {
	name     string
	min, max int
	about    string
	field    func(*Params) *int
	// rare parameters are listed only where they are not 0.
	rare bool
	// shape parameters say what world the lock is made for, or what is asked of it:
	// what is shrunk keeps them.
	shape bool
}

// DescribeParams lists the parameters with what they mean and their ranges.
func DescribeParams() []traces.Parameter {
	list := []traces.Parameter{
		{Name: ttlParam, Value: fmt.Sprintf("what holds and faults are measured by, %v to %v", minTTL, maxTTL)},
		{Name: leaseParam, Value: fmt.Sprintf("the lease that locks are told to ask for if not ttl, %v to %v", minTTL, maxLease)},
	}
	for _, d := range params {
		list = append(list, traces.Parameter{Name: d.name, Value: fmt.Sprintf("%s, %d to %d", d.about, d.min, d.max)})
	}
	return list
}

var params = []param{
	{"clients", 1, 16, "client processes", func(p *Params) *int { return &p.Clients }, false, false},
	{"rounds", 1, 50, "critical sections of each client", func(p *Params) *int { return &p.Rounds }, false, false},
	{"replicas", 0, 8, "replicas of each primary", func(p *Params) *int { return &p.Replicas }, false, false},
	{"failovers", 0, 16, "how often the primary may crash and a replica be promoted", func(p *Params) *int { return &p.Failovers }, false, false},
	{"pauses", 0, 16, "how often a client process may stop for a while", func(p *Params) *int { return &p.Pauses }, false, false},
	{"delays", 0, 64, "how many segments, pieces of a request or an answer, may be late", func(p *Params) *int { return &p.Delays }, false, false},
	{"resets", 0, 1000, "how many connections to Redis may be reset", func(p *Params) *int { return &p.Resets }, false, false},
	{"threads", 0, 8, "threads of each client process, which share its Locker; 0 is one", func(p *Params) *int { return &p.Threads }, true, false},
	{"nodes", 0, 9, "independent Redis servers, each with its replicas; 0 is one", func(p *Params) *int { return &p.Nodes }, true, true},
	{"partitions", 0, 16, "how often the network may be parted for a while", func(p *Params) *int { return &p.Partitions }, true, false},
	{"restarts", 0, 16, "how often a primary may restart, perhaps without its last writes", func(p *Params) *int { return &p.Restarts }, true, false},
	{"crashes", 0, 16, "how many client processes may end for good", func(p *Params) *int { return &p.Crashes }, true, false},
	{"skews", 0, 16, "how many client processes may have a clock that is off", func(p *Params) *int { return &p.Skews }, true, false},
	{"clock-jumps", 0, 16, "how often the clock of a client process may jump", func(p *Params) *int { return &p.ClockJumps }, true, false},
	{"server-clock-jumps", 0, 16, "how often the clock of a Redis node may jump", func(p *Params) *int { return &p.ServerClockJumps }, true, false},
	{"lost-replies", 0, 64, "how many answers of Redis may be lost with their connections", func(p *Params) *int { return &p.LostReplies }, true, false},
	{"late-replies", 0, 64, "how many segments from Redis to a client may be late", func(p *Params) *int { return &p.LateReplies }, true, false},
	{"late-requests", 0, 64, "how many segments from a client to Redis may be late", func(p *Params) *int { return &p.LateRequests }, true, false},
	{"hangs", 0, 16, "how often a Redis node may do nothing for a while", func(p *Params) *int { return &p.Hangs }, true, false},
	{"cancels", 0, 64, "how many operations may have their context end", func(p *Params) *int { return &p.Cancels }, true, false},
	{"again", 0, 50, "which holds of a client are released twice: every one of so many, 0 for none", func(p *Params) *int { return &p.Again }, true, false},
	{"clean-restarts", 0, 16, "how often a primary may restart with all of its data", func(p *Params) *int { return &p.CleanRestarts }, true, false},
	{"long-holds", 0, 16, "for how many leases more clients work if the lock renews its leases", func(p *Params) *int { return &p.LongHolds }, true, false},
	{"checks", 0, 1, "whether clients ask the store before each access if they still hold the lock", func(p *Params) *int { return &p.Checks }, true, false},
	{"weak", 0, 1, "whether the weaker properties are judged as well", func(p *Params) *int { return &p.Weak }, true, true},
	{"events", 0, 100_000_000, "after how many events a run is cut; 0 is after as many as its size may need", func(p *Params) *int { return &p.Events }, true, true},
}

const (
	ttlParam   = "ttl"
	leaseParam = "lease"
)

// TTLs that make sense: latencies are under a millisecond, and a run ends
// after some minutes.
const (
	minTTL, maxTTL = 100 * time.Millisecond, 10 * time.Second
	maxLease       = time.Minute
)

// lease is the lease that the locks are told to ask for.
func (p Params) lease() time.Duration {
	if p.Lease == 0 {
		return p.TTL
	}
	return p.Lease
}

// List returns the parameters by name, in a fixed order. Those that most
// scenarios have no use for are listed only if they are not 0.
func (p Params) List() []traces.Parameter {
	list := []traces.Parameter{{Name: ttlParam, Value: p.TTL.String()}}
	if p.Lease != 0 {
		list = append(list, traces.Parameter{Name: leaseParam, Value: p.Lease.String()})
	}
	for _, d := range params {
		if n := *d.field(&p); n != 0 || !d.rare {
			list = append(list, traces.Parameter{Name: d.name, Value: strconv.Itoa(n)})
		}
	}
	return list
}

// clearRare sets to 0 what List may leave out.
func (p *Params) clearRare() {
	for _, d := range params {
		if d.rare {
			*d.field(p) = 0
		}
	}
}

// unlike lists the parameters that are others than those of q.
func (p Params) unlike(q *Params) (list []traces.Parameter) {
	if p.TTL != q.TTL {
		list = append(list, traces.Parameter{Name: ttlParam, Value: p.TTL.String()})
	}
	if p.Lease != q.Lease {
		list = append(list, traces.Parameter{Name: leaseParam, Value: p.Lease.String()})
	}
	for _, d := range params {
		if n := *d.field(&p); n != *d.field(q) {
			list = append(list, traces.Parameter{Name: d.name, Value: strconv.Itoa(n)})
		}
	}
	return list
}

// threads is how many threads each client process has.
func (p Params) threads() int { return max(p.Threads, 1) }

// nodes is how many independent servers there are.
func (p Params) nodes() int { return max(p.Nodes, 1) }

// Set sets one parameter by name.
func (p *Params) Set(name, value string) error {
	if name == ttlParam {
		ttl, err := time.ParseDuration(value)
		if err != nil || ttl < minTTL || ttl > maxTTL {
			return fmt.Errorf("parameter ttl=%q: want a duration from %v to %v, such as 2s", value, minTTL, maxTTL)
		}
		p.TTL = ttl
		return nil
	}
	if name == leaseParam {
		lease, err := time.ParseDuration(value)
		if err != nil || lease < minTTL || lease > maxLease {
			return fmt.Errorf("parameter lease=%q: want a duration from %v to %v, such as 8s", value, minTTL, maxLease)
		}
		p.Lease = lease
		return nil
	}
	names := []string{ttlParam, leaseParam}
	for _, d := range params {
		if d.name == name {
			n, err := strconv.Atoi(value)
			if err != nil || n < d.min || n > d.max {
				return fmt.Errorf("parameter %s=%q: want a number from %d to %d", name, value, d.min, d.max)
			}
			*d.field(p) = n
			return nil
		}
		names = append(names, d.name)
	}
	return fmt.Errorf("there is no parameter %q; there are %s", name, strings.Join(names, ", "))
}

// SetAll sets parameters from a list, such as a trace's.
func (p *Params) SetAll(list []traces.Parameter) error {
	for _, e := range list {
		if err := p.Set(e.Name, e.Value); err != nil {
			return err
		}
	}
	return p.check()
}

// check refuses combinations that cannot be simulated.
func (p *Params) check() error {
	if p.Failovers > 0 && p.Replicas == 0 {
		return fmt.Errorf("failovers=%d needs a replica to promote: set replicas", p.Failovers)
	}
	return nil
}
