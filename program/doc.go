// Package program has the rules that a program has to keep. A program is code that uses locks and stores,
// and is not a lock itself; locktest.CheckProgram searches for runs in which it breaks a rule.
//
//	var rules = []program.Rule{
//		program.AtMostOnce("no reminder is sent twice", "mail"),
//		program.Always("the stock is never negative"),
//		program.Sometimes("a process takes over after a crash"),
//		program.Progress("every worker progresses", 10*time.Second),
//		program.Linearizable("no count is lost", "counter", models.Counter(0)),
//	}
//
// The first argument of each is the rule in its author's words. A finding begins with it, and its
// lower-case letters and digits, joined by hyphens, are the rule's ID in files and on command lines.
//
// # How rules learn of a run
//
// The program's processes make statements: p.Effect("mail", id), p.Always(n >= 0, "the stock is never
// negative", n), p.Do("counter", models.Add{N: 1}, func() (any, error) { ... }). The history of a run has
// them in the order of its events, and a rule judges the history. So a rule sees all processes and all
// their lives, and needs no state of its own. The names are those of Antithesis' SDK
// (https://antithesis.com/docs/properties_assertions), and of Jepsen's workloads.
//
// # Rules that nothing can break
//
// A rule is reached when a run could have broken it: Always by the first check, AtMostOnce by the first
// effect, Progress by the first sign of life of a process after the last fault. Sometimes and Reachable
// are reached when they hold. A rule that is reached in no schedule of a search makes the search vacuous.
//
// # Threads
//
// Rules are immutable, and may be used by several searches at once.
package program
