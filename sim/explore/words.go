package explore

import "strings"

// firstLine picks the line of a dying worker's last words that says most.
func firstLine(words string, otherwise error) string {
	for line := range strings.Lines(words) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.HasPrefix(line, "simrun:") {
			return line
		}
	}
	return otherwise.Error()
}

// tail keeps the beginning and the end of what is written to it: a crash says
// why at its beginning.
type tail struct{ head, rest []byte }

const tailHead, tailRest = 16 << 10, 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if room := tailHead - len(t.head); room > 0 {
		k := min(room, len(p))
		t.head, p = append(t.head, p[:k]...), p[k:]
	}
	t.rest = append(t.rest, p...)
	if over := len(t.rest) - tailRest; over > 0 {
		t.rest = t.rest[over:]
	}
	return n, nil
}

func (t *tail) String() string { return string(t.head) + string(t.rest) }
