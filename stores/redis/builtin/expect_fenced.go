package builtin

import (
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// fencedExpectations are those of the locks whose leases have tokens.
var fencedExpectations = []expect.Expectations{
	{Lock: "setpx-fenced", Reason: "It has two holders wherever setpx has, but the resource refuses the older token, so that no update is lost. Its counter is on the same node as its key, and is lost with it: then a token repeats.", In: append([]expect.Expectation{
		{Scenario: "failover-loss", Must: expect.Limits(twoHolders, twoTokens), May: expect.Limits(harm)},
		{Scenario: "partition", Must: expect.Limits(twoHolders, twoTokens), May: expect.All(tooLate, twoHolders, expect.Either(harm)), Reason: looksAtNoClock + " If an answer comes late through a partition and the counter is lost meanwhile, the next token is the same, and the resource refuses nothing."},
	}, likeFenced...)},
	{Lock: "setpx-fenced-elsewhere", Reason: "Its tokens do not repeat when the lock's node loses data, so two holders do no harm. They repeat when the counter's node does, which its replica prevents except in a restart.", In: append([]expect.Expectation{
		{Scenario: "failover-loss", May: expect.Limits(twoHolders)},
		{Scenario: "partition", Must: expect.Limits(twoHolders), May: expect.All(tooLate, twoHolders, expect.Limits(twoTokens)), Reason: "A primary that is cut off may grant the lock after its successor has, with the greater token."},
	}, likeFenced...)},
}

// likeFenced is what is expected of both wherever the counter lies.
var likeFenced = []expect.Expectation{
	{Scenario: "gc-pause", Must: expect.Limits(twoHolders)},
	{Scenario: "two-step-release", Must: expect.Limits(twoHolders), May: expect.All(tooLate, twoHolders, leftKey), Reason: looksAtNoClock + " " + cleansUpNothing},
	{Scenario: "node-restart", Must: expect.Limits(twoHolders, twoTokens), May: expect.Limits(harm)},
	{Scenario: "server-clock-jump", Must: expect.Limits(twoHolders)},
	{Scenario: "late-reply", Must: expect.All(tooLate, twoHolders), May: expect.Limits(twoHolders), Reason: looksAtNoClock},
	{Scenario: "late-request", May: leftKey, Reason: cleansUpNothing},
	{Scenario: "lost-reply", Settings: expect.Set("weak=1"), Must: unthanked, Reason: doneAlready},
	{Scenario: "hung-node", Settings: expect.Set("weak=1"), Must: lateKey, Reason: askedTwice},
	{Scenario: "cancel", Must: leftKey},
	{Scenario: "watchdog-late", Must: tooLate, May: expect.All(expect.Either(twoHolders), expect.Faults(checker.Fencing)), Reason: notRenewed + " A late answer that grants the lock brings a token that is older than the next holder's."},
	{Scenario: "lost-wakeup", May: leftKey, Reason: cleansUpNothing},
}
