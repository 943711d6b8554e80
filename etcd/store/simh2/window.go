package simh2

import "encoding/binary"

// settings handles the client's settings. Only the window concerns a server that uses no
// dynamic table and short frames.
func (c *Conn) settings(f *frame) *connError {
	const (
		settingLen        = 6
		initialWindowSize = 0x4
	)
	if f.has(flagAck) {
		return nil
	}
	if len(f.body)%settingLen != 0 {
		return errorf(codeFrameSize, "SETTINGS of %d bytes", len(f.body))
	}
	for b := f.body; len(b) > 0; b = b[settingLen:] {
		if binary.BigEndian.Uint16(b) != initialWindowSize {
			continue
		}
		window := int64(binary.BigEndian.Uint32(b[2:]))
		if window > maxStream {
			return errorf(codeFlowControl, "a window of %d bytes", window)
		}
		for _, s := range c.order {
			s.window += window - c.first
		}
		c.first = window
	}
	c.send(appendFrame(nil, kindSettings, flagAck, 0, nil), nil)
	c.flush()
	return nil
}

// grant handles a WINDOW_UPDATE.
func (c *Conn) grant(f *frame) *connError {
	n, err := f.number()
	if err != nil {
		return errorf(codeFrameSize, "%v", err)
	}
	window := &c.window
	if f.stream > 0 {
		s := c.streams[f.stream]
		if s == nil {
			return nil
		}
		window = &s.window
	}
	if *window += int64(n); *window > maxStream {
		return errorf(codeFlowControl, "a window of %d bytes", *window)
	}
	c.flush()
	return nil
}

// flush sends what has waited for the client's windows.
func (c *Conn) flush() {
	for i := 0; i < len(c.order); i++ {
		s := c.order[i]
		if s.flush(); s.over {
			i-- // it was taken off the list
		}
	}
}
