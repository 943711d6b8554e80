package explore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lockpick-dev/lockpick/sim"
)

// A socket that code under test opens leads out of the simulation. No tape decides what
// happens there, so the run shows nothing about the lock: a refused connection looks
// like a lock that fails, and an answer like a lock that holds. No stack shows a dial
// that is refused at once. But package net counts its uses of settings of GODEBUG, and
// two settings that are harmless here make it count the connections that are dialed and
// the names that are looked up.

// netSettings are the two settings, and netCounts the metrics with their counts.
const netSettings = "multipathtcp=3,netedns0=0"

var netCounts = []string{
	"/godebug/non-default-behavior/multipathtcp:events",
	"/godebug/non-default-behavior/netedns0:events",
}

// countNetworking makes package net count.
var countNetworking = sync.OnceFunc(func() {
	value := netSettings
	if old := os.Getenv("GODEBUG"); old != "" {
		value = old + "," + value
	}
	_ = os.Setenv("GODEBUG", value) // fails for malformed keys only
	// The resolver makes a channel when it is first used. If that were in a run, its
	// use in the next run would end the process.
	r := net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("explore: no name server is dialed")
	}}
	_, _ = r.LookupHost(context.Background(), "localhost") // the result does not matter
})

// networked returns the number of times that this process has used the real network.
func networked() (n uint64) {
	samples := make([]metrics.Sample, len(netCounts))
	for i := range samples {
		samples[i].Name = netCounts[i]
	}
	metrics.Read(samples)
	for _, s := range samples {
		if s.Value.Kind() == metrics.KindUint64 {
			n += s.Value.Uint64()
		}
	}
	return n
}

// usedNetwork is printed by a worker before it runs a tape again to find the addresses
// that it dials. If the worker dies in that run, the text names the cause.
const usedNetwork = "explore: a run has used the real network"

// repeats is the number of further runs of a tape that must use the real network to
// show that it was the run, and not something else in this process.
const repeats = 3

// A leaving tape ends its run at the next decision once now is set.
type leaving struct {
	sim.Tape
	now     atomic.Bool
	left    bool
	choices []sim.Choice // before it leaves
	selects int          // the number of decisions about selects before it leaves
}

func (l *leaving) Choose(d sim.Decision) int {
	if l.now.Load() {
		if tape, ok := l.Tape.(interface{ Choices() []sim.Choice }); ok {
			l.left, l.choices = true, tape.Choices()
			panic(usedNetwork)
		}
	}
	return l.Tape.Choose(d)
}

// ChooseSelect asks the other tape. A run does not leave at such a decision, because calm answers to it
// are not recorded.
func (l *leaving) ChooseSelect(d sim.Decision) int {
	l.selects++
	return chooseSelect(l.Tape, d)
}

// A resumed tape repeats the choices that another tape made before, with the given number of decisions about selects,
// and then continues with that tape.
type resumed struct {
	before  []sim.Choice
	selects int
	sim.Tape
}

func (r *resumed) Choose(d sim.Decision) int {
	if len(r.before) == 0 {
		return r.Tape.Choose(d)
	}
	return r.next()
}

// ChooseSelect repeats the recorded choice; without a record it is calm.
func (r *resumed) ChooseSelect(d sim.Decision) int {
	if r.selects == 0 {
		return chooseSelect(r.Tape, d)
	}
	r.selects--
	if len(r.before) == 0 || r.before[0].ID() != d.ID() {
		return 0
	}
	return r.next()
}

func (r *resumed) next() int {
	option := r.before[0].Option
	r.before = r.before[1:]
	return option
}

// withoutNetwork finds out whether it was the run that used the real network, and not something else in this process,
// and which addresses it dialed. If the run has not returned (gone), its bubble still exists, and no other run is
// possible.
func withoutNetwork(run Runner, how Run, gone bool) (addrs []string, uses bool) {
	if gone {
		return peers(), true
	}
	tape, ok := how.Tape.(interface{ Choices() []sim.Choice })
	if !ok {
		return nil, false
	}
	fmt.Fprintln(os.Stderr, usedNetwork)
	for range repeats {
		seen, again := rerun(run, Run{Tape: NewReplay(tape.Choices()), Record: true, alive: how.alive}, len(addrs) == 0)
		if !again {
			return nil, false
		}
		addrs = append(addrs, seen...)
	}
	return addrs, true
}

// onward is the number of decisions for which a run goes on after it has used the real network, since its
// errors name addresses.
const onward = 200

// rerun makes a run, and returns whether it uses the real network, and the addresses. It
// ends the run at the first use or, if further is set, soon after it.
func rerun(run Runner, how Run, further bool) (addrs []string, uses bool) {
	had, before := peers(), networked()
	fresh := func() []string {
		return slices.DeleteFunc(peers(), func(addr string) bool { return slices.Contains(had, addr) })
	}
	var seen []string
	since := 0
	look := func(Taken) {
		if networked() == before {
			return
		}
		if since++; !further || since > onward {
			panic(usedNetwork)
		}
		if len(seen) == 0 {
			seen = fresh()
		}
	}
	how.Tape = &Watched{Tape: how.Tape, Each: look}
	o, trouble := watch(run, how, nil)
	switch {
	case trouble != nil: // it may seem not to move
		addrs = fresh()
	case o.Recording != nil:
		addrs = slices.Concat(seen, unknown(o.Recording))
	default:
		addrs = seen
	}
	return addrs, networked() != before
}

// netError matches package net's error for an address that it could not connect to,
// or for a name that it could not look up.
var netError = regexp.MustCompile(`dial (?:tcp|udp|unix)[46]?(?: (\S+): connect: |: lookup (\S+?)(?: on \S+)?: )`)

// unknown returns the addresses on which calls failed, without those that the simulated
// network refused.
func unknown(r *Recording) (addrs []string) {
	for i := range r.History.Operations {
		m := netError.FindStringSubmatch(r.History.Operations[i].Err)
		if m == nil {
			continue
		}
		addr := m[1] + m[2]
		if !slices.ContainsFunc(r.Events, func(e sim.Event) bool { return e.Kind == sim.EventRefused && e.Detail == addr }) {
			addrs = append(addrs, addr)
		}
	}
	return addrs
}

// dials returns a text with the addresses that were dialed, as far as they are known.
func dials(addrs []string) string {
	slices.Sort(addrs)
	if addrs = slices.Compact(addrs); len(addrs) == 0 {
		return ""
	}
	return " (dials " + strings.Join(addrs[:min(len(addrs), 3)], ", ") + ")"
}

// realNetworkTrouble returns the trouble of a run that used the real network. How says in
// parentheses which part of it.
func realNetworkTrouble(how, stack string) *Trouble {
	return &Trouble{Kind: Inconclusive, Cause: RealNetwork, Stack: stack, Reason: "the lock uses real networking" + how +
		", which the simulation does not control, so its runs are not repeatable. Give the client the simulated Dialer"}
}
