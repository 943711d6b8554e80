package resource_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell/internal/resource"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// use runs f as the workload of a process, and returns what was observed.
func use(t *testing.T, f func(p *sim.Process, c *resource.Client)) (seen []model.Observation) {
	t.Helper()
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		resource.New(w, func(o model.Observation) { seen = append(seen, o) })
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		c := resource.NewClient(p)
		w.OnEnd(func() { _ = c.Close() })
		p.Go(func() { f(p, c) })
	})
	if report.Failure != nil {
		t.Fatal(report.Failure.Reason, report.Failure.Stack)
	}
	return seen
}

// TestFence goes through accesses with and without tokens, in order.
func TestFence(t *testing.T) {
	token := func(n int64) *int64 { return &n }
	steps := []struct {
		write   bool
		token   *int64
		refused bool
		value   int64
	}{
		{false, nil, false, 0},
		{true, nil, false, 1},
		{true, token(5), false, 2},
		{true, token(5), false, 3},  // the same holder again
		{false, token(4), true, 0},  // reads are refused, too
		{true, token(4), true, 0},   // no effect
		{false, token(5), false, 3}, // as was to be shown
		{false, token(7), false, 3}, // a read raises the fence
		{true, token(6), true, 0},
		{true, nil, false, 4}, // a lock without tokens is not fenced
	}
	ctx := context.Background()
	seen := use(t, func(_ *sim.Process, c *resource.Client) {
		written := int64(0)
		for i, s := range steps {
			var value int64
			var err error
			if s.write {
				if value = written + 1; s.refused {
					value = 99
				}
				err = c.Write(ctx, value, s.token)
			} else {
				value, err = c.Read(ctx, s.token)
			}
			if errors.Is(err, resource.ErrRefused) != s.refused || !s.refused && (err != nil || value != s.value) {
				t.Errorf("step %d: %d, %v", i, value, err)
			}
			if s.write && !s.refused {
				written = value
			}
		}
	})
	if len(seen) != len(steps) {
		t.Fatalf("%d observations of %d accesses", len(seen), len(steps))
	}
	for i, s := range steps {
		want := map[bool]model.ObservationKind{false: model.ResourceRead, true: model.ResourceWritten}[s.write]
		if s.refused {
			want = model.ResourceRefused
		}
		if seen[i].Kind != want || seen[i].By.Client != "c1" || seen[i].Fenced != (s.token != nil) {
			t.Errorf("step %d was observed as %+v, want %s", i, seen[i], want)
		}
	}
}

// TestProtocol sends what no client sends, in pieces.
func TestProtocol(t *testing.T) {
	use(t, func(p *sim.Process, _ *resource.Client) {
		conn, err := p.DialContext(context.Background(), "tcp", "10.0.2.1:9000", 0)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		for _, test := range []struct{ send, want string }{
			{"re|ad\n", "ok 0\n"},
			{"write |5\n", "ok 5\n"},
			{"\n", "error unknown request\n"},
			{"write\n", "error unknown request\n"},
			{"write x\n", "error strconv.ParseInt: parsing \"x\": invalid syntax\n"},
			{"read x\n", "error strconv.ParseInt: parsing \"x\": invalid syntax\n"},
			{"read\n", "ok 5\n"},
		} {
			for part := range strings.SplitSeq(test.send, "|") {
				fmt.Fprint(conn, part)
				p.Clock().Sleep(time.Millisecond)
			}
			if got, err := in.ReadString('\n'); got != test.want {
				t.Errorf("%q: got %q, %v; want %q", test.send, got, err, test.want)
			}
		}
	})
}
