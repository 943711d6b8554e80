package render

import (
	"bytes"
	"testing"

	"github.com/lockpick-dev/lockpick/traces"
)

// viewed returns the page of a trace.
func viewed(t testing.TB, trace *traces.Trace) string {
	t.Helper()
	var page bytes.Buffer
	if err := View(&page, trace, "simrun replay some.trace"); err != nil {
		t.Fatal(err)
	}
	return page.String()
}
