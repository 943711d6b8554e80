package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// lostReply loses an answer: the command was executed, and the connection breaks before
// its answer arrives. The client sends the command again on another connection. A repeated
// SET NX finds the lock taken, by its own client. A repeated DEL may remove another
// client's key. A repeated INCR counts twice. Answers of the handshake (HELLO, CLIENT
// SETINFO) are lost as well.
var lostReply = &Scenario{
	ID:      "lost-reply",
	Summary: "a command is executed and its connection breaks before the answer arrives",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Times(2, faults.LostReplies)},
	Happenings: []Happening{
		{Name: "an answer that granted the lock was lost", In: grantLost},
		{Name: "an answer to a release was lost", In: releaseAnswerLost},
	},
	Remedies: []Remedy{expiringLock, fencedLock},
}
