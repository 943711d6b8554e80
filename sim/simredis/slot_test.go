package simredis

import "testing"

// The vectors of the specification of Redis Cluster, and some slots that a redis-server reports.
func TestSlot(t *testing.T) {
	if got := crc16("123456789"); got != 0x31C3 {
		t.Errorf("crc16 is %x", got)
	}
	for key, want := range map[string]int{
		"": 0, "foo": 12182, "bar": 5061, "123456789": 12739, "somekey": 11058, "foo{hash_tag}": 2515, "bar{hash_tag}": 2515,
		"{user1000}.following": 3443, "{user1000}.followers": 3443, "foo{}{bar}": 8363, "foo{{bar}}zap": 4015,
		"foo{bar}{zap}": 5061, "foo{bar": 15278, "a}b{c}d": 7365,
	} {
		if got := Slot(key); got != want {
			t.Errorf("the slot of %q is %d, want %d", key, got, want)
		}
	}
}
