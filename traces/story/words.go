package story

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// entry returns a record in a few words: "lock = 9f2c41…", or its key alone if its value is empty.
func entry(key, value string) string { return Keyed(wording.Key(key), wording.Shorten(value)) }

// RecordEntry returns the record that an observation shows in a few words. For a row it has the columns except the one in
// its key: the owner, and until when.
func RecordEntry(o *model.Observation) string {
	if o.Type != "row" {
		return entry(o.Key, o.Value)
	}
	const most = 4
	var columns []string
	stored := o.Stored()
	for _, name := range stored.Names() {
		value, _ := stored.Field(name)
		switch {
		case strings.HasSuffix(o.Key, "/"+value) && value != "":
		case len(columns) == most:
			columns = append(columns, "…")
		case len(columns) < most:
			columns = append(columns, wording.Fit(wording.Printable(name), 24)+" "+column(value))
		}
	}
	if len(columns) == 0 {
		return wording.Key(o.Key)
	}
	return wording.Key(o.Key) + ": " + strings.Join(columns, ", ")
}

// instant matches a time in a column.
var instant = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$`)

// column returns the value of a column, a time without trailing zeros.
func column(value string) string {
	switch {
	case value == "":
		return "''"
	case instant.MatchString(value) && strings.Contains(value, "."):
		return strings.TrimRight(strings.TrimRight(value, "0"), ".")
	case instant.MatchString(value):
		return value
	}
	return wording.Shorten(value)
}

// Keyed returns a key with its value, if it has one.
func Keyed(key, value string) string {
	if value == "" {
		return key
	}
	return key + " = " + value
}

// LimitText returns a text for a trace of a limit, with the reason.
func LimitText(t *traces.Trace) string {
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

// StatusText returns a verdict in one or two words.
func StatusText(v *model.Verdict) string {
	if v.Status == model.Violated && v.Limit {
		return string(v.Status) + " (limit)"
	}
	return string(v.Status)
}

// list joins names for a sentence: "nobody", "c1", "c1 and c2", "c1, c2 and c3".
func list(names []string) string {
	if len(names) == 0 {
		return "nobody"
	}
	return wording.And(names)
}

// List joins names: "n1, c1 and c2".
func List(names []string) string { return list(printables(names)) }

func printables(names []string) []string {
	clean := make([]string, len(names))
	for i, n := range names {
		clean[i] = wording.Printable(n)
	}
	return clean
}

func count01(b bool) int {
	if b {
		return 1
	}
	return 0
}

// During returns the beginning, end and length of a detail.
func During(from, to time.Duration) string {
	return fmt.Sprintf("%s to %s (%s)", traces.Moment(from), traces.Moment(to), traces.Briefly(to-from))
}

// When returns the time and the event of a detail.
func When(s model.Stamp) string { return fmt.Sprintf("%s, event %d", traces.Moment(s.At), s.Seq) }
