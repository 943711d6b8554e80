package story

import (
	"sort"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// CodeOf returns the line of the user's code behind the event: the one that sent the request, made the call, or made the
// call that returns. It is empty if unknown.
func (s *Log) CodeOf(seq int64) string {
	list := s.Trace.Remarks
	i := sort.Search(len(list), func(i int) bool { return list[i].Seq >= seq })
	for ; i < len(list) && list[i].Seq == seq; i++ {
		if list[i].Code != "" {
			return wording.Fit(wording.Printable(list[i].Code), 120)
		}
	}
	if o := s.returning[seq]; o != nil {
		return s.CodeOf(o.Call.Seq)
	}
	return ""
}

// BehindCode returns the line of the user's code behind an event: its own, or that of the request that the node was
// serving.
func (s *Log) BehindCode(seq int64, actor string) string {
	if code := s.CodeOf(seq); code != "" {
		return code
	}
	i := s.IndexOf(seq)
	if i == len(s.Trace.Events) || s.Trace.Events[i].Seq != seq {
		return ""
	}
	for at := s.Trace.Events[i].At; i >= 0 && s.Trace.Events[i].At == at; i-- {
		if e := &s.Trace.Events[i]; e.Kind == sim.EventDeliver && e.Actor == actor {
			return s.CodeOf(e.Seq)
		}
	}
	return ""
}

// by returns a clause for the line of code, to be appended to a text.
func by(code string) string {
	if code == "" {
		return ""
	}
	return ", by " + code
}

// CalledBy returns a clause for the line of code that called an operation.
func (s *Log) CalledBy(o *model.Operation) string {
	if code := s.CodeOf(o.Call.Seq); code != "" {
		return "Called by " + code + "."
	}
	return ""
}

// maxShownLine is the maximum number of characters shown of a printed line.
const maxShownLine = 240

// LineText returns a printed line as it is shown.
func LineText(r *sim.Remark) string {
	return wording.Fit(wording.Printable(strings.TrimSpace(r.Line)), maxShownLine)
}

// PrintedLines returns the printed lines, in order, and the number of lines not kept.
func (s *Log) PrintedLines() (list []*sim.Remark, unkept int) {
	for i := range s.Trace.Remarks {
		r := &s.Trace.Remarks[i]
		if unkept += r.Unkept; r.Line != "" {
			list = append(list, r)
		}
	}
	return list, unkept
}
