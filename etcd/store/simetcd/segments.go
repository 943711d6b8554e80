package simetcd

import (
	"path"
	"strings"

	"github.com/lockpick-dev/lockpick/etcd/store/simh2"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

func init() { payload.Register("etcd", newReader) }

// began is the method of a call, and who made it.
type began struct{ method, client string }

// newReader makes a reader of a connection of gRPC: it describes the messages of the calls in a
// segment, one after the other, and those of the connection if there are none. The method of
// a call is known from the segment with which the call began.
func newReader() payload.Reader {
	calls := map[uint32]began{}
	return func(e *sim.Event) payload.Message {
		parts, known := simh2.Parts(e.Payload)
		if !known {
			return payload.Message{Text: payload.Plain(e.Payload)}
		}
		for _, p := range parts {
			if p.Method != "" {
				calls[p.Stream] = began{p.Method, e.Peer}
			}
		}
		words, aside := partsText(parts, e.Peer, calls), false
		if len(words) == 0 {
			words, aside = connectionText(parts), true
		}
		return payload.Message{Text: wording.Fit(wording.Printable(strings.Join(words, "; ")), payload.Most), Aside: aside}
	}
}

// partsText is what a sender has sent in a segment, with the calls that have begun.
func partsText(parts []simh2.Part, sender string, calls map[uint32]began) (words []string) {
	for _, p := range parts {
		switch c := calls[p.Stream]; {
		case p.Stream == 0:
		case c.client == sender:
			words = append(words, callText(&p, c.method)...)
		default:
			words = append(words, resultText(&p, c.method)...)
		}
	}
	return words
}

// callText is what a client sends in a call.
func callText(p *simh2.Part, method string) (words []string) {
	for _, m := range p.Messages {
		words = append(words, requestText(method, m))
	}
	name := path.Base(method)
	switch {
	case p.Reset:
		words = append(words, "give up "+name)
	case len(words) > 0:
	case p.Ends:
		words = append(words, "end "+name)
	default:
		words = append(words, "begin "+name)
	}
	return words
}

// resultText describes what a server sends in a call. The method is "" if it is not
// known; then the sender is not known either.
func resultText(p *simh2.Part, method string) (words []string) {
	if method == "" {
		return []string{"(a call that began before)"}
	}
	for _, m := range p.Messages {
		words = append(words, answerText(method, m))
	}
	switch {
	case p.Code != 0:
		words = append(words, "error: "+p.Text)
	case len(words) > 0:
	case p.Ends:
		words = append(words, "end of "+path.Base(method))
	}
	return words
}

// connectionText names the frames that concern the connection.
func connectionText(parts []simh2.Part) (words []string) {
	for _, p := range parts {
		if p.Frame != "" {
			words = append(words, strings.ReplaceAll(strings.ToLower(p.Frame), "_", " "))
		}
	}
	return words
}
