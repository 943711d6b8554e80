package explore

import (
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
)

// manyKinds is the largest number of kinds of faults of which every plan has all.
const manyKinds = 4

// kindsOf returns the kinds of faults of a trail, in their order.
func kindsOf(trail []passing) (kinds []uint64) {
	for i := range trail {
		if kind := trail[i].place[byKind]; !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// mixes reports whether there are so many kinds of faults that a plan takes only
// some of them.
func mixes(trail []passing) bool { return len(kindsOf(trail)) > manyKinds }

// manyFaults reports whether a run has decisions about more than manyKinds kinds of
// faults.
func manyFaults(taken []Taken) bool {
	kinds := map[sim.Kind]bool{}
	for i := range taken {
		if isFault(taken[i].Kind) && !isCourse(&taken[i].Decision) {
			kinds[taken[i].Kind] = true
		}
	}
	return len(kinds) > manyKinds
}

// victim returns a process of a trail that a fault of the kind may strike.
func (s *guided) victim(trail []passing, kind uint64) uint64 {
	of := ofKind(trail, kind)
	return of[s.rng.IntN(len(of))].place[byProcess]
}

// ofKind returns the passings of a trail that are about a kind of faults.
func ofKind(trail []passing, kind uint64) (of []passing) {
	for i := range trail {
		if trail[i].place[byKind] == kind {
			of = append(of, trail[i])
		}
	}
	return of
}

// someKinds returns the passings of a trail that are about some kinds of faults: about
// a quarter of the kinds, half of them, or all. If there are many kinds, those that a
// bug does not need hide it, while all that it needs must be present, so no single
// share suits every bug (Groce et al., "Swarm testing", 2012).
func (s *guided) someKinds(trail []passing) (some []passing) {
	kinds := kindsOf(trail)
	share := []int{35, 70, 100}[s.rng.IntN(3)]
	kept := slices.DeleteFunc(slices.Clone(kinds), func(uint64) bool { return !s.percent(share) })
	if len(kept) == 0 {
		kept = kinds[s.rng.IntN(len(kinds)):][:1]
	}
	for i := range trail {
		if slices.Contains(kept, trail[i].place[byKind]) {
			some = append(some, trail[i])
		}
	}
	return some
}
