package payload

import (
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
)

// Most is the largest number of characters in the text of a segment.
const Most = 72

// Message describes a segment.
type Message struct {
	// Text is the content in a few words, at most about [Most] characters, all
	// printable.
	Text string
	// List is set on an answer that is a list of values. Such an answer is less
	// informative than its request.
	List bool
	// Aside is set on a segment that only serves the protocol, such as a greeting, a ping or the
	// preparation of a statement. It never decides who has a lock.
	Aside bool
}

// A Reader describes the segments of one connection, in both directions. It is called with all
// segments in order, because in some protocols a segment depends on earlier ones. A segment is an
// event with a payload that the event's Peer has sent. A Reader must accept any bytes, since traces
// come from untrusted files.
type Reader func(segment *sim.Event) Message

// Each returns the function to register for a protocol in which no segment depends on
// earlier ones.
func Each(read func(payload []byte) Message) func() Reader {
	return func() Reader {
		return func(segment *sim.Event) Message { return read(segment.Payload) }
	}
}

var readers = map[string]func() Reader{}

// Register sets the function that opens a reader for each connection to a server. Server is the id
// of the server's store. The package of the servers calls Register in an init function. It panics
// if the store has a function already.
func Register(server string, open func() Reader) {
	if readers[server] != nil {
		panic("payload: " + server + " is registered twice")
	}
	readers[server] = open
}

// Plain returns a segment as text, with Go's escape sequences for unprintable
// characters.
func Plain(segment []byte) string {
	head := segment[:min(len(segment), 4*Most)]
	return wording.Fit(wording.Printable(strings.TrimSpace(string(head))), Most)
}
