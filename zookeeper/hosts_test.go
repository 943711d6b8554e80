package zookeeper

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/zookeeper/real"
)

// TestRoute: a real client tries the addresses in the order of its environment, and pauses after each round.
func TestRoute(t *testing.T) {
	addresses := []string{"a:1", "b:1", "c:1"}
	for order, want := range map[string]string{ // unordered: each by itself
		"[2,0,1]": "*zookeeper.routed", "": "*zk.DNSHostProvider", "[2,0]": "*zk.DNSHostProvider", "[2,0,3]": "*zk.DNSHostProvider", "{": "*zk.DNSHostProvider",
	} {
		t.Setenv(real.HostsVariable, order)
		if got := typeOf(route(addresses)); got != want {
			t.Errorf("%s: %s, want %s", order, got, want)
		}
	}
	t.Setenv(real.HostsVariable, "[2,0,1]")
	h := route(addresses)
	if err := h.Init([]string{"b:1", "c:1", "a:1"}); err != nil {
		t.Fatal(err)
	}
	var tried []string
	for range 5 {
		host, again := h.Next()
		if again {
			host += " again"
		}
		tried = append(tried, host)
	}
	if want := []string{"c:1", "a:1", "b:1", "c:1 again", "a:1"}; !slices.Equal(tried, want) {
		t.Errorf("%q, want %q", tried, want)
	}
}

func typeOf(v any) string { return fmt.Sprintf("%T", v) }
