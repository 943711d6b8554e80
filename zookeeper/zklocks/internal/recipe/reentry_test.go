package recipe

import (
	"errors"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
)

// TestInnerRelease: the release of an inner acquisition reports that the claim has ended, also if the timer that notes it has not fired
// yet, as after a pause.
func TestInnerRelease(t *testing.T) {
	for _, c := range []struct {
		left time.Duration
		want error
	}{{time.Second, nil}, {0, lock.ErrNotHeld}} {
		clock := clockwork.NewFakeClock()
		s := &Session{conn: &zk.Conn{}, clock: clock}
		held := &Lease{entry: &entry{Queue: &Queue{session: s}}, claim: &claim{lost: make(chan struct{}), until: clock.Now().Add(c.left)}}
		hold := new(Owned).Keep("me", held)
		_, inner := hold.Enter(WriteKind), hold.Enter(WriteKind)
		if err := inner.Release(t.Context()); !errors.Is(err, c.want) {
			t.Errorf("with %v left: %v, want %v", c.left, err, c.want)
		}
	}
}
