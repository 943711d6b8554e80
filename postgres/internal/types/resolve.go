package types

import "slices"

// resolve chooses among functions by implicit casts, as PostgreSQL's func_select_candidate does. It reports whether
// several are left.
func resolve(candidates []*Function, args []OID) (f *Function, ambiguous bool) {
	var fitting []*Function
	for _, f := range candidates {
		if f = f.expanded(len(args)); f != nil && f.accepts(args) {
			fitting = append(fitting, f)
		}
	}
	if len(fitting) > 1 {
		fitting = dropVariadic(fitting)
	}
	if len(fitting) > 1 {
		fitting = selectCandidate(fitting, args)
	}
	switch len(fitting) {
	case 0:
		return nil, false
	case 1:
		bound := fitting[0].bound(args)
		return bound, false
	}
	return nil, true
}

// dropVariadic prefers functions that are not variadic over variadic ones with the same arguments.
func dropVariadic(fitting []*Function) []*Function {
	return slices.DeleteFunc(slices.Clone(fitting), func(f *Function) bool {
		return f.Variadic && slices.ContainsFunc(fitting, func(g *Function) bool { return !g.Variadic && slices.Equal(f.Args, g.Args) })
	})
}

// expanded returns the function with n arguments, or nil if it does not take n.
func (f *Function) expanded(count int) *Function {
	switch {
	case len(f.Args) == count:
		return f
	case f.Variadic && count >= len(f.Args)-1 && count > 0:
		wide := *f
		last := f.Args[len(f.Args)-1]
		wide.Args = slices.Clone(f.Args[:len(f.Args)-1])
		for len(wide.Args) < count {
			wide.Args = append(wide.Args, last)
		}
		return &wide
	case count < len(f.Args) && count >= len(f.Args)-len(f.Defaults):
		short := *f
		short.Args = f.Args[:count]
		apply, missing := f.Apply, f.Defaults[len(f.Defaults)-(len(f.Args)-count):]
		short.Apply = func(args []Value) (Value, error) { return apply(slices.Concat(args, missing)) }
		return &short
	}
	return nil
}

// accepts reports whether the arguments can be cast to the function's types.
func (f *Function) accepts(args []OID) bool {
	for i, t := range f.Args {
		if !coercible(args[i], t) {
			return false
		}
	}
	_, ok := f.instance(args)
	return ok
}

// coercible reports whether a type is cast to another implicitly. A polymorphic type takes all at first.
func coercible(from, to OID) bool {
	return from == to || from == UnknownOID || to == AnyOID || isPolymorphic(to) || FindCast(from, to, Implicit) != nil
}

func isPolymorphic(t OID) bool {
	switch t {
	case AnyElementOID, AnyArrayOID, AnyNonArrayOID, AnyEnumOID, AnyCompatibleOID, AnyCompatibleArrayOID:
		return true
	}
	return false
}

// instance returns the real types of a function for the types of arguments, if they fit each other.
func (f *Function) instance(args []OID) (types []OID, ok bool) {
	elem, ok := f.elementType(args, AnyArrayOID)
	if !ok {
		return nil, false
	}
	compatible, ok := f.elementType(args, AnyCompatibleArrayOID)
	if !ok {
		return nil, false
	}
	types = make([]OID, len(f.Args)+1)
	for i, t := range append(slices.Clone(f.Args), f.Result) {
		switch t {
		case AnyElementOID, AnyNonArrayOID, AnyEnumOID:
			t = elem
		case AnyArrayOID:
			t = ArrayOf(elem)
		case AnyCompatibleOID:
			t = compatible
		case AnyCompatibleArrayOID:
			t = ArrayOf(compatible)
		case AnyOID:
			if i < len(args) {
				t = args[i]
			}
			types[i] = t
			continue
		default:
			types[i] = t
			continue
		}
		if t == Invalid || t == UnknownOID {
			return nil, false
		}
		types[i] = t
	}
	return types, true
}

// elementType returns the type of the elements of a family of polymorphic arguments, that of anyarray or that of
// anycompatiblearray, whose types only need a common one.
func (f *Function) elementType(args []OID, family OID) (OID, bool) {
	var found []OID
	used := false
	for i, t := range f.Args {
		actual := args[i]
		isArray := t == family
		if !isArray && !isElement(t, family) {
			continue
		}
		used = true
		if actual == UnknownOID {
			continue
		}
		if isArray {
			if actual = ElemOf(actual); actual == Invalid {
				return Invalid, false
			}
		}
		if t == AnyEnumOID && !IsEnum(actual) || t == AnyNonArrayOID && ElemOf(actual) != Invalid {
			return Invalid, false
		}
		found = append(found, actual)
	}
	switch {
	case len(found) == 0 && family == AnyCompatibleArrayOID:
		return TextOID, true
	case len(found) == 0:
		return Invalid, !used
	}
	if family == AnyCompatibleArrayOID {
		common, err := CommonType("", found)
		return common, err == nil && !slices.ContainsFunc(found, func(t OID) bool { return !coercible(t, common) })
	}
	return found[0], !slices.ContainsFunc(found, func(t OID) bool { return t != found[0] })
}

// isElement reports whether a polymorphic type is an element of a family.
func isElement(t, family OID) bool {
	if family == AnyCompatibleArrayOID {
		return t == AnyCompatibleOID
	}
	return t == AnyElementOID || t == AnyNonArrayOID || t == AnyEnumOID
}

// bound returns the function with real types.
func (f *Function) bound(args []OID) *Function {
	types, ok := f.instance(args)
	if !ok {
		return f
	}
	real := *f
	real.Args, real.Result = types[:len(f.Args)], types[len(f.Args)]
	if f.bind != nil {
		real.Apply = f.bind(real.Args)
	}
	real.Variadic = false
	return &real
}

// selectCandidate narrows several functions that fit down, to one if it can.
func selectCandidate(fitting []*Function, args []OID) []*Function {
	exact := func(f *Function) int {
		return count(args, func(i int) bool { return args[i] != UnknownOID && f.Args[i] == args[i] })
	}
	fitting = best(fitting, exact)
	if len(fitting) == 1 {
		return fitting
	}
	fitting = best(fitting, func(f *Function) int {
		return count(args, func(i int) bool {
			c, _ := category(args[i])
			declared, preferred := category(f.Args[i])
			return args[i] != UnknownOID && (f.Args[i] == args[i] || preferred && declared == c)
		})
	})
	if len(fitting) == 1 || !slices.Contains(args, UnknownOID) {
		return fitting
	}
	if fitting = byCategories(fitting, args); len(fitting) == 1 {
		return fitting
	}
	return byKnownType(fitting, args)
}

func count(args []OID, good func(i int) bool) int {
	n := 0
	for i := range args {
		if good(i) {
			n++
		}
	}
	return n
}

// best keeps the functions with the most points.
func best(fitting []*Function, points func(f *Function) int) []*Function {
	most := 0
	for _, f := range fitting {
		most = max(most, points(f))
	}
	return keep(fitting, func(f *Function) bool { return points(f) == most })
}

func keep(fitting []*Function, good func(f *Function) bool) []*Function {
	return slices.DeleteFunc(slices.Clone(fitting), func(f *Function) bool { return !good(f) })
}

// byCategories takes unknown arguments for texts if any function does, or for the category that all have.
func byCategories(fitting []*Function, args []OID) []*Function {
	type slot struct {
		category  byte
		preferred bool
	}
	slots := map[int]slot{}
	for i, t := range args {
		if t != UnknownOID {
			continue
		}
		s, ok := unknownSlot(fitting, i)
		if !ok {
			return fitting
		}
		slots[i] = slot{s, slices.ContainsFunc(fitting, func(f *Function) bool {
			c, preferred := category(f.Args[i])
			return c == s && preferred
		})}
	}
	narrowed := keep(fitting, func(f *Function) bool {
		for i, s := range slots { // unordered: all have to hold
			if c, preferred := category(f.Args[i]); c != s.category || s.preferred && !preferred {
				return false
			}
		}
		return true
	})
	if len(narrowed) == 0 {
		return fitting
	}
	return narrowed
}

// unknownSlot returns the category of an unknown argument, if the functions agree or one takes a text.
func unknownSlot(fitting []*Function, i int) (byte, bool) {
	first, _ := category(fitting[0].Args[i])
	conflict := false
	for _, f := range fitting {
		c, _ := category(f.Args[i])
		if c == 'S' {
			return c, true
		}
		conflict = conflict || c != first
	}
	return first, !conflict
}

// byKnownType takes unknown arguments for the type that all the others have.
func byKnownType(fitting []*Function, args []OID) []*Function {
	known := Invalid
	for _, t := range args {
		if t == UnknownOID || t == known {
			continue
		}
		if known != Invalid {
			return fitting
		}
		known = t
	}
	if known == Invalid {
		return fitting
	}
	narrowed := keep(fitting, func(f *Function) bool {
		return f.accepts(slices.Repeat([]OID{known}, len(f.Args)))
	})
	if len(narrowed) == 1 {
		return narrowed
	}
	return fitting
}
