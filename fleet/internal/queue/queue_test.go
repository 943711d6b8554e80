package queue

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/lockpick-dev/lockpick/fleet/internal/message"
	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestNoRoom: what JetStream says of a full disk is told with what to do, and keeps what it was.
func TestNoRoom(t *testing.T) {
	for _, err := range []error{
		&jetstream.APIError{Code: 500, ErrorCode: 10047, Description: "insufficient storage resources available"},
		&jetstream.APIError{Code: 500, ErrorCode: 10051, Description: "write /q/msgs/2.blk: " + syscall.ENOSPC.Error()},
		fmt.Errorf("put: %w", &jetstream.APIError{Code: 503, ErrorCode: 10023, Description: "insufficient resources"}),
	} {
		got := explain("nats://h:1", err)
		if !errors.Is(got, err) || !strings.Contains(got.Error(), "make room") || !strings.Contains(got.Error(), "nats://h:1") {
			t.Errorf("%v", got)
		}
	}
	if err := (&jetstream.APIError{ErrorCode: 10059}); explain("x", err).Error() != err.Error() || explain("x", nil) != nil {
		t.Error("other errors do not stay what they are")
	}
}

// TestManyPieces: a search of 10^9 schedules has more pieces than a client has on their way at a time, and all of them get into the queue, once.
func TestManyPieces(t *testing.T) {
	s, err := StartServer("127.0.0.1:0", "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	nc, err := s.Connect("test")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	plan := pieces.NewPlan(1_000_000_000/explore.BlockSize, 0)
	q, err := Create(t.Context(), nc, "fleet", message.Fleet{Manifest: pieces.Manifest{Plan: plan}, Lease: 1e9, Tries: 1}, false)
	if err != nil {
		t.Fatal(err)
	}
	var list []explore.Range
	for n := range plan.Pieces() {
		list = append(list, plan.Range(n))
	}
	for range 2 {
		if err := q.Publish(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		if waiting, out, _, err := q.Counts(t.Context()); waiting != plan.Pieces() || out != 0 || err != nil {
			t.Errorf("%d wait, %d are out, of %d: %v", waiting, out, plan.Pieces(), err)
		}
	}
}
