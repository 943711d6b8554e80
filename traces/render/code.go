package render

import (
	"sort"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// codeOf is the line of the user's code that has made the event: sent the request, made the call, or made the call that returns with
// it. It is empty if that is not known.
func (s *story) codeOf(seq int64) string {
	list := s.t.Remarks
	i := sort.Search(len(list), func(i int) bool { return list[i].Seq >= seq })
	for ; i < len(list) && list[i].Seq == seq; i++ {
		if list[i].Code != "" {
			return wording.Fit(wording.Printable(list[i].Code), 120)
		}
	}
	if o := s.returning[seq]; o != nil {
		return s.codeOf(o.Call.Seq)
	}
	return ""
}

// behindCode is the line of the user's code behind an event: that which has made it, or the request that the node was at.
func (s *story) behindCode(seq int64, actor string) string {
	if code := s.codeOf(seq); code != "" {
		return code
	}
	i := s.indexOf(seq)
	if i == len(s.t.Events) || s.t.Events[i].Seq != seq {
		return ""
	}
	for at := s.t.Events[i].At; i >= 0 && s.t.Events[i].At == at; i-- {
		if e := &s.t.Events[i]; e.Kind == sim.EventDeliver && e.Actor == actor {
			return s.codeOf(e.Seq)
		}
	}
	return ""
}

// by says which line of code it was, behind other words.
func by(code string) string {
	if code == "" {
		return ""
	}
	return ", by " + code
}

// calledBy says of an operation which line of code has called it.
func (s *story) calledBy(o *model.Operation) string {
	if code := s.codeOf(o.Call.Seq); code != "" {
		return "Called by " + code + "."
	}
	return ""
}

// maxShownLine is the most characters that are shown of a printed line.
const maxShownLine = 240

// lineText is a printed line as it is shown.
func lineText(r *sim.Remark) string {
	return wording.Fit(wording.Printable(strings.TrimSpace(r.Line)), maxShownLine)
}

// printedLines are the lines that were printed, in order, and how many more there were.
func (s *story) printedLines() (list []*sim.Remark, unkept int) {
	for i := range s.t.Remarks {
		r := &s.t.Remarks[i]
		if unkept += r.Unkept; r.Line != "" {
			list = append(list, r)
		}
	}
	return list, unkept
}
