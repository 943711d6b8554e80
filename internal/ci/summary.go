package ci

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

const (
	// maxSummary is the maximum length of a step's summary; GitHub drops longer ones.
	maxSummary = 1 << 20
	// maxBlock is the maximum that one call adds. As much is kept free, since the test binaries of several packages may write
	// at once.
	maxBlock = 128 << 10
)

// Summarize appends Markdown to the step's summary, cut to what fits, with a note on how much is left out. It does nothing
// if the step has no file for a summary, or if that is full.
func (g *GitHub) Summarize(markdown string) error {
	if g.summary == "" {
		return nil
	}
	f, err := os.OpenFile(g.summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		if text := cut(markdown, min(maxBlock, maxSummary-maxBlock-int(min(info.Size(), maxSummary)))); text != "" {
			_, err = f.WriteString(text) // in one call: other processes append to it, too
		}
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// fence begins and ends a block of code.
var fence = regexp.MustCompile("^`{3,}")

// room is the maximum length of the note on a cut, with the end of a block of code.
const room = 200

// cut returns the first whole lines of a text that fit into most bytes, with a note on what is left out; empty if that
// does not fit. It ends a block of code that it cuts.
func cut(markdown string, most int) string {
	markdown = strings.TrimRight(markdown, "\n") + "\n\n"
	switch {
	case len(markdown) <= most:
		return markdown
	case most < 2*room:
		return ""
	}
	lines := strings.SplitAfter(markdown, "\n")
	var b strings.Builder
	open, kept := "", 0 // the fence of a block of code that has not ended
	for _, line := range lines {
		if b.Len()+len(line) > most-room {
			break
		}
		switch mark := fence.FindString(line); {
		case open == "":
			open = mark
		case len(mark) >= len(open) && strings.TrimSpace(line) == mark:
			open = ""
		}
		b.WriteString(line)
		kept++
	}
	if open != "" {
		b.WriteString(open + "\n")
	}
	fmt.Fprintf(&b, "\n*%d of %d lines are left out: a summary may have no more. The log of the step has it all.*\n\n", len(lines)-1-kept, len(lines)-1)
	return b.String()
}
