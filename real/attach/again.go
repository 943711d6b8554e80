package attach

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/traces"
)

// TargetOf returns the target of a trace of a search, without its store, its nouns and its command; and what was found.
func TargetOf(t *traces.Trace) (*Target, *Found, error) {
	plan, err := ParsePlan(t.Attached.Faults)
	if err != nil {
		return nil, nil, err
	}
	value := func(name string) string {
		i := slices.IndexFunc(t.Parameters, func(p traces.Parameter) bool { return p.Name == name })
		if i < 0 {
			return ""
		}
		return t.Parameters[i].Value
	}
	target := &Target{StoreID: t.Store}
	for name, to := range map[string]*int{"clients": &target.Clients, "servers": &target.Servers, "followers": &target.Followers} { // unordered: each by itself
		if _, err := fmt.Sscanf(value(name), "%d", to); err != nil {
			return nil, nil, fmt.Errorf("the parameter %s is %q: want a number", name, value(name))
		}
	}
	if target.Lease, err = time.ParseDuration(value("lease")); err != nil {
		return nil, nil, fmt.Errorf("the parameter lease: %w", err)
	}
	work, known := workloadOf(value("workload"))
	v := t.Verdict()
	switch {
	case !known:
		return nil, nil, fmt.Errorf("there is no workload %q", value("workload"))
	case v == nil:
		return nil, nil, fmt.Errorf("it has no violation")
	case target.Clients < 1 || target.Clients > MostClients || target.Servers < 1 || target.Servers > MostServers || target.Followers < 0 || target.Followers > 1 ||
		target.Lease < MinLease || target.Lease > MaxLease:
		return nil, nil, fmt.Errorf("its numbers of clients, servers and followers, or its lease, are out of range")
	}
	return target, &Found{Candidate: Candidate{t.Scenario, work, plan, t.Seed}, Shown: Shown{v.Violation(), v.Cause}, Sentence: v.Sentence}, nil
}

// Again runs a plan as often as a finding needs, and completes it. Its trace is nil if no run has shown the violation; if
// clients have ended tries by breaking the protocol, that is then a [ClientError].
func (s *Search) Again(ctx context.Context, f *Found) error {
	defer s.idle.stop()
	err := s.confirm(ctx, []*Found{f}, tried{})
	if err == nil && f.Times == 0 {
		err = s.broken
	}
	return err
}
