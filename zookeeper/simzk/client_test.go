package simzk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"
)

// frames is a connection on which frames are sent and received, byte for byte.
type frames struct{ net.Conn }

// send sends frames as one segment. If the other end has hung up, receiving tells.
func (f frames) send(list ...[]byte) {
	var b []byte
	for _, frame := range list {
		b = binary.BigEndian.AppendUint32(b, uint32(len(frame)))
		b = append(b, frame...)
	}
	_, _ = f.Write(b)
}

// receive returns the next frame.
func (f frames) receive(patience time.Duration) ([]byte, error) {
	_ = f.SetReadDeadline(time.Now().Add(patience))
	header := make([]byte, 4)
	if _, err := io.ReadFull(f, header); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(header))
	_, err := io.ReadFull(f, frame)
	return frame, err
}

// ending is how receiving ended, in a word that does not depend on the kind of
// connection.
func ending(err error) string {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return "nothing"
	}
	return "closed"
}

// teller puts frames of servers into words. Zxids are counted from a first one,
// sessions from 1.
type teller struct {
	first    int64
	sessions map[int64]string
}

// zxid is a zxid in words. Znodes that every ensemble has, and replies whatever
// the state, have none.
func (t *teller) zxid(z int64) string {
	if z <= 0 {
		return "none"
	}
	return fmt.Sprintf("z%+d", z-t.first)
}

// session is the name of a session.
func (t *teller) session(id int64) string {
	if id == 0 {
		return "-"
	}
	if _, known := t.sessions[id]; !known {
		t.sessions[id] = fmt.Sprint("session", len(t.sessions)+1)
	}
	return t.sessions[id]
}

// event is an event without its header.
func (t *teller) event(body []byte) string {
	d := decoder{rest: body}
	return fmt.Sprintf("event type %d state %d %q", d.int(), d.int(), d.string()) + rest(&d)
}

// body is what a reply to a request says behind its header.
func (t *teller) body(op opcode, body []byte) string {
	d := decoder{rest: body}
	var words []string
	say := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	switch op {
	case opCreate, opSync:
		say("%q", d.string())
	case opCreate2:
		say("%q %s", d.string(), t.stat(&d))
	case opExists, opSetData, opSetACL:
		say("%s", t.stat(&d))
	case opGetData:
		say("%#v %s", d.buffer(), t.stat(&d))
	case opGetACL:
		say("%v %s", d.acls(), t.stat(&d))
	case opGetChildren:
		say("%q", d.strings())
	case opGetChildren2:
		say("%q %s", d.strings(), t.stat(&d))
	case opMulti:
		say("%s", t.results(&d))
	}
	return strings.Join(words, " ") + rest(&d)
}

func (t *teller) results(d *decoder) string {
	var words []string
	for !d.bad {
		op, done, c := opcode(d.int()), d.bool(), code(d.int())
		word := fmt.Sprintf("%v %v %v", op, done, c)
		switch {
		case done:
			return strings.Join(append(words, word), "; ")
		case op == opError:
			word += fmt.Sprint(" ", code(d.int()))
		case op == opCreate:
			word += fmt.Sprintf(" %q", d.string())
		case op == opCreate2:
			word += fmt.Sprintf(" %q %s", d.string(), t.stat(d))
		case op == opSetData:
			word += " " + t.stat(d)
		}
		words = append(words, word)
	}
	return strings.Join(words, "; ")
}

// stat is a znode's stat. Of its times it says only what does not depend on
// when things happened.
func (t *teller) stat(d *decoder) string {
	created, modified, ctime, mtime := d.long(), d.long(), d.long(), d.long()
	versions := fmt.Sprintf("version %d cversion %d aversion %d", d.int(), d.int(), d.int())
	owner, length, children, child := d.long(), d.int(), d.int(), d.long()
	times := "times"
	if ctime > mtime || created == modified && ctime != mtime {
		times = "WRONG TIMES"
	}
	return fmt.Sprintf("{%s %s %s %s %s owner %s length %d children %d}", t.zxid(created), t.zxid(modified), t.zxid(child),
		times, versions, t.session(owner), length, children)
}

// rest complains of a frame that is too long or too short.
func rest(d *decoder) string {
	switch {
	case d.bad:
		return " CUT OFF"
	case len(d.rest) > 0:
		return fmt.Sprintf(" AND %d BYTES", len(d.rest))
	}
	return ""
}
