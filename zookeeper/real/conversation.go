package real

import (
	"encoding/binary"
	"errors"
	"regexp"
	"time"

	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/zookeeper/simzk"
)

// connect is the signature of the first frame of a connection, which asks for a session, or to go on with one.
const connect = "connect"

const (
	prefix  = 4        // of a frame: the length of what follows
	longest = 64 << 20 // frame in bytes
)

// conversation is a connection. Its first frame each way is about the session; then a request has one answer, which has
// its number, and events come unasked.
type conversation struct {
	client, server confirm.Stream
	opened, ready  bool // the client, the server has sent its first frame
	session        string
	timeout        time.Duration
	asked          int
	open           map[int32][]int // requests that have not been answered, by their numbers: those of pings are equal
}

// Converse begins to read a connection.
func (store) Converse() confirm.Conversation { return &conversation{open: map[int32][]int{}} }

// size is the length of the first frame.
func size(b []byte) (int, error) {
	if len(b) < prefix {
		return 0, nil
	}
	n := binary.BigEndian.Uint32(b)
	if n > longest {
		return 0, errors.New("a frame is longer than 64 MB")
	}
	return prefix + int(n), nil
}

// Client reads requests.
func (c *conversation) Client(sent []byte) (list []confirm.Message, err error) {
	frames, err := c.client.Cut(sent, size)
	for _, f := range frames {
		m := confirm.Message{Bytes: f}
		if !c.opened {
			c.opened = true
			c.ask(&m, 0, connect)
		} else if r, err := simzk.ReadRequest(f[prefix:]); err == nil {
			c.ask(&m, r.Number, signature(r))
		}
		list = append(list, m)
	}
	return list, err
}

// ask notes a request.
func (c *conversation) ask(m *confirm.Message, number int32, signature string) {
	c.asked++
	m.Number, m.Signature = c.asked, signature
	c.open[number] = append(c.open[number], c.asked)
}

// Server reads answers and events. An answer says that its session lives on.
func (c *conversation) Server(sent []byte) (list []confirm.Message, err error) {
	frames, err := c.server.Cut(sent, size)
	for _, f := range frames {
		m := confirm.Message{Bytes: f}
		if !c.ready {
			c.ready = true
			c.session, c.timeout = simzk.ReadOpened(f[prefix:])
			c.answer(&m, 0, false)
		} else if a, err := simzk.ReadAnswer(f[prefix:]); err == nil {
			if m.Signature = masked(a.Event); a.Event == "" {
				c.answer(&m, a.Number, a.Expired)
				m.Version = max(a.Transaction, 0)
			}
		}
		list = append(list, m)
	}
	return list, err
}

// answer notes what a frame answers.
func (c *conversation) answer(m *confirm.Message, number int32, expired bool) {
	open := c.open[number]
	if len(open) == 0 {
		return
	}
	m.Number, c.open[number] = open[0], open[1:]
	if c.session != "" && !expired {
		m.Session, m.Lives = c.session, c.timeout
	}
}

// signature is what a request asks for. Watches are set again in the order of a map.
func signature(r simzk.Request) string {
	if r.Op == "setWatches" || r.Op == "setWatches2" {
		return r.Op
	}
	return masked(r.Text)
}

// numbers are parts of paths that differ from run to run: those of protected znodes, of sessions, and of sequences.
var numbers = regexp.MustCompile(`\b0x[0-9a-f]+\b|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|-?[0-9]{10}\b`)

func masked(text string) string { return numbers.ReplaceAllString(text, "*") }
