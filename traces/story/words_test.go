package story

import (
	"strings"
	"testing"
)

func TestEntry(t *testing.T) {
	for _, test := range []struct{ key, value, want string }{
		{"lock", "9f2c41d8a0b1c2d3", "lock = 9f2c41…"},
		{"lock", "", "lock"},
		{"/lock/n-0000000003", "x", "/lock/n-0000000003 = x"},
		{"/lock/_c_909ba5f07cdd34182cf0d6c715c802d9-lock-0000000003", "", "/lock/_c_909ba5f07cdd34182cf0d6c715c802d9-lock-0000000003"},
		{"a-key-that-is-long-but-is-no-path", "", "a-key-that-is-long-but-is-no-path"},
		{"lock:inventory:wanted", "", "lock:inventory:wanted"},
		{strings.Repeat("k", 100), "", strings.Repeat("k", 100)},
		{strings.Repeat("k", 69) + strings.Repeat("e", 32), "", strings.Repeat("k", 67) + "…" + strings.Repeat("e", 32)},
	} {
		if got := entry(test.key, test.value); got != test.want {
			t.Errorf("%q, %q: %q, want %q", test.key, test.value, got, test.want)
		}
	}
}
