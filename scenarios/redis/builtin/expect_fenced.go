package builtin

import "github.com/lockpick-dev/lockpick/internal/expect"

// fencedExpectations are those of the locks whose leases have tokens.
var fencedExpectations = []expect.Expectations{
	{Lock: "setpx-fenced", Reason: "It has two holders wherever setpx has, and the resource refuses the older one's token, so that no update is lost; but its counter is on the node of its key, and is forgotten with it: then a token repeats.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: expect.Limits(twoHolders, twoTokens), May: expect.Limits(harm)},
		{Scenario: "gc-pause", Must: expect.Limits(twoHolders)},
		{Scenario: "two-step-release", Must: expect.Limits(twoHolders), May: expect.All(tooLate, twoHolders, leftKey), Reason: looksAtNoClock + " " + cleansUpNothing},
		{Scenario: "partition", Must: expect.Limits(twoHolders, twoTokens), May: expect.All(tooLate, twoHolders, expect.Either(harm)), Reason: looksAtNoClock + " Where the answer comes late through a partition, and the counter is forgotten meanwhile, the next token is the same, and the resource refuses nothing."},
		{Scenario: "node-restart", Must: expect.Limits(twoHolders, twoTokens), May: expect.Limits(harm)},
		{Scenario: "server-clock-jump", Must: expect.Limits(twoHolders)},
		{Scenario: "late-reply", Must: expect.All(tooLate, twoHolders), May: expect.Limits(twoHolders), Reason: looksAtNoClock},
		{Scenario: "late-request", May: leftKey, Reason: cleansUpNothing},
		{Scenario: "lost-reply", Settings: expect.Set("weak=1"), Must: unthanked, Reason: doneAlready},
		{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: lateKey, Reason: askedTwice},
		{Scenario: "cancel", Must: leftKey},
		{Scenario: "watchdog-late", Must: tooLate, May: expect.Either(twoHolders), Reason: notRenewed},
	}},
	{Lock: "setpx-fenced-elsewhere", Reason: "Its tokens do not repeat when the lock's node forgets, so two holders do no harm; they do when the counter's node does, which its replica prevents but in a restart.", In: []expect.Expectation{
		{Scenario: "failover-loss", May: expect.Limits(twoHolders)},
		{Scenario: "gc-pause", Must: expect.Limits(twoHolders)},
		{Scenario: "two-step-release", Must: expect.Limits(twoHolders), May: expect.All(tooLate, twoHolders, leftKey), Reason: looksAtNoClock + " " + cleansUpNothing},
		{Scenario: "partition", Must: expect.Limits(twoHolders), May: expect.All(tooLate, twoHolders, expect.Limits(twoTokens)), Reason: "A primary that is cut off may let one in after its successor has, with the greater token."},
		{Scenario: "node-restart", Must: expect.Limits(twoHolders, twoTokens), May: expect.Limits(harm)},
		{Scenario: "server-clock-jump", Must: expect.Limits(twoHolders)},
		{Scenario: "late-reply", Must: expect.All(tooLate, twoHolders), May: expect.Limits(twoHolders), Reason: looksAtNoClock},
		{Scenario: "late-request", May: leftKey, Reason: cleansUpNothing},
		{Scenario: "lost-reply", Settings: expect.Set("weak=1"), Must: unthanked, Reason: doneAlready},
		{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: lateKey, Reason: askedTwice},
		{Scenario: "cancel", Must: leftKey},
		{Scenario: "watchdog-late", Must: tooLate, May: expect.Either(twoHolders), Reason: notRenewed},
	}},
}
