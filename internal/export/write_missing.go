package export

import (
	"strconv"
	"strings"
)

// missingBody is the test of a sentinel that does not answer.
func (s *Script) missingBody(b *Bundle, construct string) string {
	b.Call("Release")
	text := `func NAME(t *testing.T) {
	deployed := «PARTS.StartSentinels»(t, COUNT)
	const ttl, bound = TTL, 30 * time.Second
`
	if s.missing.later {
		text += `	c1 := CONSTRUCT(«PARTS.NewClient»(t, "c1", ttl, deployed.Addresses()...))
	acquire := func() error {
		ctx, cancel := «context.WithTimeout»(t.Context(), bound)
		defer cancel()
		lease, err := c1.Acquire(ctx)
		for ; err != nil && ctx.Err() == nil; lease, err = c1.Acquire(ctx) {
			t.Logf("Acquire: %v", err)
		}
		if err != nil {
			return err
		}
		return lease.Release(ctx)
	}
	if err := acquire(); err != nil {
		t.Fatal(err)
	}
	// The machine of the sentinel that the client listens to is gone: nobody answers there any more. The Redis and the
	// other sentinels go on. The client needs a new connection, as after each restart or failover.
	deployed.Chosen(t).Vanish(t)
	deployed.Disconnect(t)
	if err := acquire(); err != nil {
		t.Errorf("PROPERTY: nobody has the lock, and a client does not get it in %v: %v", bound, err)
	}
}
`
	} else {
		text += `	// The machine of one sentinel is missing: nobody answers there. The Redis and the other sentinels do.
	deployed.Machines[0].Vanish(t)
	for i := range 20 { // each client asks the sentinels in a random order of its own
		c := CONSTRUCT(«PARTS.NewClient»(t, «fmt.Sprint»("c", i), ttl, deployed.Addresses()...))
		ctx, cancel := «context.WithTimeout»(t.Context(), bound)
		defer cancel()
		lease, err := c.Acquire(ctx)
		for ; err != nil && ctx.Err() == nil; lease, err = c.Acquire(ctx) {
			t.Logf("Acquire of c%d: %v", i, err)
		}
		if err != nil {
			t.Errorf("PROPERTY: nobody has the lock, and c%d does not get it in %v: %v", i, bound, err)
			return
		}
		if err := lease.Release(ctx); err != nil {
			t.Fatal(err)
		}
	}
}
`
	}
	text = strings.NewReplacer("NAME", s.TestName(), "COUNT", strconv.Itoa(s.missing.sentinels), "TTL", duration(s.ttl),
		"CONSTRUCT", construct, "PARTS", partsPath, "PROPERTY", s.verdict.Property).Replace(text)
	return strings.ReplaceAll(text, "time.", "«time.»")
}
