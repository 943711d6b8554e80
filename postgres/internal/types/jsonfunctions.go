package types

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// mustJSON reads a text that is known to be JSON.
func mustJSON(v Value) node {
	n, _ := readJSON(v.(string))
	return n
}

// kindName is the kind of a value in messages.
func (n node) kindName() string {
	return map[jsonKind]string{
		jsonNull: "null", jsonString: "string", jsonNumber: "numeric", jsonBool: "boolean", jsonArray: "array", jsonObject: "object",
	}[n.kind]
}

// as returns a value as json, which is the text that it was read from, or as jsonb.
func (n node) as(t OID) Value {
	if t == JSONOID {
		return n.raw
	}
	return n.String()
}

// asText returns a value as a text: a string without quotes, NULL for null.
func (n node) asText(t OID) Value {
	switch n.kind {
	case jsonNull:
		return nil
	case jsonString:
		return n.text
	}
	return n.as(t)
}

func jsonOperators() {
	for _, t := range []OID{JSONOID, JSONBOID} {
		get := func(a []Value) (node, bool) {
			if key, ok := a[1].(string); ok {
				return mustJSON(a[0]).field(key)
			}
			return mustJSON(a[0]).element(a[1].(int64))
		}
		found := func(n node, ok bool, text bool) (Value, error) {
			switch {
			case !ok:
				return nil, nil
			case text:
				return n.asText(t), nil
			}
			return n.as(t), nil
		}
		for _, key := range []OID{TextOID, Int4OID} {
			op("->", []OID{t, key}, t, func(a []Value) (Value, error) { n, ok := get(a); return found(n, ok, false) })
			op("->>", []OID{t, key}, TextOID, func(a []Value) (Value, error) { n, ok := get(a); return found(n, ok, true) })
		}
		path := func(text bool) func(a []Value) (Value, error) {
			return func(a []Value) (Value, error) {
				n, ok := mustJSON(a[0]).at(a[1].(Array).Items)
				return found(n, ok, text)
			}
		}
		op("#>", []OID{t, TextArrayOID}, t, path(false))
		op("#>>", []OID{t, TextArrayOID}, TextOID, path(true))
		jsonReaders(t, path)
	}
	two := pair(JSONBOID)
	op("@>", two, BoolOID, func(a []Value) (Value, error) { return containsTop(mustJSON(a[0]), mustJSON(a[1])), nil })
	op("<@", two, BoolOID, func(a []Value) (Value, error) { return containsTop(mustJSON(a[1]), mustJSON(a[0])), nil })
	op("||", two, JSONBOID, func(a []Value) (Value, error) { return concatJSON(mustJSON(a[0]), mustJSON(a[1])) })
	op("?", []OID{JSONBOID, TextOID}, BoolOID, func(a []Value) (Value, error) { return mustJSON(a[0]).exists(a[1].(string)), nil })
	op("?|", []OID{JSONBOID, TextArrayOID}, BoolOID, func(a []Value) (Value, error) {
		n := mustJSON(a[0])
		return slices.ContainsFunc(a[1].(Array).Items, func(v Value) bool { return v != nil && n.exists(v.(string)) }), nil
	})
	op("?&", []OID{JSONBOID, TextArrayOID}, BoolOID, func(a []Value) (Value, error) {
		n := mustJSON(a[0])
		return !slices.ContainsFunc(a[1].(Array).Items, func(v Value) bool { return v != nil && !n.exists(v.(string)) }), nil
	})
	op("-", []OID{JSONBOID, TextOID}, JSONBOID, func(a []Value) (Value, error) { return mustJSON(a[0]).without([]Value{a[1]}) })
	op("-", []OID{JSONBOID, TextArrayOID}, JSONBOID, func(a []Value) (Value, error) { return mustJSON(a[0]).without(a[1].(Array).Items) })
	op("-", []OID{JSONBOID, Int4OID}, JSONBOID, func(a []Value) (Value, error) { return mustJSON(a[0]).withoutElement(a[1].(int64)) })
	op("#-", []OID{JSONBOID, TextArrayOID}, JSONBOID, func(a []Value) (Value, error) {
		n, err := mustJSON(a[0]).deletePath(a[1].(Array).Items)
		return n.String(), err
	})
}

// jsonReaders declares the functions that read json or jsonb.
func jsonReaders(t OID, path func(text bool) func(a []Value) (Value, error)) {
	name := InternalName(t)
	for suffix, result := range map[string]OID{"": t, "_text": TextOID} { // unordered: each name is declared once
		f := fn(name+"_extract_path"+suffix, []OID{t, TextOID}, result, nil)
		f.Variadic = true
		f.bind = func([]OID) func([]Value) (Value, error) {
			return func(a []Value) (Value, error) { return path(suffix != "")([]Value{a[0], Array{TextOID, a[1:]}}) }
		}
	}
	fn(name+"_typeof", []OID{t}, TextOID, func(a []Value) (Value, error) {
		return strings.Replace(mustJSON(a[0]).kindName(), "numeric", "number", 1), nil
	})
	fn(name+"_array_length", []OID{t}, Int4OID, func(a []Value) (Value, error) {
		switch n := mustJSON(a[0]); n.kind {
		case jsonArray:
			return int64(len(n.items)), nil
		case jsonObject:
			return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot get array length of a non-array")
		}
		return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot get array length of a scalar")
	})
}

// at follows a path of keys and subscripts.
func (n node) at(path []Value) (node, bool) {
	for _, step := range path {
		ok := step != nil
		if ok {
			n, ok = n.step(step.(string))
		}
		if !ok {
			return node{}, false
		}
	}
	return n, true
}

// step returns the value of a key or a subscript.
func (n node) step(name string) (node, bool) {
	if n.kind == jsonObject {
		return n.field(name)
	}
	i, err := strconv.ParseInt(name, 10, 32)
	if err != nil {
		return node{}, false
	}
	return n.element(i)
}

// containsTop is contains, with an array on the top containing also a scalar.
func containsTop(a, b node) bool {
	if a.kind == jsonArray && b.kind < jsonArray {
		b = node{kind: jsonArray, items: []node{b}}
	}
	return a.contains(b)
}

// exists reports whether a string is a key, or an element of an array, or the value itself.
func (n node) exists(key string) bool {
	switch n.kind {
	case jsonObject:
		_, ok := n.field(key)
		return ok
	case jsonArray:
		return slices.ContainsFunc(n.items, func(item node) bool { return item.kind == jsonString && item.text == key })
	}
	return n.kind == jsonString && n.text == key
}

func concatJSON(a, b node) (Value, error) {
	if a.kind == jsonObject && b.kind == jsonObject {
		a.keys, a.items = slices.Concat(a.keys, b.keys), slices.Concat(a.items, b.items)
		return a.canonical().String(), nil
	}
	array := func(n node) []node {
		if n.kind == jsonArray {
			return n.items
		}
		return []node{n}
	}
	return node{kind: jsonArray, items: slices.Concat(array(a), array(b))}.String(), nil
}

// without returns an object without keys, or an array without strings.
func (n node) without(keys []Value) (Value, error) {
	if n.kind < jsonArray {
		return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot delete from scalar")
	}
	kept := node{kind: n.kind}
	for i, item := range n.items {
		name, ok := item.text, item.kind == jsonString
		if n.kind == jsonObject {
			name, ok = n.keys[i], true
		}
		if ok && slices.ContainsFunc(keys, func(k Value) bool { return k != nil && k.(string) == name }) {
			continue
		}
		kept.items = append(kept.items, item)
		if n.kind == jsonObject {
			kept.keys = append(kept.keys, n.keys[i])
		}
	}
	return kept.String(), nil
}

func (n node) withoutElement(i int64) (Value, error) {
	switch n.kind {
	case jsonObject:
		return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot delete from object using integer index")
	case jsonArray:
		if i < 0 {
			i += int64(len(n.items))
		}
		if i >= 0 && i < int64(len(n.items)) {
			n.items = slices.Delete(slices.Clone(n.items), int(i), int(i)+1)
		}
		return n.String(), nil
	}
	return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot delete from scalar")
}

// deletePath deletes what a path leads to.
func (n node) deletePath(path []Value) (node, error) {
	if n.kind < jsonArray {
		return n, pgerror.New(pgerror.InvalidParameterValue, "cannot delete path in scalar")
	}
	return n.change(path, 1, func(node, bool) (node, bool) { return node{}, false })
}

// change replaces what a path leads to by what with makes of it and of whether it is there: a value, or nothing.
func (n node) change(path []Value, level int, with func(old node, ok bool) (node, bool)) (node, error) {
	if len(path) == 0 || n.kind < jsonArray {
		return n, nil
	}
	if path[0] == nil {
		return n, pgerror.New(pgerror.NullValueNotAllowed, "path element at position %d is null", level)
	}
	step := path[0].(string)
	i := slices.Index(n.keys, step)
	if n.kind == jsonArray {
		at, err := strconv.ParseInt(step, 10, 32)
		if err != nil {
			return n, pgerror.New(pgerror.InvalidTextRepresentation, "path element at position %d is not an integer: \"%s\"", level, step)
		}
		if i = int(at); i < 0 {
			i += len(n.items)
		}
	}
	there := 0 <= i && i < len(n.items)
	if len(path) > 1 {
		if !there {
			return n, nil
		}
		item, err := n.items[i].change(path[1:], level+1, with)
		n.items = slices.Clone(n.items)
		n.items[i] = item
		return n, err
	}
	var old node
	if there {
		old = n.items[i]
	}
	item, ok := with(old, there)
	return n.put(i, there, step, item, ok), nil
}

// put replaces, deletes or adds a value. An array's index may be before its first or after its last.
func (n node) put(i int, there bool, key string, item node, ok bool) node {
	switch {
	case there && ok:
		n.items = slices.Clone(n.items)
		n.items[i] = item
	case there:
		n.items = slices.Delete(slices.Clone(n.items), i, i+1)
		if n.kind == jsonObject {
			n.keys = slices.Delete(slices.Clone(n.keys), i, i+1)
		}
	case !ok:
	case n.kind == jsonObject:
		n.keys, n.items = append(slices.Clone(n.keys), key), append(slices.Clone(n.items), item)
	case i < 0:
		n.items = slices.Insert(slices.Clone(n.items), 0, item)
	default:
		n.items = append(slices.Clone(n.items), item)
	}
	return n
}
