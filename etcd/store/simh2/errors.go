package simh2

import (
	"errors"
	"fmt"
)

// Error codes of RST_STREAM and GOAWAY (RFC 9113, section 7).
const (
	codeNone         uint32 = 0x0
	codeProtocol     uint32 = 0x1
	codeFlowControl  uint32 = 0x3
	codeStreamClosed uint32 = 0x5
	codeFrameSize    uint32 = 0x6
	codeCompression  uint32 = 0x9
)

// connError is why a connection has to end.
type connError struct {
	code uint32
	text string
}

func (e *connError) Error() string { return "simh2: " + e.text }

func errorf(code uint32, format string, args ...any) *connError {
	return &connError{code, fmt.Sprintf(format, args...)}
}

// asConnError is the connection's error that err is, nil if it is none.
func asConnError(err error) *connError {
	var c *connError
	if err == nil || errors.As(err, &c) {
		return c
	}
	return errorf(codeProtocol, "%v", err)
}
