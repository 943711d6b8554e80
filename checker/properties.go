package checker

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// builtin are the checker's own properties, in the order in which they are judged and
// listed.
var builtin = [...]*Property{
	&mutualExclusion, &linearizable, &ownerOnlyRelease, &fencing, &noLostUpdate, &progress, &overrun, &leaseHonesty,
	&timelyLoss, &truthfulAcquire, &truthfulRelease, &releaseDenied, &truthfulExtend, &noOrphan, &lateOrphan,
	&promptCancel, &boundedWakeup, &busyWait, &vainWait, &fairOrder, &vainRequest, &boundedSize, &promptTry,
	&needlessFailure,
}

// Properties returns the checker's own properties, in the order in which [Check]
// judges them.
func Properties() []Property {
	list := make([]Property, len(builtin))
	for i, p := range builtin {
		list[i] = *p
	}
	return list
}

// rank returns the place of a built-in property in the order, or the number of them.
func rank(id string) int {
	for i, p := range builtin {
		if p.ID == id {
			return i
		}
	}
	return len(builtin)
}

// Find returns the built-in property with the id, if there is one.
func Find(id string) (Property, bool) {
	if i := rank(id); i < len(builtin) {
		return *builtin[i], true
	}
	return Property{}, false
}

// Known reports whether there is a built-in property with this id.
func Known(id string) bool { return rank(id) < len(builtin) }

// Weak reports whether the id is that of a weak property.
func Weak(id string) bool {
	p, _ := Find(id)
	return p.Weak
}

// IDs returns the ids of the built-in properties, in the order of [Properties].
func IDs() []string {
	ids := make([]string, len(builtin))
	for i, p := range builtin {
		ids[i] = p.ID
	}
	return ids
}

// Compare orders two ids: those of the built-in properties in the order of
// [Properties], then others by the alphabet.
func Compare(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) }

// InOrder lists the violations with a count of at least 1, in the order of [Compare],
// for each property the fault first.
func InOrder(found map[model.Violation]int) (list []model.Violation) {
	for v, n := range found { // unordered: they are sorted
		if n > 0 {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b model.Violation) int { return cmp.Or(Compare(a.Property, b.Property), a.Compare(b)) })
	return list
}
