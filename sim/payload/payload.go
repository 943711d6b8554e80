package payload

import (
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
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

// A Reader describes a segment. It must accept any bytes, since traces come from
// untrusted files.
type Reader func(segment []byte) Message

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

// Of describes a segment to or from a server of the kind. If the kind has no
// reader, the segment is shown as text.
func Of(server string, segment []byte) Message {
	if read := readers[server]; read != nil {
		return read(segment)
	}
	return Message{Text: Plain(segment)}
}

// Plain is a segment as text, with Go's escape sequences for unprintable
// characters.
func Plain(segment []byte) string {
	head := segment[:min(len(segment), 4*Most)]
	return wording.Fit(wording.Printable(strings.TrimSpace(string(head))), Most)
}
