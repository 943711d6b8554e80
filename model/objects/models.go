package objects

import (
	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/model"
)

// Model returns the sequential model of objects of the spec, for the operations of
// [Operations]. Objects are judged independently. The spec must be valid (see
// [model.Spec.Validate]).
//
// The comments of the models say which answers are legal; [model.Call] says what
// applies to all kinds.
func Model(s model.Spec) porcupine.Model {
	switch s.Kind {
	case model.KindReentrant:
		return sequential(reentrant{}, stepReentrant(s.Limit))
	case model.KindLeased:
		return sequential(leased{}, stepLeased)
	case model.KindFenced:
		return sequential(fenced{}, stepFenced)
	case model.KindReentrantFenced:
		return sequential(reentrantFenced{}, stepReentrantFenced(s.Limit))
	case model.KindReadWrite:
		return sequential(readWrite{}, stepReadWrite)
	case model.KindSemaphore:
		return sequential(semaphore{}, stepSemaphore(s.Permits))
	case model.KindPermitSemaphore:
		return sequential(permits{}, stepPermits(s.Permits))
	case model.KindFair:
		return sequential(fair{}, stepFair)
	case model.KindLatch:
		return sequential(latch{s.Count}, stepLatch)
	case model.KindBarrier:
		return sequential(barrier{}, stepBarrier(int64(s.Parties)))
	case model.KindRegister, model.KindCounter:
		return sequential(value{number: s.Initial}, stepValue)
	case model.KindStock:
		return sequential(stock{segments: s.Stock}, stepStock)
	}
	return sequential(mutex{}, stepMutex)
}

func sequential[S State[S]](initial S, step func(S, Action, model.Outcome) (S, bool)) porcupine.Model {
	return Sequential[S, Action, model.Outcome]{Initial: initial, Step: step}.Porcupine()
}
