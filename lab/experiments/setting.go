package experiments

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// parse reads a value.
func (s *Setting) parse(text string) (int, error) {
	n, err := s.number(text)
	if err != nil {
		return 0, err
	}
	if n < s.Min || n > s.Max {
		return 0, fmt.Errorf("%s is %s; it must be between %s and %s", s.Name, text, s.Text(s.Min), s.Text(s.Max))
	}
	return n, nil
}

// number returns the value of a text, in or out of range.
func (s *Setting) number(text string) (int, error) {
	switch {
	case s.Words != nil:
		for i, w := range s.Words {
			if w == text {
				return i, nil
			}
		}
		return 0, fmt.Errorf("%s is %q; it is one of %s", s.Name, text, strings.Join(s.Words, ", "))
	case s.Unit > 1:
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("%s is %q; it is a time such as %s", s.Name, text, s.Text(s.Default))
		}
		if d%s.Unit != 0 {
			return 0, fmt.Errorf("%s is %s; it must be a multiple of %v", s.Name, text, s.Unit)
		}
		return int(d / s.Unit), nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%s is %q; it is a whole number", s.Name, text)
	}
	return n, nil
}

// Range returns the possible values, as text.
func (s *Setting) Range() string {
	if s.Words != nil {
		return "one of " + strings.Join(s.Words, ", ")
	}
	return s.Text(s.Min) + " to " + s.Text(s.Max)
}

// Text returns a value as text.
func (s *Setting) Text(n int) string {
	switch {
	case s.Words != nil:
		return s.Words[n]
	case s.Unit > 1:
		text := (time.Duration(n) * s.Unit).String() // such as 1h0m0s
		for _, part := range []string{"m0s", "h0m"} {
			if strings.HasSuffix(text, part) {
				text = text[:len(text)-2]
			}
		}
		return text
	}
	return strconv.Itoa(n)
}
