package arms

import (
	"math/rand/v2"
	"time"

	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/real/stress"
)

// Proxy is a stress behind a fault proxy.
func Proxy() trial.Arm {
	return &stressed{
		id: "A", name: "stress + fault proxy", active: 5 * time.Second,
		about:  "Four client processes on a real server, behind a proxy with the toxics of Toxiproxy (latency with jitter, time-out, reset, down), drawn for one client or all about twice a second, for 0.1 to 2 s.",
		faults: func(r *rand.Rand) stress.Faults { return newProxy(r) },
	}
}

// toxic is what the proxy does to the connections of a client.
type toxic struct {
	until   time.Duration // since the beginning of the round
	latency time.Duration // of each message, each way
	jitter  time.Duration
	timeout bool // nothing passes until then, and connections are reset
}

// proxy has the toxics of each client. Like Toxiproxy it knows no protocol: a toxic is about all that its connections carry.
type proxy struct {
	random *rand.Rand
	toxics map[string]toxic
	next   time.Duration // of the next toxic
}

func newProxy(r *rand.Rand) *proxy { return &proxy{random: r, toxics: map[string]toxic{}} }

// Request delays or stops what a client sends.
func (p *proxy) Request(m stress.Message) stress.Fate { return p.passes(m) }

// Answer delays or stops what comes back.
func (p *proxy) Answer(m stress.Message) stress.Fate { return p.passes(m) }

func (p *proxy) passes(m stress.Message) stress.Fate {
	t := p.toxics[m.Client]
	switch {
	case m.At >= t.until:
		return stress.Fate{}
	case t.timeout:
		return stress.Fate{Late: t.until - m.At, Lost: true}
	}
	return stress.Fate{Late: max(t.latency+upTo(p.random, 2*t.jitter)-t.jitter, 0)}
}

// Act draws the next toxic.
func (p *proxy) Act(a stress.Acts) {
	if a.At() < p.next {
		return
	}
	p.next = a.At() + upTo(p.random, time.Second)
	clients := a.Clients()
	if p.random.IntN(4) > 0 {
		i := p.random.IntN(len(clients))
		clients = clients[i : i+1]
	}
	long := 100*time.Millisecond + upTo(p.random, 1900*time.Millisecond)
	kind, latency := p.random.IntN(6), upTo(p.random, a.Lease()/10)
	if p.random.IntN(3) == 0 {
		latency = upTo(p.random, a.Lease())
	}
	for _, c := range clients {
		switch kind {
		case 0, 1, 2:
			p.toxics[c] = toxic{until: a.At() + long, latency: latency, jitter: upTo(p.random, latency)}
		case 3:
			p.toxics[c] = toxic{until: a.At() + min(long, a.Lease()), timeout: true}
		case 4:
			a.Down(c, 0)
		case 5:
			a.Down(c, min(long, a.Lease()))
		}
	}
}
