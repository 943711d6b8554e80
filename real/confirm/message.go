package confirm

import (
	"errors"
	"slices"
	"time"
)

// Message is what one end of a connection sends at once. Two streams of messages stand between a client and its
// server, one each way; both keep their order, so what is held holds what is behind it.
type Message struct {
	// Bytes are passed on as they are.
	Bytes []byte
	// Signature is what a request asks for, or what a message that comes unasked is about, without what differs from
	// run to run: tokens, hashes of scripts. It is empty for answers, and for what only serves the connection,
	// which always passes.
	Signature string
	// Number is a request's among those of its connection, and that of the request that an answer answers. It is
	// 0 for what has no answer, and for what comes unasked. Of several messages with a request's number the first
	// is its answer.
	Number int
	// Failed is set on an answer that is an error.
	Failed bool
	// Lives is set on an answer that renews a session for so long from the request.
	Session string
	Lives   time.Duration
	// Version is set on an answer that has the last change of the records that its server knew. It is
	// 0 if it has none.
	Version int64
}

// Conversation reads what the ends of one connection send, in the order in which it passes: a request before its
// answer. Both methods return the messages that are whole, and keep what is not until more has come. They take any
// bytes, since traces come from anywhere. An error means that nothing more can be read. It is not safe for concurrent use.
type Conversation interface {
	Client(sent []byte) ([]Message, error)
	Server(sent []byte) ([]Message, error)
}

// Sessional is a [Conversation] of a store with sessions. Session names the one of the connection, empty if there is none yet.
type Sessional interface{ Session() string }

// Stream cuts what one end sends into frames.
type Stream struct{ rest []byte }

// mostRest is the longest frame that is waited for, in bytes.
const mostRest = 64 << 20

// Cut returns the frames that are whole. Size is the length of the first frame of what is there, 0 if it is not
// whole. The frames are not changed later.
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
