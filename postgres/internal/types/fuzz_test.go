package types_test

import (
	"bytes"
	"testing"

	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// everyType returns the types that have an input function.
func everyType() (list []types.OID) {
	for t := types.OID(1); t < 5100; t++ {
		if types.Known(t) && types.Size(t) != -2 && t != types.RecordOID && t != types.RecordArrayOID && types.InternalName(t) != "any" {
			list = append(list, t)
		}
	}
	return list
}

// FuzzBinary reads binary formats: what can be read is written in both formats, and read again from the binary one as
// the same value.
func FuzzBinary(f *testing.F) {
	for _, expr := range []string{"1", "1.5", "'{1,NULL}'::int[]", "'a'", "now()", "interval '1 day 2 hours'", "'{\"a\":[1,null]}'::jsonb", "5::bit(9)"} {
		if v, err := evaluate(expr); err == nil {
			b, _ := types.Binary(v.t, v.v)
			f.Add(uint32(v.t), b)
		}
	}
	f.Fuzz(func(t *testing.T, oid uint32, b []byte) {
		for _, typ := range everyType() {
			if oid != 0 && types.OID(oid) != typ {
				continue
			}
			v, err := types.ParseBinary(typ, b)
			if err != nil {
				continue
			}
			types.Text(typ, v)
			again, err := types.Binary(typ, v)
			if err != nil {
				t.Fatalf("%s: %x: %v", types.Name(typ), b, err)
			}
			w, err := types.ParseBinary(typ, again)
			if err != nil {
				t.Fatalf("%s: %x was written as %x: %v", types.Name(typ), b, again, err)
			}
			if third, _ := types.Binary(typ, w); !bytes.Equal(again, third) {
				t.Fatalf("%s: %x was written as %x, then as %x", types.Name(typ), b, again, third)
			}
		}
	})
}

// FuzzText reads texts: what can be read is written as a text that is read as an equal value.
func FuzzText(f *testing.F) {
	for _, s := range []string{"1", "1.5e3", "{1,NULL,\"a\"}", "2024-01-31 10:00:00.5+02", "1 day -02:03:04.5", `{"a":[1,null,"\u00e9"]}`, "t", `\x00ff`, "101"} {
		f.Add(s)
	}
	list := everyType()
	f.Fuzz(func(t *testing.T, s string) {
		for _, typ := range list {
			v, err := types.ParseText(typ, -1, s)
			if err != nil {
				continue
			}
			text := types.Text(typ, v)
			w, err := types.ParseText(typ, -1, text)
			if err != nil {
				t.Fatalf("%s: %q was written as %q: %v", types.Name(typ), s, text, err)
			}
			if again := types.Text(typ, w); again != text {
				t.Fatalf("%s: %q was written as %q, then as %q", types.Name(typ), s, text, again)
			}
		}
	})
}
