package simzk

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

func init() {
	payload.Register("zookeeper", func() payload.Reader { return conversation{}.read })
}

// conversation has the requests of a connection, by their numbers: what the body of an answer means
// depends on what it answers.
type conversation map[int32]asked

// asked is a request, and the side that made it.
type asked struct {
	op opcode
	by string
}

// read describes a segment of ZooKeeper's protocol in a few words: the request, as
// "create /lock/n- (ephemeral, sequential)", or the reply, as "ok 0x100000002 /lock/n-0000000000".
// Several frames in one segment are separated by semicolons. It takes any bytes: what is not of
// the protocol is shown as text.
func (c conversation) read(e *sim.Event) payload.Message {
	segment := e.Payload
	const most = 3 // frames spelled out
	var parts []string
	list, aside, rest := false, true, segment
	for len(rest) >= 4 && len(parts) < most {
		size := int(binary.BigEndian.Uint32(rest))
		if size < 8 || size > maxFrame {
			return payload.Message{Text: payload.Plain(segment)}
		}
		if len(rest) < 4+size {
			parts = append(parts, "(cut off)")
			rest = nil
			break
		}
		text, isList := c.frameText(rest[4:4+size], e.Peer)
		parts, list, aside = append(parts, text), list || isList, aside && isAside(rest[4:4+size])
		rest = rest[4+size:]
	}
	if len(parts) == 0 {
		return payload.Message{Text: payload.Plain(segment)}
	}
	if len(rest) > 0 {
		parts = append(parts, "…")
	}
	return payload.Message{Text: wording.Fit(wording.Printable(strings.Join(parts, "; ")), payload.Most), List: list, Aside: aside && len(rest) == 0}
}

// isAside reports whether a frame is of the connection, the first one either way or a ping, or an event
// of a watch, which answers no request.
func isAside(frame []byte) bool {
	first := (&decoder{rest: frame}).int()
	return first == 0 || first == xidOfPings || first == xidOfEvents
}

// frameText describes one frame of the given sender. Its direction is not known: the first frame either
// way begins with 0, and a request is a frame that is all of one, unless the other side has made the
// request of its number.
func (c conversation) frameText(frame []byte, from string) (text string, list bool) {
	d := decoder{rest: frame}
	first := d.int()
	switch {
	case first == 0:
		return connectText(frame), false
	case first == xidOfEvents:
		d.long()
		d.int()
		return strings.TrimSpace("event: " + eventText(&d)), false
	case first == xidOfPings && len(frame) == 8:
		return "ping", false
	case first == xidOfPings:
		return "pong", false
	}
	request, found := c[first]
	if r, err := parseRequest(frame); (!found || request.by == from) && err == nil && r.whole(frame) {
		c[first] = asked{r.op, from}
		return r.text(), false
	}
	if !found {
		return replyText(&d, opError)
	}
	return replyText(&d, request.op)
}

// xidOfPings takes the place of a request's xid in pings.
const xidOfPings = -2

// connectText describes the first frame of a connection, or its answer.
func connectText(frame []byte) string {
	const answer = 4 + 4 + 8 + 4 + passwordLen
	if len(frame) > answer+1 {
		c, err := parseConnect(frame)
		switch {
		case err != nil:
			return "connect (malformed)"
		case c.session == 0:
			return fmt.Sprintf("connect, new session of %v", c.timeout)
		}
		return "connect, session " + SessionName(c.session)
	}
	d := decoder{rest: frame}
	d.int()
	timeout, id := d.int(), d.long()
	if id == 0 {
		return "session expired"
	}
	return fmt.Sprintf("session %s of %dms", SessionName(id), timeout)
}

func eventText(d *decoder) string {
	kind, _, path := d.int(), d.int(), d.string()
	what := map[int32]string{
		eventCreated: "created", eventDeleted: "deleted", eventDataChanged: "data changed", eventChildrenChanged: "children changed",
	}[kind]
	return strings.TrimSpace(path + " " + what)
}

// whole reports whether a frame is the request and nothing else.
func (r *request) whole(frame []byte) bool {
	if _, known := opNames[r.op]; !known || r.malformed || r.path != "" && r.path[0] != '/' {
		return false
	}
	d := decoder{rest: frame[8:]}
	(&request{op: r.op}).parse(&d)
	return !d.bad && len(d.rest) == 0 && (r.path != "" || r.op == opClose || r.op == opMulti || r.op == opSetWatches)
}

// text describes a request.
func (r *request) text() string {
	text := strings.TrimSpace(r.op.String() + " " + r.path)
	switch {
	case r.op == opMulti:
		var parts []string
		for _, o := range r.ops {
			parts = append(parts, o.text())
		}
		return "multi: " + strings.Join(parts, ", ")
	case r.op == opSetWatches:
		return "setWatches " + strings.Join(append(append(r.dataWatches, r.existWatches...), r.childWatches...), " ")
	case r.watch:
		text += ", watch"
	case r.flags == flagEphemeral|flagSequential:
		text += " (ephemeral, sequential)"
	case r.flags == flagEphemeral:
		text += " (ephemeral)"
	case r.flags == flagSequential:
		text += " (sequential)"
	}
	return text
}

// replyText describes a reply to a request. Of its body a path, or a list of names, is shown. To an
// unknown request, opError, a body is taken for a path if it is one and nothing else.
func replyText(d *decoder, request opcode) (text string, list bool) {
	zxid, c := d.long(), code(d.int())
	if d.bad {
		return "(malformed)", false
	}
	if c != codeOK {
		return c.String(), false
	}
	text = fmt.Sprintf("ok 0x%x", zxid)
	switch request {
	case opCreate, opCreate2, opCreateContainer, opCreateTTL, opSync, opError:
		if path := d.string(); strings.HasPrefix(path, "/") && (request != opError || len(d.rest) == 0) {
			return text + " " + path, false
		}
	case opGetChildren, opGetChildren2:
		if names := d.strings(); len(names) > 0 && len(names) < 100 {
			return text + " " + strings.Join(names, " "), true
		}
	}
	return text, false
}
