package simmysql

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// ofWaits reports whether something happened to a transaction, or to one who waits.
func ofWaits(o *model.Observation) bool {
	return strings.HasPrefix(o.Event(), "transaction-") || strings.HasPrefix(o.Event(), "wait-")
}

// TestWaitsTold: transactions that clients have begun are told, with how they end; and who waits
// for whose lock, until it has it, gives up, or is refused because it closes a circle.
func TestWaitsTold(t *testing.T) {
	s := run(t, Options{}, func(s *stage) {
		a, b := s.session(s.cluster.Address()), s.session(s.cluster.Address())
		s.must(a, "INSERT INTO t VALUES (2, 0)", "BEGIN", "UPDATE t SET v = 1 WHERE id = 1")
		s.must(b, "SET innodb_lock_wait_timeout = 1", "BEGIN", "UPDATE t SET v = 2 WHERE id = 2")
		if n := attempt(b, "UPDATE t SET v = 2 WHERE id = 1"); n != 1205 {
			t.Errorf("error %d of a wait that lasts too long", n)
		}
		waits := make(chan int)
		go func() { waits <- attempt(a, "UPDATE t SET v = 1 WHERE id = 2") }()
		s.process.Step("wait", 100*time.Millisecond)
		if n := attempt(b, "UPDATE t SET v = 2 WHERE id = 1"); n != 1213 {
			t.Errorf("error %d of a wait that closes a circle", n)
		}
		if n := <-waits; n != 0 {
			t.Errorf("error %d of who waited for the other", n)
		}
		s.must(a, "COMMIT")
	})
	var got, circle []string
	for _, o := range s.seen {
		if ofWaits(&o) {
			got = append(got, strings.TrimSpace(fmt.Sprint(o.Owner.Conn, " ", o.Note.Event, " ", o.Note.Record)))
		}
		if o.Event() == waitRefused.Event {
			circle = o.Note.Refs
		}
	}
	if want := []string{
		"1 transaction-began", "2 transaction-began",
		"2 wait-began lock of t/1", "2 wait-ended lock of t/1",
		"1 wait-began lock of t/2", "2 wait-began lock of t/1", "2 wait-refused lock of t/1", "2 transaction-deadlocked", "2 transaction-rolled-back", "1 wait-granted lock of t/2",
		"1 transaction-committed",
	}; !slices.Equal(got, want) {
		t.Errorf("observed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if want := []string{"connection 2", "connection 1"}; !slices.Equal(circle, want) {
		t.Errorf("the circle is of %q, want %q", circle, want)
	}
}
