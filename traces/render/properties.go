package render

import "github.com/lockpick-dev/lockpick/traces"

// property is what a reader is told of a property.
type property struct {
	// asks is what the property asks of every run.
	asks string
	// window is what is the case while it is broken.
	window string
	// moment is what is told of the moment at which it breaks; the window's
	// text does if it is empty.
	moment string
}

// step is what is told of the moment at which the property breaks, if nobody
// does anything then.
func (p property) step() string {
	if p.moment != "" {
		return p.moment
	}
	return "from here on: " + p.window
}

// describeProperty explains a property in the words of the trace's store. One that is not known here is shown
// by its id alone.
func describeProperty(t *traces.Trace, id string) property {
	if p, known := properties[id]; known {
		p.asks = termsOf(t).Fill(p.asks)
		return p
	}
	return property{window: "it is broken"}
}

var properties = map[string]property{
	"mutual-exclusion":   {asks: "No two clients believe at the same time that they hold the lock.", window: "several clients believe that they hold it"},
	"overrun":            {asks: "No client touches the resource after its claim to the lock has ended.", window: "access after the claim has ended"},
	"no-lost-update":     {asks: "Every accepted write follows from the value that its client had read.", window: "an update is lost"},
	"fencing":            {asks: "Tokens grow strictly in the order in which the lock was granted.", window: "tokens do not grow"},
	"linearizable":       {asks: "What the clients were told fits some order of their calls that a lock allows.", window: "no order explains this"},
	"lease-honesty":      {asks: "While a client believes that it holds the lock, the {serving} holds it for that client.", window: "believed, but not true"},
	"owner-only-release": {asks: "Nobody removes a live lock that is not its own.", window: "another's lock is removed"},
	"truthful-acquire":   {asks: "Acquire reports success only for a lock that {store} has given, and while that lasts.", window: "acquired, but not held"},
	"truthful-release":   {asks: "Release reports success only if the lock was still its own.", window: "released what was not its own"},
	"release-denied":     {asks: "Release does not say “not held” after removing its own lock.", window: "removed, yet told “not held”"},
	"truthful-extend":    {asks: "Extend reports success only if the lock was held without a gap.", window: "extended what was not held"},
	"no-orphan":          {asks: "No {record} is left behind by an acquisition that failed or was released.", window: "an orphan blocks the others"},
	"late-orphan":        {asks: "No request that arrives after the clean-up leaves a {record} behind.", window: "an orphan blocks the others"},
	"progress":           {asks: "Once all faults are over, whoever waits gets the lock before long.", window: "waits and does not get it", moment: "still waits for the lock, which it should have by now"},
	"prompt-cancel":      {asks: "Acquire, Extend and Release return soon after their context has ended.", window: "cancelled, yet not back"},
	"bounded-wakeup":     {asks: "A waiter gets the lock soon after its release, not only when it would have expired.", window: "free, yet nobody is woken"},
	"busy-wait":          {asks: "A waiter does not ask {store} again and again without a pause.", window: "asks without a pause"},
	"vain-wait":          {asks: "A client stops waiting when its {record} has ended with its session.", window: "waits in vain"},
	"fair-order":         {asks: "The lock is granted in the order in which it was asked for.", window: "overtaken"},
}
