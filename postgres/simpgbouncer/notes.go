package simpgbouncer

import (
	"slices"
	"strconv"

	"github.com/lockpick-dev/lockpick/model"
)

// The notes that the pooler makes about its clients.
var (
	waitBegan = model.Note{
		Event: "pooler-wait-began", Place: model.PlaceLane, Phase: model.PhaseBegins, Noun: "wait for a server connection",
		Title: "{owner} waits for a server connection of {node}", Label: "{owner} waits for a server connection", Short: "{owner} waits",
		Unended: "It still waits when the run ends.",
	}
	waitOver  = model.Note{Event: "pooler-wait-over", Place: model.PlaceLane, Phase: model.PhaseEnds, Line: "Then it has one."}
	waitEnded = model.Note{Event: "pooler-wait-ended", Place: model.PlaceLane, Phase: model.PhaseEnds, Line: "It gets none."}
	passedOn  = model.Note{
		Event: "server-connection-passed-on", Place: model.PlaceStrip,
		Title: "{node}: {owner} gets {subject}, which {by} had", Label: "{owner} gets {subject}", Short: "{owner}",
		Text: "{node} gives {owner} {subject}, which {by} had",
	}
	closed = model.Note{Event: "server-connection-closed", Bad: true}
)

// show reports something about a client, in the words of a note.
func (c *client) show(n model.Note, subject string) {
	c.pooler.observe(model.Observation{Kind: model.Noted, Owner: originOf(c.sock), Note: n.Of(subject)})
}

// showPassedOn reports that the client gets a server connection for the first time, after another client.
func (b *backend) showPassedOn(c *client) {
	if slices.Contains(b.had, c) {
		return
	}
	if n := len(b.had); n > 0 {
		by := originOf(b.had[n-1].sock)
		c.pooler.observe(model.Observation{Kind: model.Noted, Owner: originOf(c.sock), By: by, Note: passedOn.Of(b.name())})
	}
	b.had = append(b.had, c)
}

// showWait reports that the client begins to wait for a server connection.
func (c *client) showWait() {
	c.pooler.waits++
	c.waitName = "wait " + strconv.Itoa(c.pooler.waits)
	c.show(waitBegan, c.waitName)
}

// showWaited reports the end of that wait.
func (c *client) showWaited(n model.Note) {
	if c.waitName != "" {
		c.show(n, c.waitName)
		c.waitName = ""
	}
}

// name returns the name of the server connection in notes.
func (b *backend) name() string { return "server connection " + strconv.Itoa(b.wire.number) }

// showClosed reports that the client loses its server connection, and why.
func (b *backend) showClosed(c *client, reason string) {
	n := closed
	n.Detail = reason
	n.Text = "{node} closes {owner}'s " + b.name() + ": " + reason
	c.show(n, b.name())
}
