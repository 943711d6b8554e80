package payload

import (
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// Most is how many characters the text of a segment has at most.
const Most = 72

// Message is what a segment carries.
type Message struct {
	// Text says it in a few words, at most about [Most] characters, all of which can
	// be printed.
	Text string
	// List is set on an answer that is a list of values: it says less than the request
	// that it answers.
	List bool
}

// A Reader says what a segment carries. It takes any bytes: those of a trace are a
// stranger's.
type Reader func(segment []byte) Message

var readers = map[string]Reader{}

// Register makes known how the segments are read that go to and from servers of a
// kind, by the id of their store. It is called by the initialisation of the package that has
// these servers, and panics if the kind has a reader already.
func Register(server string, read Reader) {
	if readers[server] != nil {
		panic("payload: " + server + " is registered twice")
	}
	readers[server] = read
}

// Of says what a segment to or from a server of the kind carries. Of a kind that
// nobody has registered, it is shown as it is.
func Of(server string, segment []byte) Message {
	if read := readers[server]; read != nil {
		return read(segment)
	}
	return Message{Text: Plain(segment)}
}

// Plain is a segment as text, what cannot be printed as Go's escape sequence of it.
func Plain(segment []byte) string {
	head := segment[:min(len(segment), 4*Most)]
	return wording.Fit(wording.Printable(strings.TrimSpace(string(head))), Most)
}
