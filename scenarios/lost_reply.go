package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// lostReply is the oldest trap of retries: the command was executed, and the
// connection breaks before its answer arrives. Its client sends it again on
// another connection. SET NX is then told that the lock is taken, by itself; DEL
// removes what may be somebody else's by now; an INCR counts twice. The answers
// of the hand-shake (HELLO, CLIENT SETINFO) are lost as well.
var lostReply = &Scenario{
	ID:      "lost-reply",
	Summary: "a command is executed and its connection breaks before the answer arrives",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Times(2, faults.LostReplies)},
	Happenings: []Happening{
		{"the answer was lost that granted the lock", grantLost},
		{"an answer to a release was lost", releaseAnswerLost},
	},
	Remedies: []Remedy{expiringLock, fencedLock},
}
