package types

import (
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

func init() {
	jsonBuilders("jsonb", JSONBOID)
	jsonBuilders("json", JSONOID)
	set := fn("jsonb_set", []OID{JSONBOID, TextArrayOID, JSONBOID, BoolOID}, JSONBOID, func(a []Value) (Value, error) {
		n := mustJSON(a[0])
		if n.kind < jsonArray {
			return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot set path in scalar")
		}
		n, err := n.change(a[1].(Array).Items, 1, func(_ node, ok bool) (node, bool) { return mustJSON(a[2]), ok || a[3].(bool) })
		return n.canonical().String(), err
	})
	set.Defaults = []Value{true}
	fn("jsonb_strip_nulls", []OID{JSONBOID}, JSONBOID, func(a []Value) (Value, error) { return mustJSON(a[0]).stripped().String(), nil })
}

// stripped returns a value without the fields that are null.
func (n node) stripped() node {
	kept := n
	kept.keys, kept.items = nil, nil
	for i, item := range n.items {
		if n.kind == jsonObject {
			if item.kind == jsonNull {
				continue
			}
			kept.keys = append(kept.keys, n.keys[i])
		}
		kept.items = append(kept.items, item.stripped())
	}
	return kept
}

// jsonBuilders declares the functions that make json or jsonb of other values.
func jsonBuilders(name string, t OID) {
	to := fn("to_"+name, []OID{AnyElementOID}, t, nil)
	to.bind = func(types []OID) func([]Value) (Value, error) {
		return func(a []Value) (Value, error) { return finishJSON(t, ToJSON(types[0], a[0])) }
	}
	object := func(types []OID) func([]Value) (Value, error) {
		return func(a []Value) (Value, error) { return buildObject(name, t, types, a) }
	}
	array := func(types []OID) func([]Value) (Value, error) {
		return func(a []Value) (Value, error) {
			var parts []string
			for i, v := range a {
				parts = append(parts, ToJSON(types[i], v))
			}
			return finishJSON(t, "["+strings.Join(parts, ", ")+"]")
		}
	}
	for suffix, bind := range map[string]func([]OID) func([]Value) (Value, error){"_build_object": object, "_build_array": array} { // unordered: each name is declared once
		f := fn(name+suffix, []OID{AnyOID}, t, nil)
		f.Variadic, f.Strict, f.bind = true, false, bind
		fn(name+suffix, []OID{}, t, func([]Value) (Value, error) { return bind(nil)(nil) })
	}
}

// finishJSON makes jsonb canonical.
func finishJSON(t OID, s string) (Value, error) {
	if t == JSONOID {
		return s, nil
	}
	return ParseText(JSONBOID, -1, s)
}

func buildObject(name string, t OID, types []OID, a []Value) (Value, error) {
	if len(a)%2 != 0 {
		return nil, pgerror.New(pgerror.InvalidParameterValue, "argument list must have even number of elements").
			WithHint("The arguments of %s_build_object() must consist of alternating keys and values.", name)
	}
	var b strings.Builder
	b.WriteByte('{')
	for i := 0; i < len(a); i += 2 {
		if i > 0 {
			b.WriteString(", ")
		}
		if a[i] == nil {
			return nil, nullKey(t, i+1)
		}
		if elem := ElemOf(types[i]); elem != Invalid || types[i] == RecordOID || types[i] == JSONOID || types[i] == JSONBOID {
			return nil, pgerror.New(pgerror.InvalidParameterValue, "key value must be scalar, not array, composite, or json")
		}
		key := Text(types[i], a[i])
		if types[i] == BoolOID {
			key = castText(BoolOID, a[i])
		}
		writeJSONString(&b, key)
		b.WriteString(" : ")
		b.WriteString(ToJSON(types[i+1], a[i+1]))
	}
	b.WriteByte('}')
	return finishJSON(t, b.String())
}

func nullKey(t OID, argument int) error {
	if t == JSONOID {
		return pgerror.New(pgerror.InvalidParameterValue, "argument %d cannot be null", argument).WithHint("Object keys should be text.")
	}
	return pgerror.New(pgerror.InvalidParameterValue, "argument %d: key must not be null", argument)
}

// ToJSON returns a value, NULL too, as to_json makes it.
func ToJSON(t OID, v Value) string {
	var b strings.Builder
	writeValue(&b, t, v)
	return b.String()
}

func writeValue(b *strings.Builder, t OID, v Value) {
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case int64, float64, Numeric:
		if text := Text(t, v); isJSONNumber(text) && t != XIDOID && t != XID8OID && t != OIDOID {
			b.WriteString(text)
		} else {
			writeJSONString(b, text)
		}
	case Array:
		b.WriteByte('[')
		for i, item := range v.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			writeValue(b, v.Elem, item)
		}
		b.WriteByte(']')
	case Row:
		b.WriteByte('{')
		for i, item := range v.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSONString(b, "f"+strconv.Itoa(i+1))
			b.WriteByte(':')
			writeValue(b, v.Types[i], item)
		}
		b.WriteByte('}')
	case Timestamp:
		text := strings.Replace(v.text(map[bool]string{true: "+00:00"}[t == TimestamptzOID]), " ", "T", 1)
		writeJSONString(b, text)
	default:
		if t == JSONOID || t == JSONBOID {
			b.WriteString(v.(string))
		} else {
			writeJSONString(b, Text(t, v))
		}
	}
}
