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
		return modelOf(reentrant{}, stepReentrant(s.Limit))
	case model.KindLeased:
		return modelOf(leased{}, stepLeased)
	case model.KindFenced:
		return modelOf(fenced{}, stepFenced)
	case model.KindReentrantFenced:
		return modelOf(reentrantFenced{}, stepReentrantFenced(s.Limit))
	case model.KindReadWrite:
		return modelOf(readWrite{}, stepReadWrite)
	case model.KindSemaphore:
		return modelOf(semaphore{}, stepSemaphore(s.Permits))
	case model.KindPermitSemaphore:
		return modelOf(permits{}, stepPermits(s.Permits))
	case model.KindFair:
		return modelOf(fair{}, stepFair)
	case model.KindLatch:
		return modelOf(latch{s.Count}, stepLatch)
	case model.KindBarrier:
		return modelOf(barrier{}, stepBarrier(int64(s.Parties)))
	case model.KindRegister, model.KindCounter:
		return modelOf(value{number: s.Initial}, stepValue)
	case model.KindStock:
		return modelOf(stock{segments: s.Stock}, stepStock)
	}
	return modelOf(mutex{}, stepMutex)
}

func modelOf[S state[S]](initial S, step func(S, Action, model.Outcome) (S, bool)) porcupine.Model {
	return sequential[S, Action, model.Outcome]{Initial: initial, Step: step}.Porcupine()
}
