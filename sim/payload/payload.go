package payload

import (
	"iter"
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
	// List is set on an answer that is a list of values. Such an answer says less
	// than its request.
	List bool
}

// A Reader describes a segment: an event with a payload, which its Peer has sent. Before are
// the earlier ones of the same connection, in either direction, in the order in which they
// came: some protocols can be read only by who knows them. It must accept any bytes, since
// traces come from untrusted files.
type Reader func(segment *sim.Event, before iter.Seq[*sim.Event]) Message

var readers = map[string]Reader{}

// Register sets the reader of segments to and from servers of a kind, by the id of
// their store. The package of these servers calls it in its initialisation. It
// panics if the kind has a reader already.
func Register(server string, read Reader) {
	if readers[server] != nil {
		panic("payload: " + server + " is registered twice")
	}
	readers[server] = read
}

// Of describes a segment to or from a server of the kind, of a run with these events. If the
// kind has no reader, the segment is shown as text.
func Of(server string, events []sim.Event, segment *sim.Event) Message {
	read := readers[server]
	if read == nil {
		return Message{Text: Plain(segment.Payload)}
	}
	return read(segment, func(yield func(*sim.Event) bool) {
		for i := range events {
			e := &events[i]
			if e.Seq >= segment.Seq || e.Conn == segment.Conn && len(e.Payload) > 0 && !yield(e) {
				return
			}
		}
	})
}

// Plain is a segment as text, with Go's escape sequences for unprintable
// characters.
func Plain(segment []byte) string {
	head := segment[:min(len(segment), 4*Most)]
	return wording.Fit(wording.Printable(strings.TrimSpace(string(head))), Most)
}
