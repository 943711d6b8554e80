package traces

import "github.com/lockpick-dev/lockpick/model"

// limitCauses say, by the cause of a verdict that is a limit, what no lease could
// have prevented: words for the end of a sentence.
var limitCauses = map[string]string{
	"store-forgot":       "the store had granted the lock and forgot it, in a failover, a partition or a restart",
	"store-clock-jumped": "the store's clock jumped and ended the lease before its time",
	"client-clock-off":   "the client's clock was off, and by it the lease had not ended",
	"holder-stopped":     "the holder's process was stopped while its lease ended as granted",
	"holder-late":        "what the holder sent or was to hear was late while its lease ended as granted",
	"holder-cut-off":     "the holder was cut off from others while its lease ended as granted",
}

// limitText says of a trace of a limit that it is one, and why.
func limitText(t *Trace) string {
	const text = "A limit of leases, not a fault of the lock"
	v := t.Verdict()
	switch {
	case v == nil || v.Cause == "":
		return text + "."
	case limitCauses[v.Cause] != "":
		return text + ": " + limitCauses[v.Cause] + "."
	}
	return text + " (cause: " + cutTo(printable(v.Cause), 60) + ")."
}

// cameTo is a verdict in one or two words.
func cameTo(v *model.Verdict) string {
	if v.Status == model.Violated && v.Limit {
		return string(v.Status) + " (limit)"
	}
	return string(v.Status)
}
