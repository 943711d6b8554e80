package confirm

import "github.com/lockpick-dev/lockpick/real/internal/gate"

// Message is a message that one end of a connection sends.
type Message = gate.Message

// Conversation reads the messages of both ends of a connection.
type Conversation = gate.Conversation

// Sessional is the Conversation of a store with sessions.
type Sessional = gate.Sessional

// Stream cuts what one end of a connection sends into frames.
type Stream = gate.Stream
