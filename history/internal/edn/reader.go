package edn

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Limits of one form.
const (
	// maxDepth is how deep forms may nest.
	maxDepth = 64
	// maxBytes is how long a form may be, with the space before it.
	maxBytes = 1 << 20
)

// Error is what is wrong with the input, and where.
type Error struct {
	// Line is the line, from 1.
	Line int
	// Problem says what was found, and what was expected.
	Problem string
}

// Error names the line.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

// Reader reads forms one by one. It is not safe for concurrent use.
type Reader struct {
	in    *bufio.Reader
	line  int
	used  int // bytes of the form so far
	width int // of the rune read last

	begun bool // something has been read
	close rune // the bracket that ends the sequence that is the whole input, or 0
	err   error
}

// NewReader returns a reader of the forms of r.
func NewReader(r io.Reader) *Reader { return &Reader{in: bufio.NewReader(r), line: 1} }

// Next returns the next form, or io.EOF after the last one. If the whole input is one
// vector or list, it returns the elements of that, one by one. If something is wrong
// with the input it returns an [*Error], and the same error on each further call.
func (r *Reader) Next() (Value, error) {
	if r.err != nil {
		return Value{}, r.err
	}
	v, err := r.next()
	r.err = err
	return v, err
}

func (r *Reader) next() (Value, error) {
	for {
		r.used = 0
		c, err := r.skip()
		switch {
		case errors.Is(err, io.EOF) && r.close != 0:
			return Value{}, r.wrong("the input ends before the %q that closes the sequence", r.close)
		case err != nil:
			return Value{}, err
		case r.close != 0 && c == r.close:
			return Value{}, r.end()
		case !r.begun && (c == '[' || c == '('):
			r.begun, r.close = true, closing(c)
			continue
		}
		r.begun = true
		v, discarded, err := r.form(c, 0)
		if err != nil {
			return Value{}, unexpected(err, r)
		}
		if !discarded {
			return v, nil
		}
	}
}

// end makes sure that nothing follows the sequence that was the whole input.
func (r *Reader) end() error {
	for {
		r.used = 0
		c, err := r.skip()
		if err != nil {
			return err
		}
		if c != '#' {
			return r.wrong("%q behind the end of the sequence, where the input should end", c)
		}
		if _, discarded, err := r.form(c, 0); err != nil {
			return unexpected(err, r)
		} else if !discarded {
			return r.wrong("another form behind the end of the sequence, where the input should end")
		}
	}
}

// unexpected makes an end of the input in the middle of a form an error.
func unexpected(err error, r *Reader) error {
	if errors.Is(err, io.EOF) {
		return r.wrong("the input ends in the middle of a form")
	}
	return err
}

func (r *Reader) wrong(format string, args ...any) error {
	return &Error{Line: r.line, Problem: fmt.Sprintf(format, args...)}
}

// read returns the next rune. Comments and space count as well, so that no
// input keeps it busy without end within one form.
func (r *Reader) read() (rune, error) {
	c, width, err := r.in.ReadRune()
	if err != nil {
		return 0, err
	}
	if c == utf8.RuneError && width == 1 {
		return 0, r.wrong("a byte that is not UTF-8")
	}
	r.width = width
	if r.used += width; r.used > maxBytes {
		return 0, r.wrong("a form of more than %d bytes", maxBytes)
	}
	if c == '\n' {
		r.line++
	}
	return c, nil
}

// unread takes back the rune that was read last.
func (r *Reader) unread(c rune) {
	_ = r.in.UnreadRune() // it was read just now
	r.used -= r.width
	if c == '\n' {
		r.line--
	}
}

// skip goes over space and comments and returns the rune after them.
func (r *Reader) skip() (rune, error) {
	for {
		c, err := r.read()
		if err != nil {
			return 0, err
		}
		switch {
		case space(c):
		case c == ';':
			for c != '\n' {
				if c, err = r.read(); err != nil {
					return 0, err
				}
			}
		default:
			return c, nil
		}
	}
}

func space(c rune) bool {
	switch c {
	case ' ', '\t', '\r', '\n', '\f', ',':
		return true
	}
	return false
}

// delimits reports whether a rune ends the word before it.
func delimits(c rune) bool {
	switch c {
	case '(', ')', '[', ']', '{', '}', '"', ';':
		return true
	}
	return space(c)
}

func closing(open rune) rune {
	switch open {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}
