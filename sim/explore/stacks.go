package explore

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// goroutine is one goroutine of a stack dump.
type goroutine struct {
	state   string // such as "sync.Mutex.Lock" or "chan receive"
	durable bool   // blocked in a way that only its own bubble can end
	bubble  string
	text    string
}

// header is the first line of a goroutine in a dump, such as
// "goroutine 7 [chan receive (durable), 2 minutes, synctest bubble 3]:".
var header = regexp.MustCompile(`^goroutine \d+ (?:gp=\S+ m=\S+ (?:mp=\S+ )?)?\[([^\]]*)\]:`)

// parseStacks splits a dump of all goroutines.
func parseStacks(dump string) []goroutine {
	var list []goroutine
	for _, text := range strings.Split(dump, "\n\n") {
		m := header.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		g := goroutine{text: text}
		for i, part := range strings.Split(m[1], ", ") {
			switch {
			case i == 0:
				g.state, g.durable = strings.CutSuffix(part, " (durable)")
			case strings.HasPrefix(part, "synctest bubble "):
				g.bubble = part
			}
		}
		list = append(list, g)
	}
	return list
}

// canMove has the states of goroutines that may go on by themselves, or through the
// outside world.
var canMove = map[string]bool{
	"running": true, "runnable": true, "syscall": true, "copystack": true, "preempted": true, "waiting": true,
	"IO wait": true, "sleep": true,
}

// moves reports whether a goroutine of the present run may go on before virtual time
// passes. One that sleeps in virtual time may not.
func (g goroutine) moves() bool { return canMove[g.state] && !g.durable }

// stranger reports whether a goroutine outside all bubbles might wake one inside: it
// can move, and does not only wait for signals.
func (g goroutine) stranger() bool {
	return g.bubble == "" && canMove[g.state] && !strings.Contains(g.text, "os/signal.signal_recv(")
}

// newestBubble returns the bubble that was made last, the present run's. Abandoned ones
// have lower numbers.
func newestBubble(list []goroutine) (name string) {
	for _, g := range list {
		if len(g.bubble) > len(name) || len(g.bubble) == len(name) && g.bubble > name {
			name = g.bubble
		}
	}
	return name
}

// stalled decides from the stacks whether the run of the newest bubble can ever go on.
// It cannot if none of its goroutines can move, no other goroutine of the process can
// either, and at least one is blocked in a way that keeps virtual time from passing,
// such as on a mutex whose holder waits for an event. It returns a sentence and the
// stacks of these goroutines, or nothing without a proof.
func stalled(dump string) (reason, culprits string) {
	reason, culprits, stranger := standing(dump)
	if stranger != "" {
		return "", ""
	}
	return reason, culprits
}

// standing is like stalled, but ignores goroutines outside of all runs. If such a
// goroutine can move, it returns its stack as stranger, and the reason is not a proof.
func standing(dump string) (reason, culprits, stranger string) {
	list := parseStacks(dump)
	bubble := newestBubble(list)
	var stuck []string
	state := ""
	for i, g := range list {
		switch {
		case i == 0 && g.bubble == "": // the watchdog's own
		case g.stranger():
			stranger = g.text
		case g.bubble == bubble && g.moves():
			return "", "", ""
		case g.bubble == bubble && bubble != "" && !g.durable:
			stuck = append(stuck, g.text)
			state = g.state
		}
	}
	if len(stuck) == 0 {
		return "", "", ""
	}
	stuck = fewOf(stuck)
	reason = "virtual time stands still: a goroutine is blocked in " + state +
		", which simulated time cannot wait for. Wait on a channel, a timer or simulated I/O, and hold no mutex across I/O"
	return reason, strings.Join(stuck, "\n\n") + "\n\nThe others of the run:\n\n" + others(list, bubble), stranger
}

// others returns the goroutines of the bubble that are durably blocked: the holder of a
// mutex is among them.
func others(list []goroutine, bubble string) string {
	var texts []string
	for _, g := range list {
		if g.bubble == bubble && g.durable {
			texts = append(texts, g.text)
		}
	}
	return strings.Join(fewOf(texts), "\n\n")
}

// busy returns the stacks of the goroutines of the newest bubble that can move.
func busy(dump string) string {
	list := parseStacks(dump)
	bubble := newestBubble(list)
	var texts []string
	for _, g := range list {
		if g.bubble == bubble && g.moves() {
			texts = append(texts, g.text)
		}
	}
	return strings.Join(fewOf(texts), "\n\n")
}

// fewOf leaves out most of very many stacks, which nobody reads.
func fewOf(texts []string) []string {
	const most = 100
	if left := len(texts) - most; left > 0 {
		return append(texts[:most:most], fmt.Sprintf("… and %d more", left))
	}
	return texts
}

// waitsOutside reports whether a goroutine of the newest bubble waits for the world
// outside, which is not simulated.
func waitsOutside(dump string) bool {
	list := parseStacks(dump)
	bubble := newestBubble(list)
	return bubble != "" && slices.ContainsFunc(list, func(g goroutine) bool {
		return g.bubble == bubble && (g.state == "IO wait" || g.state == "syscall")
	})
}

// mostCommon returns the most common stack of the process's goroutines, whose approximate number is given.
func mostCommon(about int) string {
	records := make([]runtime.StackRecord, about+about/2)
	n, ok := runtime.GoroutineProfile(records)
	if !ok {
		return ""
	}
	counts := make(map[[32]uintptr]int)
	most := 0
	for i := range n {
		if counts[records[i].Stack0]++; counts[records[i].Stack0] > counts[records[most].Stack0] {
			most = i
		}
	}
	text := fmt.Sprintf("%d goroutines were at\n", counts[records[most].Stack0])
	for frames := runtime.CallersFrames(records[most].Stack()); ; {
		f, more := frames.Next()
		text += fmt.Sprintf("%s\n\t%s:%d\n", f.Function, f.File, f.Line)
		if !more {
			return text
		}
	}
}
