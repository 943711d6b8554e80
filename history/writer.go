package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/lockpick-dev/lockpick/model"
)

// Writer writes NDJSON, each line by one call of the underlying writer's Write. It is
// not safe for concurrent use; [Recorder] is.
type Writer struct {
	out io.Writer
	buf bytes.Buffer
}

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{out: w} }

// wire is a call as encoded in a line: the fields of [fields], in that order.
type wire struct {
	ID         int           `json:"id,omitempty"`
	Client     string        `json:"client"`
	Thread     int           `json:"thread,omitempty"`
	Object     string        `json:"object,omitempty"`
	Op         model.OpKind  `json:"op"`
	Owner      string        `json:"owner,omitempty"`
	N          int64         `json:"n,omitempty"`
	Expected   int64         `json:"expected,omitempty"`
	Segment    int           `json:"segment,omitempty"`
	Of         int           `json:"of,omitempty"`
	Try        bool          `json:"try,omitempty"`
	Call       int64         `json:"call"`
	Return     int64         `json:"return,omitempty"`
	QueuedFrom int64         `json:"queuedFrom,omitempty"`
	Queued     int64         `json:"queued,omitempty"`
	Outcome    model.Outcome `json:"outcome"`
	Until      int64         `json:"until,omitempty"`
	Token      *int64        `json:"token,omitempty"`
	Refused    bool          `json:"refused,omitempty"`
	Permit     string        `json:"permit,omitempty"`
	Value      *int64        `json:"value,omitempty"`
}

// Write writes one call. If [Read] would refuse it, Write returns an error and
// writes nothing.
func (w *Writer) Write(c model.Call) error {
	if err := writable(c); err != nil {
		return err
	}
	l := wire{
		ID: c.ID, Client: c.Client, Thread: c.Thread, Object: c.Object, Op: c.Op,
		Owner: c.Owner, N: c.N, Expected: c.Expected, Segment: c.Segment, Of: c.Of, Try: c.Try,
		Call: c.Call, Return: c.Return, QueuedFrom: c.QueuedFrom, Queued: c.Queued,
		Outcome: c.Outcome, Until: c.Until, Refused: c.Refused, Permit: c.Permit,
	}
	if c.Fenced {
		l.Token = &c.Token
	}
	if c.Valued {
		l.Value = &c.Value
	}
	return w.line(l)
}

// Annotate writes one annotation. A zero To means a moment.
func (w *Writer) Annotate(a Annotation) error {
	if a.From < 1 || a.To != 0 && a.To < a.From {
		return fmt.Errorf("an annotation from %d to %d: want from to be at least 1, and to not before it", a.From, a.To)
	}
	return w.line(struct {
		Text string `json:"annotation"`
		On   string `json:"on,omitempty"`
		From int64  `json:"from"`
		To   int64  `json:"to,omitempty"`
	}{a.Text, a.On, a.From, a.To})
}

func (w *Writer) line(v any) error {
	w.buf.Reset()
	e := json.NewEncoder(&w.buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	if w.buf.Len() > MaxLine {
		return fmt.Errorf("a line of %d bytes: want at most %d", w.buf.Len(), MaxLine)
	}
	_, err := w.out.Write(w.buf.Bytes())
	return err
}

// writable returns an error if [Read] would refuse a call. It is called for every line
// recorded in production, so it does not parse the line.
func writable(c model.Call) error {
	l := line{call: c}
	for _, name := range []string{"client", "object", "op", "call", "outcome"} {
		l.given |= 1 << fieldIndex[name]
	}
	if c.Return != 0 {
		l.given |= 1 << fieldIndex["return"]
	}
	least := min(int64(c.ID), int64(c.Of), int64(c.Thread), int64(c.Segment), c.Return, c.QueuedFrom, c.Queued, c.Until)
	if least < 0 || c.Call < 1 {
		return fmt.Errorf("%s of %s: want positive stamps and ids, and no negative thread or segment, not %+v", c.Op, quote(c.Client), c)
	}
	return l.complete()
}
