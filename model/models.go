package model

import "github.com/anishathalye/porcupine"

// Model returns the sequential model of such objects. It judges what
// [Operations] makes of calls; objects are judged apart. The spec must be valid
// (see [Spec.Validate]).
//
// What each answer allows is said with the model of each kind; what holds for
// all of them, with [Call].
func (s Spec) Model() porcupine.Model {
	switch s.Kind {
	case KindReentrant:
		return sequential(reentrant{}, stepReentrant(s.Limit))
	case KindLeased:
		return sequential(leased{}, stepLeased)
	case KindFenced:
		return sequential(fenced{}, stepFenced)
	case KindReentrantFenced:
		return sequential(reentrantFenced{}, stepReentrantFenced(s.Limit))
	case KindReadWrite:
		return sequential(readWrite{}, stepReadWrite)
	case KindSemaphore:
		return sequential(semaphore{}, stepSemaphore(s.Permits))
	case KindPermitSemaphore:
		return sequential(permits{}, stepPermits(s.Permits))
	case KindFair:
		return sequential(fair{}, stepFair)
	case KindLatch:
		return sequential(latch{s.Count}, stepLatch)
	case KindBarrier:
		return sequential(barrier{}, stepBarrier(int64(s.Parties)))
	case KindRegister, KindCounter:
		return sequential(value{number: s.Initial}, stepValue)
	case KindStock:
		return sequential(stock{segments: s.Stock}, stepStock)
	}
	return sequential(mutex{}, stepMutex)
}

func sequential[S State[S]](initial S, step func(S, Action, Outcome) (S, bool)) porcupine.Model {
	return Sequential[S, Action, Outcome]{Initial: initial, Step: step}.Porcupine()
}
