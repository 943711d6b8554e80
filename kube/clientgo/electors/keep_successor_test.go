package electors_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/lockpick-dev/lockpick/kube/clientgo/electors"
)

// memory is a lock in memory, of a client that may be cut off.
type memory struct {
	id     string
	record *resourcelock.LeaderElectionRecord
	off    bool
}

var errOff = errors.New("cut off")

func (m *memory) Get(context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	if m.off {
		return nil, nil, errOff
	}
	raw, err := json.Marshal(m.record)
	r := *m.record
	return &r, raw, err
}

func (m *memory) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return m.Update(ctx, r)
}

func (m *memory) Update(_ context.Context, r resourcelock.LeaderElectionRecord) error {
	if m.off {
		return errOff
	}
	m.record = &r
	return nil
}

func (m *memory) RecordEvent(string) {}

func (m *memory) Identity() string { return m.id }

func (m *memory) Describe() string { return "memory" }

// TestSuccessor: a leader is cut off until the deadline of its renewals, when another has taken the Lease over. Its release empties
// the Lease of that, in client-go from v0.34 to v0.37; with the cure it stays.
func TestSuccessor(t *testing.T) {
	for _, test := range []struct {
		name, left string
		wrap       func(resourcelock.Interface) resourcelock.Interface
	}{
		{"as it is", "", func(l resourcelock.Interface) resourcelock.Interface { return l }},
		{"cured", "b", electors.KeepSuccessor},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &memory{id: "a", record: &resourcelock.LeaderElectionRecord{}}
				elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
					Lock: test.wrap(m), LeaseDuration: 15 * time.Second, RenewDeadline: 9 * time.Second, RetryPeriod: 2 * time.Second, ReleaseOnCancel: true,
					Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) {}, OnStoppedLeading: func() {}},
				})
				if err != nil {
					t.Fatal(err)
				}
				ended := make(chan struct{})
				go func() { defer close(ended); elector.Run(t.Context()) }()
				time.Sleep(time.Second) // the bubble's time, as below: none passes outside
				if m.record.HolderIdentity != "a" {
					t.Fatalf("%q leads, want a", m.record.HolderIdentity)
				}
				m.off = true
				time.Sleep(9500 * time.Millisecond) // all tries before the deadline, which is at 11 s, have failed
				m.record, m.off = &resourcelock.LeaderElectionRecord{HolderIdentity: "b", LeaseDurationSeconds: 15, LeaderTransitions: 1}, false
				<-ended
				if got := m.record.HolderIdentity; got != test.left {
					t.Errorf("the Lease names %q, want %q", got, test.left)
				}
			})
		})
	}
}
