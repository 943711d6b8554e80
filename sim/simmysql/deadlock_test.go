package simmysql

import (
	"testing"
	"time"
)

// TestWeight: locks of one kind weigh as one, and each that was waited for as one more.
func TestWeight(t *testing.T) {
	weigh := func(waits bool) (weight int) {
		run(t, Options{}, func(s *stage) {
			a, b := s.session(s.cluster.Address()), s.session(s.cluster.Address())
			s.must(a, "INSERT INTO t VALUES (2, 0), (3, 0)", "BEGIN")
			if waits {
				s.must(a, "SELECT * FROM t WHERE id = 2 FOR UPDATE")
			}
			done := make(chan bool)
			s.must(b, "BEGIN", "SELECT * FROM t WHERE id = 1 FOR UPDATE")
			go func() {
				s.must(b, "SELECT * FROM t WHERE id = 2 FOR UPDATE", "SELECT * FROM t WHERE id = 3 FOR UPDATE")
				done <- true
			}()
			s.process.Step("wait", 100*time.Millisecond)
			s.must(a, "COMMIT")
			<-done
			s.until(1)
		}, func(s *stage) { weight = s.cluster.Nodes()[0].open[0].weight() })
		return weight
	}
	if once, twice := weigh(false), weigh(true); twice != once+1 {
		t.Errorf("it weighs %d without a wait, and %d with one", once, twice)
	}
}
