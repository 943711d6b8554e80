package attach

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// Protocol is the version of the protocol.
const Protocol = 1

// order is a line of a client's standard input.
type order struct {
	ID        int      `json:"id,omitempty"`
	Do        string   `json:"do"`
	Protocol  int      `json:"protocol,omitempty"`
	Client    string   `json:"client,omitempty"`
	Store     string   `json:"store,omitempty"`
	Addresses []string `json:"addresses,omitempty"`
	Name      string   `json:"name,omitempty"`
	Lease     int64    `json:"lease_ms,omitempty"`
	User      string   `json:"user,omitempty"`
	Password  *string  `json:"password,omitempty"`
	Database  string   `json:"database,omitempty"`
	Wait      *int64   `json:"wait_ms,omitempty"`
}

// The orders.
const (
	doPrepare = "prepare"
	doAcquire = "acquire"
	doExtend  = "extend"
	doRelease = "release"
	doEnd     = "end"
)

// result is the result of an order.
type result string

// The results.
const (
	resultOK          result = "ok"
	resultFailed      result = "failed"
	resultUnknown     result = "unknown"
	resultUnsupported result = "unsupported"
)

// report is a line of a client's standard output.
type report struct {
	Ready    *bool    `json:"ready"`
	Protocol *int     `json:"protocol"`
	Lock     string   `json:"lock"`
	Lease    *int64   `json:"lease_ms"`
	Reports  bool     `json:"reports_lost"`
	Row      *row     `json:"row"`
	ID       int      `json:"id"`
	Result   result   `json:"result"`
	Until    *float64 `json:"until_ms"`
	Validity *float64 `json:"validity_ms"`
	Token    *int64   `json:"token"`
	Error    string   `json:"error"`
	Lost     bool     `json:"lost"`
}

// kind is the kind of a report.
func (r *report) kind() string {
	switch {
	case r.Ready != nil:
		return "ready"
	case r.Lost:
		return "lost"
	}
	return "answer"
}

const (
	// maxLine is the maximum length of a report in bytes, and maxLock that of the description of the lock in characters.
	maxLine = 64 << 10
	maxLock = 100
	// maxLease is the longest lease of a lock, in milliseconds: a day.
	maxLease = 24 * 60 * 60 * 1000
)

// parse reads a report. The error says what is wrong with the line.
func parse(line []byte) (*report, error) {
	var r report
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("%s is no report: %w", quoted(line), err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s is no report: a line has one JSON object", quoted(line))
	}
	results := []result{resultOK, resultFailed, resultUnknown, resultUnsupported}
	switch {
	case r.Ready != nil && r.Protocol == nil:
		return nil, fmt.Errorf("%s is no report: ready comes with the protocol's version, as in \"protocol\":%d", quoted(line), Protocol)
	case r.kind() == "answer" && r.ID == 0:
		return nil, fmt.Errorf("%s is no report: it has none of ready, id and lost", quoted(line))
	case r.kind() == "answer" && !slices.Contains(results, r.Result):
		return nil, fmt.Errorf("%s: the result of an answer is ok, failed, unknown or unsupported", quoted(line))
	case utf8.RuneCountInString(r.Lock) > maxLock:
		return nil, fmt.Errorf("%s: the text of lock is longer than %d characters", quoted(line), maxLock)
	case r.Lease != nil && (*r.Lease < 0 || *r.Lease > maxLease):
		return nil, fmt.Errorf("%s: lease_ms is 0 to %d", quoted(line), maxLease)
	}
	return &r, nil
}

// until returns until when the lock is valid by a report that came at a time, the zero Time if it does not say.
func (r *report) until(at time.Time) time.Time {
	ms := func(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
	const century = 100 * 365 * 24 * 3600 * 1000
	switch {
	case r.Until != nil && *r.Until > 0 && *r.Until < century:
		return time.UnixMicro(int64(*r.Until * 1000))
	case r.Validity != nil && *r.Validity > -century && *r.Validity < century:
		return at.Add(ms(*r.Validity))
	}
	return time.Time{}
}

// quoted returns a line for a message.
func quoted(line []byte) string {
	return fmt.Sprintf("%q", wording.Fit(string(bytes.TrimSpace(line)), 120))
}
