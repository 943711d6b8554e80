package export

import (
	"strconv"
	"strings"
)

// The tests of a sentinel that does not answer.
const (
	missingHead = `func NAME(t *testing.T) {
	deployed := «PARTS.StartSentinels»(t, COUNT)
	const ttl, bound = TTL, 30 * time.Second
`
	missingLater = `	c1 := CONSTRUCT(«PARTS.NewClient»(t, "c1", ttl, deployed.Addresses()...))
	if err := «PARTS.AcquireWithin»(t, c1, bound); err != nil {
		t.Fatal(err)
	}
	// The machine of the sentinel that the client listens to is gone: nobody answers there any more. The Redis and the
	// other sentinels go on. The client needs a new connection, as after each restart or failover.
	deployed.Chosen(t).Vanish(t)
	deployed.Disconnect(t)
	if err := «PARTS.AcquireWithin»(t, c1, bound); err != nil {
		t.Errorf("PROPERTY: nobody has the lock, and a client does not get it in %v: %v", bound, err)
	}
}
`
	missingAtFirst = `	// The machine of one sentinel is missing: nobody answers there. The Redis and the other sentinels do.
	deployed.Machines[0].Vanish(t)
	for i := range 20 { // each client asks the sentinels in a random order of its own
		c := CONSTRUCT(«PARTS.NewClient»(t, «fmt.Sprint»("c", i), ttl, deployed.Addresses()...))
		if err := «PARTS.AcquireWithin»(t, c, bound); err != nil {
			t.Errorf("PROPERTY: nobody has the lock, and c%d does not get it in %v: %v", i, bound, err)
			return
		}
	}
}
`
)

// missingBody returns the test function.
func (s *Script) missingBody(construct string) string {
	text := missingHead + missingAtFirst
	if s.missing.later {
		text = missingHead + missingLater
	}
	text = strings.NewReplacer("NAME", s.TestName(), "COUNT", strconv.Itoa(s.missing.sentinels), "TTL", duration(s.ttl),
		"CONSTRUCT", construct, "PARTS", partsPath, "PROPERTY", s.verdict.Property).Replace(text)
	return strings.ReplaceAll(text, "time.", "«time.»")
}
