package envelope

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// Rule is a formula for a lease that suffices: with a longer one, the lock is still the client's at its last access.
// It counts the worst of everything: the whole pause inside the hold, and every message as late as the round trip allows. A search need not
// meet that, so the border that it finds is below.
//
// How long a lease counts is what the lock itself says in a calm run: the end that its lease claims, counted from the call; or, for a
// lock that claims none, the end of its record, counted from the grant.
type Rule struct {
	// Claims is set if the lease claims an end, by its client's clock.
	Claims bool
	// Fixed and PPM are the margin that is taken off the lease: a length in nanoseconds, and parts per million of the lease.
	Fixed, PPM int64
}

// The numbers of half round trips until the last access. From the store's grant: one for the answer, two to connect to the resource,
// two to read, one until the write arrives. From the call, seven more: six to connect to the store and to greet it, one until
// the request arrives.
const (
	halvesFromGrant = 6
	halvesFromCall  = 13
)

// Lease returns the lease that the rule asks for, in nanoseconds. The lease of the point does not count.
func (r *Rule) Lease(p Point) int64 {
	sum := p[Pause] + enter(p[Hold]) + p[Hold] + r.halves()*p[Trip]/2
	if r.Claims {
		sum += int64(float64(sum) * float64(p[Drift]) / 1e6)
	}
	return int64(float64(sum+r.Fixed) / (1 - float64(r.PPM)/1e6))
}

func (r *Rule) halves() int64 {
	if r.Claims {
		return halvesFromCall
	}
	return halvesFromGrant
}

// Text is the formula.
func (r *Rule) Text() string {
	left := "lease"
	if r.Fixed > 0 {
		left += " - " + time.Duration(r.Fixed).String()
	}
	if r.PPM > 0 {
		left += " - " + strconv.FormatFloat(float64(r.PPM)/10_000, 'f', -1, 64) + "% of it"
	}
	trips := strings.TrimSuffix(fmt.Sprintf("%.1f", float64(r.halves())/2), ".0")
	if r.Claims {
		return left + " > (pause + hold + " + trips + " rtt) (1 + drift)"
	}
	return left + " > pause + hold + " + trips + " rtt"
}

// Why says where its terms come from.
func (r *Rule) Why() string {
	if r.Claims {
		return "The lease claims an end by its client's clock, counted from before the request: until the last access there are connecting to the store (3 round trips), " +
			"the request and its answer (1), connecting to the resource (1), reading (1), the work, one pause, and the request to write (half). The clock may be fast."
	}
	return "The store counts the lease from its grant, by its own clock: until the last access there are the answer (half a round trip), connecting to the resource (1), " +
		"reading (1), the work, one pause, and the request to write (half). Clocks of clients do not count: the pause may fall between a look at one and the access."
}

// sample is how long a lease counts in a calm run.
type sample struct {
	claims        bool
	lease, counts int64
}

// margin returns what is taken off the lease: 0 if that is less than the grain of a clock.
func (s sample) margin() int64 {
	if m := s.lease - s.counts; m < -tolerance || m > tolerance {
		return m
	}
	return 0
}

// sampleOf reads a calm run. It is not known if no Acquire has succeeded in it, or if neither the lease nor the record has an end.
func sampleOf(h *model.History, lease int64) (s sample, known bool) {
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Kind == model.Acquire && op.Result == model.OK && op.Leased {
			return sample{true, lease, int64(op.Until - op.Call.At)}, true
		}
	}
	for i := range h.Observations {
		o := &h.Observations[i]
		if o.Kind == model.RecordCreated && o.ExpiresAt > 0 && o.Session == "" {
			return sample{false, lease, int64(o.ExpiresAt - o.At)}, true
		}
	}
	return s, false
}

// tolerance is the grain of the stores' clocks.
const tolerance = ms

// ruleOf returns the rule of two samples with different leases; nil if the lease counts for longer than it is, or its margin shrinks as it grows.
func ruleOf(a, b sample) *Rule {
	marginA, marginB := a.margin(), b.margin()
	if a.claims != b.claims || a.lease == b.lease || marginA < 0 || marginB < marginA {
		return nil
	}
	share := float64(marginB-marginA) / float64(b.lease-a.lease)
	ppm := int64(share*1e6 + 0.5)
	fixed := marginA - int64(float64(a.lease)*float64(ppm)/1e6)
	const grain = int64(10 * time.Microsecond) // clocks of processes differ by less
	fixed = (fixed + grain/2) / grain * grain
	if ppm >= 1e6 || fixed < 0 {
		return nil
	}
	return &Rule{Claims: a.claims, Fixed: fixed, PPM: ppm}
}

// enter returns the time between a grant's answer and the first access: a step of the workload.
func enter(hold int64) int64 { return hold / 32 }

// ttlOf returns the parameter ttl for a length of holds: clients work for a fifth of it.
func ttlOf(hold int64) time.Duration { return 5 * time.Duration(hold) }
