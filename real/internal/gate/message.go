package gate

import (
	"errors"
	"slices"
	"time"
)

// Message is a message that one end of a connection sends. Between a client and its server there is one stream of messages
// each way; both keep their order, so a held message holds those after it.
type Message struct {
	// Bytes are passed on unchanged.
	Bytes []byte
	// Signature is the content of a request, or of a message that comes unasked, without the parts that differ from run to
	// run: tokens, hashes of scripts. It is empty for answers, and for messages that only serve the connection, which always
	// pass.
	Signature string
	// Number is a request's number on its connection, and for an answer that of its request. It is 0 for requests without an
	// answer, and for messages that come unasked. Of several messages with a request's number the first is its answer.
	Number int
	// Failed is set on an answer that is an error.
	Failed bool
	// Session is set on an answer that renews a session; the session then lives for Lives from the request.
	Session string
	Lives   time.Duration
	// Version is set on an answer: the last change of the records that its server knew, 0 if it has none.
	Version int64
}

// Conversation reads the messages of both ends of one connection, in the order in which they pass: a request before its
// answer. Both methods return complete messages, and keep an incomplete one until more has come. They accept any bytes,
// since traces come from anywhere. After an error nothing more can be read. A Conversation is not safe for concurrent use.
type Conversation interface {
	Client(sent []byte) ([]Message, error)
	Server(sent []byte) ([]Message, error)
}

// Sessional is a [Conversation] of a store with sessions. Session returns the connection's session, empty if there is none
// yet.
type Sessional interface{ Session() string }

// Stream cuts the bytes of one end into frames.
type Stream struct{ rest []byte }

// mostRest is the maximum length of an incomplete frame, in bytes.
const mostRest = 64 << 20

// Cut returns the complete frames. Size returns the length of the first frame, 0 if it is incomplete. The frames are not
// changed later.
func (s *Stream) Cut(sent []byte, size func([]byte) (int, error)) (frames [][]byte, err error) {
	s.rest = append(s.rest, sent...)
	for len(s.rest) > 0 {
		n, err := size(s.rest)
		if err != nil {
			return frames, err
		}
		if n <= 0 || n > len(s.rest) {
			break
		}
		frames = append(frames, slices.Clone(s.rest[:n]))
		s.rest = s.rest[n:]
	}
	if len(s.rest) > mostRest {
		return frames, errors.New("a frame is longer than 64 MB")
	}
	return frames, nil
}
