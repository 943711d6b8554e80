package simetcd

import (
	"encoding/binary"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/sim/payload"
)

// nested is the encoding of a transaction with so many others within it, one in the other. The
// innermost gets the key a if it has an operation.
func nested(levels int, ends bool) []byte {
	var reversed []byte
	field := func(number byte) {
		length := binary.AppendUvarint(nil, uint64(len(reversed)))
		slices.Reverse(length)
		reversed = append(append(reversed, length...), number<<3|wireBytes)
	}
	if ends {
		reversed = []byte{'a', 1, 1<<3 | wireBytes}
		field(1)
		field(2)
	}
	for range levels {
		field(4)
		field(2)
	}
	slices.Reverse(reversed)
	return reversed
}

// TestNested: transactions may be nested as deeply as may have operations on one path. Those that
// go deeper are refused, and told without what they end in.
func TestNested(t *testing.T) {
	for _, test := range []struct {
		levels int
		ends   bool
		want   status
	}{
		{maxOps - 1, true, status{}},
		{maxOps, false, status{}},
		{maxOps, true, errTooManyOps},
		{maxOps + 1, false, errTooManyOps},
		{5000, true, errTooManyOps},
	} {
		var r txnRequest
		if !unmarshal(string(nested(test.levels, test.ends)), &r) {
			t.Errorf("%d levels are no message", test.levels)
		}
		if got := r.check(); got != test.want {
			t.Errorf("%d levels, with an operation %t: %v, want %v", test.levels, test.ends, got, test.want)
		}
	}
}

// TestUntrustedTransactions: what a transaction in an untrusted trace costs is in proportion to its
// length.
func TestUntrustedTransactions(t *testing.T) {
	wide := strings.Repeat("\x12\x05\x0a\x03\x0a\x01a", 10_000)
	deep := string(nested(12_000, true))
	for _, test := range []struct{ name, message, want string }{
		{"deep", deep, "txn: (txn: (txn: (txn: (txn: (txn: "},
		{"wide", wide, "txn: get a, get a, "},
		{"deep and wide", wide + deep, "txn: get a, get a, "},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := requestText("/etcdserverpb.KV/Txn", []byte(test.message))
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 100*uint64(len(test.message)) {
			t.Errorf("%s: %d bytes are used for %d", test.name, used, len(test.message))
		}
		if !strings.HasPrefix(got, test.want) || !strings.HasSuffix(got, "…") || len([]rune(got)) > payload.Most {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}
