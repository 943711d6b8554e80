package real

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/zookeeper/realzk"
)

// TestMembers: the members of an ensemble elect whom they are to elect, also one that has died, or could not be heard.
func TestMembers(t *testing.T) {
	slowtest.SkipIfShort(t)
	realzk.Kind.Need(t)
	began := time.Now()
	servers, err := Store.StartMembers([]string{"a", "b", "c"}, []string{"b", "c"}, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("started after %v", time.Since(began))
	defer servers.Stop()
	m := servers.(*members)
	step := func(what string, do func() error) {
		t.Helper()
		began := time.Now()
		if err := do(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		t.Logf("%s: %v", what, time.Since(began))
	}
	leads := func(name string) {
		t.Helper()
		if !realzk.Leads(servers.Address(name)) {
			t.Errorf("%s does not lead", name)
		}
	}
	leads("b")
	step("b dies", func() error { return servers.Kill("b") })
	step("c is elected", func() error { return servers.Promote("c") })
	leads("c")
	step("b starts", func() error { return servers.Restart("b") })
	step("it serves", func() error { return m.serves("b") })
	step("c is cut off", func() error {
		return servers.Divide(func(from, to string) bool { return from == "c" || to == "c" })
	})
	step("b is elected", func() error { return servers.Promote("b") })
	leads("b")
	step("c is heard again", func() error { return servers.Divide(nil) })
	step("it serves", func() error { return m.serves("c") })
	step("b hangs", func() error { return servers.Hang("b", true) })
	step("c is elected", func() error { return servers.Promote("c") })
	leads("c")
	step("b goes on", func() error { return servers.Hang("b", false) })
	step("it serves", func() error { return m.serves("b") })
	if list, err := servers.Records("a"); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
	step("c dies", func() error { return servers.Kill("c") })
	step("it starts before another is elected", func() error { return servers.Restart("c") })
	if realzk.Leads(servers.Address("a")) || realzk.Leads(servers.Address("b")) || realzk.Leads(servers.Address("c")) {
		t.Error("somebody leads whom nobody wanted")
	}
	// With c, which has the same transactions and a higher number, a is not elected; and without it, b would win.
	other := (*confirm.Divergence)(nil)
	if err := servers.Promote("a"); !errors.As(err, &other) || !strings.Contains(other.Reason, "c is elected") {
		t.Errorf("a is elected: %v", err)
	}
	leads("c")
}
