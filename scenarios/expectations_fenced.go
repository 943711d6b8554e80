package scenarios

// fencedExpectations are those of the locks whose leases have tokens.
var fencedExpectations = []Expectations{
	{"setpx-fenced", "It has two holders wherever setpx has, and the resource refuses the older one's token, so that no update is lost; but its counter is on the node of its key, and is forgotten with it: then a token repeats.", []Expectation{
		{Scenario: "failover-loss", Must: limits(twoHolders, twoTokens), May: limits(harm)},
		{Scenario: "gc-pause", Must: limits(twoHolders)},
		{Scenario: "two-step-release", Must: limits(twoHolders), May: all(tooLate, twoHolders, leftKey), Reason: looksAtNoClock + " " + cleansUpNothing},
		{Scenario: "partition", Must: limits(twoHolders, twoTokens), May: all(tooLate, twoHolders, eitherClass(harm)), Reason: looksAtNoClock + " Where the answer comes late through a partition, and the counter is forgotten meanwhile, the next token is the same, and the resource refuses nothing."},
		{Scenario: "node-restart", Must: limits(twoHolders, twoTokens), May: limits(harm)},
		{Scenario: "server-clock-jump", Must: limits(twoHolders)},
		{Scenario: "late-reply", Must: all(tooLate, twoHolders), May: limits(twoHolders), Reason: looksAtNoClock},
		{Scenario: "lost-reply", Settings: set("weak=1"), Must: unthanked, Reason: doneAlready},
		{Scenario: "hung-node", Settings: set("weak=1"), Must: lateKey, Reason: askedTwice},
		{Scenario: "cancel", Must: leftKey},
		{Scenario: "watchdog-late", Must: tooLate, May: eitherClass(twoHolders), Reason: notRenewed},
	}},
	{"setpx-fenced-elsewhere", "Its tokens do not repeat when the lock's node forgets, so two holders do no harm; they do when the counter's node does, which its replica prevents but in a restart.", []Expectation{
		{Scenario: "failover-loss", May: limits(twoHolders)},
		{Scenario: "gc-pause", Must: limits(twoHolders)},
		{Scenario: "two-step-release", Must: limits(twoHolders), May: all(tooLate, twoHolders, leftKey), Reason: looksAtNoClock + " " + cleansUpNothing},
		{Scenario: "partition", Must: limits(twoHolders), May: all(tooLate, twoHolders, limits(twoTokens)), Reason: "A primary that is cut off may let one in after its successor has, with the greater token."},
		{Scenario: "node-restart", Must: limits(twoHolders, twoTokens), May: limits(harm)},
		{Scenario: "server-clock-jump", Must: limits(twoHolders)},
		{Scenario: "late-reply", Must: all(tooLate, twoHolders), May: limits(twoHolders), Reason: looksAtNoClock},
		{Scenario: "lost-reply", Settings: set("weak=1"), Must: unthanked, Reason: doneAlready},
		{Scenario: "hung-node", Settings: set("weak=1"), Must: lateKey, Reason: askedTwice},
		{Scenario: "cancel", Must: leftKey},
		{Scenario: "watchdog-late", Must: tooLate, May: eitherClass(twoHolders), Reason: notRenewed},
	}},
}
