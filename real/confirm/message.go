package confirm

import "github.com/lockpick-dev/lockpick/real/internal/gate"

// Message is a message that one end of a connection sends. Conversation reads the messages of both ends, and Stream cuts
// what they send into frames. A Conversation of a store with sessions is a Sessional one.
type (
	Message      = gate.Message
	Conversation = gate.Conversation
	Sessional    = gate.Sessional
	Stream       = gate.Stream
)
