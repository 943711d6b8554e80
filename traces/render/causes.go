package render

import (
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// limitText says of a trace of a limit that it is one, and why.
func limitText(t *traces.Trace) string {
	const text = "A limit of leases, not a fault of the lock"
	v := t.Verdict()
	if v == nil || v.Cause == "" {
		return text + "."
	}
	if cause := model.CauseOf(v.Cause); cause.Text != "" {
		return text + ": " + cause.Text + "."
	}
	return text + " (cause: " + wording.Fit(wording.Printable(v.Cause), 60) + ")."
}

// cameTo is a verdict in one or two words.
func cameTo(v *model.Verdict) string {
	if v.Status == model.Violated && v.Limit {
		return string(v.Status) + " (limit)"
	}
	return string(v.Status)
}
