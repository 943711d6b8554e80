package objects

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// grant is one Acquire's part of an object that many may hold.
type grant struct {
	hold
	// n is the number of permits or entries that are left of it.
	n int64
	// permit is its id, and until the event from which it may end by itself (0 if it
	// may not), for kinds that have them.
	permit string
	until  int64
}

// grants are the present grants, sorted by owner and Acquire. They are never changed,
// only replaced.
type grants []grant

// total returns the sum of the grants of the named owner, or of all ("").
func (g grants) total(owner string) int64 {
	sum := int64(0)
	for i := range g {
		if owner == "" || g[i].owner == owner {
			sum += g[i].n
		}
	}
	return sum
}

// with returns the grants with another one.
func (g grants) with(x grant) grants {
	i, _ := slices.BinarySearchFunc(g, x, func(a, b grant) int {
		return cmp.Or(strings.Compare(a.owner, b.owner), cmp.Compare(a.id, b.id))
	})
	next := make(grants, 0, len(g)+1)
	next = append(next, g[:i]...)
	next = append(next, x)
	return append(next, g[i:]...)
}

// where returns the grants with the i-th replaced, or without it if nothing of it is
// left.
func (g grants) where(i int, x grant) grants {
	if x.n <= 0 {
		return g.without(func(y grant) bool { return y.id == g[i].id })
	}
	next := slices.Clone(g)
	next[i] = x
	return next
}

// without returns the grants without those for which the function returns true.
func (g grants) without(those func(grant) bool) grants {
	if !slices.ContainsFunc(g, those) {
		return g
	}
	next := make(grants, 0, len(g))
	for _, x := range g {
		if !those(x) {
			next = append(next, x)
		}
	}
	return next
}

// Equal reports whether the grants are the same.
func (g grants) Equal(other grants) bool { return slices.Equal(g, other) }

func (g grants) digest() digest {
	d := newDigest
	for i := range g {
		d = d.int(int64(g[i].id)).int(g[i].n).string(g[i].owner).string(g[i].permit).int(g[i].until)
	}
	return d
}

// String lists who holds how much, such as "c1 2, c2 1".
func (g grants) String() string {
	parts := make([]string, len(g))
	for i, x := range g {
		switch {
		case x.permit != "" && x.until != 0:
			parts[i] = fmt.Sprintf("%s %s until %d", x.owner, x.permit, x.until)
		case x.permit != "":
			parts[i] = x.owner + " " + x.permit
		default:
			parts[i] = fmt.Sprintf("%s %d", x.owner, x.n)
		}
	}
	return strings.Join(parts, ", ")
}
