package page

import (
	"io"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

// TestSegmentsAreReadOnce: a page reads each segment once, however often it names it and how many
// come after it on its connection.
func TestSegmentsAreReadOnce(t *testing.T) {
	reads := map[int64]int{}
	payload.Register("counted", func() payload.Reader {
		return func(segment *sim.Event) payload.Message {
			reads[segment.Seq]++
			return payload.Message{Text: "a segment"}
		}
	})
	s := sampletraces.NewStage("gc-pause", "counted", 1)
	s.T.Store = "counted"
	conn, at := s.Connect(0, "c1", "redis1")
	const requests = 50
	for range requests {
		_, at = s.Ask(at+time.Millisecond, "c1", "redis1", conn, []byte("request"), []byte("answer"))
	}
	if err := View(io.Discard, s.Build(), ""); err != nil {
		t.Fatal(err)
	}
	if len(reads) < 2*requests {
		t.Errorf("%d segments are read", len(reads))
	}
	for seq, n := range reads {
		if n != 1 {
			t.Fatalf("segment %d is read %d times", seq, n)
		}
	}
}
