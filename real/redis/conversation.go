package redis

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/lockpick-dev/lockpick/real/confirm"
)

// conversation is a connection. Answers come in the order of their requests; the messages of channels come in between.
type conversation struct {
	client, server confirm.Stream
	asked          int
	open           []asked // requests that have not been answered
	subscribed     bool
}

// asked is a request, and the kind of its answers if it subscribes or unsubscribes.
type asked struct {
	number   int
	channels string
}

// Converse begins to read a connection.
func (store) Converse() confirm.Conversation { return &conversation{} }

// Client reads requests.
func (c *conversation) Client(sent []byte) (list []confirm.Message, err error) {
	frames, err := c.client.Cut(sent, size)
	for _, f := range frames {
		c.asked++
		m, a := confirm.Message{Bytes: f, Number: c.asked}, asked{number: c.asked}
		if w := words(f); len(w) > 0 {
			m.Signature = signature(w)
			if command := strings.ToLower(w[0]); strings.HasSuffix(command, "subscribe") {
				a.channels, c.subscribed = command, true
			}
		}
		c.open = append(c.open, a)
		list = append(list, m)
	}
	return list, err
}

// Server reads answers, and messages of channels. One request to subscribe to several channels has several answers.
func (c *conversation) Server(sent []byte) (list []confirm.Message, err error) {
	frames, err := c.server.Cut(sent, size)
	for _, f := range frames {
		m := confirm.Message{Bytes: f}
		kind, channel := "", ""
		if c.subscribed || f[0] == '>' {
			kind, channel = pushed(f)
		}
		switch {
		case strings.HasSuffix(kind, "message"):
			m.Signature = kind + " " + channel
		case f[0] == '>' && !strings.HasSuffix(kind, "subscribe"): // such as a notice that a cached key has changed
			m.Signature = kind
		case len(c.open) == 0:
		case strings.HasSuffix(kind, "subscribe") && c.open[0].channels != kind: // it answers an earlier request, too
		default:
			m.Number = c.open[0].number
			c.open = c.open[1:]
		}
		list = append(list, m)
	}
	return list, err
}

// pushed returns the kind of an answer or message about a channel, and the channel.
func pushed(frame []byte) (kind, channel string) {
	w := words(frame)
	if len(w) == 0 {
		return "", ""
	}
	switch w[0] {
	case "message", "pmessage", "smessage", "subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe":
		return w[0], strings.Join(w[1:min(2, len(w))], "")
	}
	if frame[0] == '>' {
		return w[0], ""
	}
	return "", ""
}

// size returns the length of the first frame, 0 if it is not whole.
func size(b []byte) (int, error) {
	var first bytes.Buffer
	err := frame(bufio.NewReader(bytes.NewReader(b)), &first, 0)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, nil
	}
	return first.Len(), err
}

// signature returns the command and its key. EVAL and EVALSHA are the same, whatever the script. So are CAD and CAS, which
// only some servers have: clients of others send a script in their place.
func signature(list []string) string {
	switch command := strings.ToUpper(list[0]); command {
	case "HELLO", "AUTH", "CLIENT", "SELECT", "PING", "COMMAND", "READONLY", "INFO", "QUIT",
		"SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE":
		return ""
	case "EVAL", "EVALSHA":
		if len(list) > 3 {
			return "script " + plain(list[3])
		}
		return "script"
	default:
		if len(list) > 1 {
			if command == "CAD" || command == "CAS" {
				command = "script"
			}
			return command + " " + plain(list[1])
		}
		return command
	}
}

// drawn matches a part of a key that the lock has drawn at random: a UUID, or as many letters and digits.
var drawn = regexp.MustCompile(`[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|[0-9A-Z]{20,}|[0-9a-f]{20,}`)

// plain returns a key without the parts that differ from run to run.
func plain(key string) string { return drawn.ReplaceAllString(key, "*") }
