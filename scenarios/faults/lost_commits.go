package faults

import (
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

const lostCommit sim.Kind = "fault:lost-commit"

// LostCommits break connections when the answer to a commit is about to arrive: the
// transaction is committed, but the client does not learn it.
var LostCommits = &stage.Fault{
	Name: "lost-commits", Most: 64,
	About:  "how many answers of {store} to a commit may be lost with their connections",
	One:    "an answer of {store} to a commit that is lost with its connection",
	Many:   "answers of {store} to commits that are lost with their connections",
	Resets: true,
	Lacks:  unlessNode[stage.Committing]("{store} has no transactions that clients commit"),
	Inject: func(s *stage.Stage, budget int) {
		loseAnswers(s, budget, lostCommit, lostCommitOdds, func(n stage.Node, c *sim.Conn) bool {
			commits, can := n.(stage.Committing)
			return can && commits.Acknowledges(c)
		})
	},
	Kinds:    []sim.Kind{lostCommit},
	Describe: describeLost,
}

// lostCommitOdds makes the loss likelier than that of other answers: a run has a dozen
// commits.
const lostCommitOdds = 10
