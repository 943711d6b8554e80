package packed

import "fmt"

// TooMany is the error of a JSON text that would take far more memory than its length: it has too many entries, or is
// nested too deep.
type TooMany struct {
	// Offset is the place, in bytes, and Most the maximum allowed.
	Offset, Most int
	// Deep is set if it is nested too deep.
	Deep bool
}

// Error describes the limit.
func (e *TooMany) Error() string {
	if e.Deep {
		return fmt.Sprintf("nested more than %d deep", e.Most)
	}
	return fmt.Sprintf("more than %d entries", e.Most)
}

// Entries limits the cost of decoding JSON beforehand: text such as [0,0,0...] takes far less memory than the structs that
// it fills. It counts the containers and the entries of lists. An error is of type *[TooMany]. Text that is not JSON is
// not refused.
func Entries(data []byte, most, depth int) error {
	lists := make([]bool, depth+1) // whether the container at each depth is a list
	entries, at := 0, 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case '"':
			i = StringEnd(data, i) - 1
		case '{', '[':
			if at++; at > depth {
				return &TooMany{Offset: i, Most: depth, Deep: true}
			}
			lists[at] = c == '['
			entries++
		case '}', ']':
			at = max(0, at-1)
		case ',':
			if lists[at] {
				entries++
			}
		}
		if entries > most {
			return &TooMany{Offset: i, Most: most}
		}
	}
	return nil
}

// StringEnd returns the index after the JSON string that begins at start.
func StringEnd(b []byte, start int) int {
	for i := start + 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}
