package traces

import "github.com/lockpick-dev/lockpick/model"

// undescribed are the descriptions of properties for traces from before traces carried them, by id. It is frozen: such
// traces are explained and drawn as they always were. Later properties are described in the traces.
var undescribed = map[string]model.Description{
	"mutual-exclusion":   {Asks: "No two clients believe at the same time that they hold the lock.", Window: "several clients believe that they hold it", Pair: "both believe that they hold it", Subject: model.Overlap, Consequence: 1},
	"overrun":            {Asks: "No client touches the resource after its claim to the lock has ended.", Window: "access after the claim has ended", Breaks: model.AtEnd, Harm: model.FirstHarm, Subject: model.LateAccess},
	"no-lost-update":     {Asks: "Every accepted write follows from the value that its client had read.", Window: "an update is lost", Harm: model.LastHarm, Consequence: model.Damage},
	"fencing":            {Asks: "Tokens grow strictly in the order in which the lock was granted.", Window: "tokens do not grow", Breaks: model.AtEnd},
	"linearizable":       {Asks: "What the clients were told fits some order of their calls that a lock allows.", Window: "no order explains this", Breaks: model.AtClaim, Consequence: 2},
	"lease-honesty":      {Asks: "While a client believes that it holds the lock, the {serving} holds it for that client.", Window: "believed, but not true"},
	"owner-only-release": {Asks: "Nobody removes a live lock that is not its own.", Window: "another's lock is removed", Harm: model.FirstHarm},
	"truthful-acquire":   {Asks: "Acquire reports success only for a lock that {store} has given, and while that lasts.", Window: "acquired, but not held", Breaks: model.AtEnd},
	"truthful-release":   {Asks: "Release reports success only if the lock was still its own.", Window: "released what was not its own", Breaks: model.AtEnd},
	"release-denied":     {Asks: "Release does not say “not held” after removing its own lock.", Window: "removed, yet told “not held”"},
	"truthful-extend":    {Asks: "Extend reports success only if the lock was held without a gap.", Window: "extended what was not held", Breaks: model.AtEnd},
	"no-orphan":          {Asks: "No {record} is left behind by an acquisition that failed or was released.", Window: "an orphan blocks the others"},
	"late-orphan":        {Asks: "No request that arrives after the clean-up leaves a {record} behind.", Window: "an orphan blocks the others"},
	"progress":           {Asks: "Once all faults are over, whoever waits gets the lock before long.", Window: "waits and does not get it", Moment: "still waits for the lock, which it should have by now"},
	"prompt-cancel":      {Asks: "Acquire, Extend and Release return soon after their context has ended.", Window: "cancelled, yet not back", Breaks: model.AtEnd},
	"bounded-wakeup":     {Asks: "A waiter gets the lock soon after its release, not only when it would have expired.", Window: "free, yet nobody is woken"},
	"busy-wait":          {Asks: "A waiter does not ask {store} again and again without a pause.", Window: "asks without a pause"},
	"vain-wait":          {Asks: "A client stops waiting when its {record} has ended with its session.", Window: "waits in vain"},
	"fair-order":         {Asks: "The lock is granted in the order in which it was asked for.", Window: "overtaken"},
}
