package simfile

import (
	"bytes"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

func init() { payload.Register("file", payload.Each(readPayload)) }

// readPayload describes a segment of the protocol: a request as "CREATE lock c1", and an answer as
// "EXIST". Several lines are separated by semicolons. It accepts any bytes: other data is shown as
// text.
func readPayload(segment []byte) payload.Message {
	const most = 3 // lines spelled out
	var parts []string
	aside := true
	for line := range bytes.Lines(segment) {
		if len(parts) == most {
			parts = append(parts, "…")
			break
		}
		text, about, known := lineText(strings.TrimSuffix(string(line), "\n"))
		if !known {
			return payload.Message{Text: payload.Plain(segment)}
		}
		parts, aside = append(parts, text), aside && about
	}
	return payload.Message{Text: wording.Fit(strings.Join(parts, "; "), payload.Most), Aside: aside && len(parts) > 0}
}

// lineText describes one line. Aside is set if it only serves the session.
func lineText(line string) (text string, aside, known bool) {
	if r, err := ParseRequest(line); err == nil {
		args := r.Args
		if r.Op == Create {
			args = []string{args[0], args[2]} // the verifier is for the server
		}
		return spoken(string(r.Op), args), r.Op == Open || r.Op == Renew, true
	}
	a, err := ParseAnswer(line)
	switch a.Status {
	case OK, Exist, NoEntry, Denied, NoLock, Grace, NoGrace, Expired:
		return spoken(string(a.Status), a.Values), false, err == nil
	}
	return "", false, false
}

// spoken returns a word with its arguments, printable.
func spoken(head string, args []string) string {
	return strings.TrimSpace(head + " " + wording.Printable(strings.Join(args, " ")))
}
