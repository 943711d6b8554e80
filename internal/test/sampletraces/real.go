package sampletraces

import (
	"time"

	"github.com/lockpick-dev/lockpick/traces"
)

// Confirmed returns the paused client again, with results on two versions of a server: it was confirmed on
// one, and not on the other.
func Confirmed() *traces.Trace {
	t := GCPause()
	t.Confirmations = []traces.Confirmation{
		{Server: "redis-server 7.0.15", Client: "go-redis v9.0.5", Platform: "linux/amd64", Of: 20, Confirmed: 19, Mean: 3400 * time.Millisecond, When: "2026-01-31T12:00:00Z"},
		{Server: "redis-server 8.0.0", Client: "go-redis v9.0.5", Platform: "linux/amd64", Of: 20, Mean: 6 * time.Second, When: "2026-02-01T12:00:00Z"},
	}
	return t
}

// Real returns the paused client as a run on a real server.
func Real() *traces.Trace {
	t := GCPause()
	t.Tape, t.Hash, t.Schedule = nil, "", -1
	t.Real = &traces.Real{
		Server: "redis-server 7.0.15", Client: "go-redis v9.0.5", Platform: "linux/amd64", When: "2026-01-31T12:00:00Z", Try: 2, Simulated: GCPause().Hash,
	}
	return t
}
