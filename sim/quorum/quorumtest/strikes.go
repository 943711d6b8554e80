package quorumtest

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Server is a server that can fail.
type Server interface {
	Crash()
	Restart()
	Hang(d time.Duration) bool
}

// Strikes makes faults strike servers, the first of which leads at the beginning.
type Strikes[S Server] struct {
	World   *sim.World
	Servers []S
	Actor   func(S) *sim.Actor
	// At calls f at a time of the run.
	At func(at time.Duration, f func())
	// Within is the time in which faults begin, from half a second after the beginning of the
	// run. Unit is the unit of their lengths, which are up to 20 units.
	Within, Unit time.Duration

	struck []span
}

// span is a stretch of a run.
type span struct{ from, to time.Duration }

// Strike schedules a fault of a server, which is over after a while: it crashes, hangs, or is cut
// off from some of the others.
func (s *Strikes[S]) Strike(rng *rand.Rand) {
	i := rng.IntN(len(s.Servers))
	if rng.IntN(2) == 0 {
		i = 0
	}
	n := s.Servers[i]
	from := 500*time.Millisecond + time.Duration(rng.IntN(int(s.Within/time.Millisecond)))*time.Millisecond
	length := time.Duration(1+rng.IntN(20)) * s.Unit
	s.struck = append(s.struck, span{from, from + length})
	switch rng.IntN(3) {
	case 0:
		s.At(from, n.Crash)
		s.At(from+length, n.Restart)
	case 1:
		s.At(from, func() { n.Hang(length) })
	case 2:
		cut := sim.Partition{A: []*sim.Actor{s.Actor(n)}}
		for j, o := range s.Servers {
			if j != i && rng.IntN(4) > 0 {
				cut.B = append(cut.B, s.Actor(o))
			}
		}
		if len(cut.B) > 0 {
			s.At(from, func() { s.World.Network().Part(cut, length) })
			s.At(from+length, func() { s.World.Network().Unite(cut) })
		}
	}
}

// StepsDown checks, for each leader that gives up, that a fault has struck a server since its
// last committed change, or at the same time. The checker relies on this: a change was out of
// reach if a fault struck before the end of its operation, or if there was an election. It
// returns the number of times that a leader gave up.
func (s *Strikes[S]) StepsDown(t *testing.T, name string, seen []model.Observation) (times int) {
	t.Helper()
	leader, committed := "", time.Duration(0)
	for _, o := range seen {
		switch {
		case o.Kind == model.Promoted || o.Note != nil && o.Note.Role == model.RoleServing:
			leader, committed = o.Node, o.At
		case o.Kind.OfRecord() && o.Authority != "":
			committed = o.At
		case o.Note != nil && o.Note.Role == model.RoleAlone && o.Node == leader:
			times++
			leader = ""
			if !slices.ContainsFunc(s.struck, func(s span) bool { return s.from <= o.At && s.to >= committed }) {
				t.Errorf("%s: %s gave up at %v, and nothing had struck since %v", name, o.Node, o.At, committed)
			}
		}
	}
	return times
}
